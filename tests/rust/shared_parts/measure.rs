//! Measures what files of growing length take.

use std::time::Duration;

use cpu_time::ThreadTime;

use crate::counting::peak;

/// Lengths of the files in bytes, as powers of two: each is four times the one before.
const LENGTHS: [u32; 5] = [12, 14, 16, 18, 20];

/// The most memory for each byte of a file.
const MAX_MEMORY_RATIO: usize = 64;
/// What a short file may take besides: contexts of decompressors, tables of fixed size.
const FLOOR: usize = 1 << 19;

/// Times below this one say more about the clock than about the reader.
const MIN_TIME: Duration = Duration::from_millis(5);

/// Growth of the time where the length grows by four.
const MAX_GROWTH: f64 = 2.5 * 2.5;

/// A reader that seems slow is measured again, because the machine may have been busy.
const ATTEMPTS: usize = 5;

/// A file, or several, with their length in bytes together.
pub trait Input {
    /// The length.
    fn bytes(&self) -> usize;
}

impl Input for Vec<u8> {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Input for String {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Input for support::Files {
    fn bytes(&self) -> usize {
        self.values().map(Vec::len).sum()
    }
}

/// Checks what reading takes: the memory of each length, and the growth of the time.
pub fn check<T: Input>(what: &str, make: impl Fn(usize) -> T, read: impl Fn(&T)) {
    check_with_floor(what, FLOOR, make, read);
}

/// As [`check`], for readers that take `floor` bytes for the shortest file.
pub fn check_with_floor<T: Input>(what: &str, floor: usize, make: impl Fn(usize) -> T, read: impl Fn(&T)) {
    let mut slow = String::new();
    for _ in 0..ATTEMPTS {
        match growth(what, floor, &make, &read) {
            None => return,
            Some(found) => slow = found,
        }
    }
    panic!("{slow}");
}

fn growth<T: Input>(
    what: &str,
    floor: usize,
    make: &impl Fn(usize) -> T,
    read: &impl Fn(&T),
) -> Option<String> {
    let mut times: Vec<Duration> = Vec::new();
    for power in LENGTHS {
        let input = make(1 << power);
        let (bytes, began) = (input.bytes(), ThreadTime::now());
        let ((), most) = peak(|| read(&input));
        times.push(began.elapsed());
        assert!(
            most <= MAX_MEMORY_RATIO * bytes + floor,
            "{what}: {bytes} bytes take {most} bytes of memory, {} times as many",
            most / bytes.max(1)
        );
        let [.., short, long] = times[..] else { continue };
        if long > MIN_TIME && long.as_secs_f64() > short.as_secs_f64() * MAX_GROWTH {
            return Some(format!("{what}: {} bytes take {short:?}, {bytes} bytes take {long:?}", bytes / 4));
        }
    }
    None
}
