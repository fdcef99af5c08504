//! Measures how the time of a parser grows with its input, and has the hostile inputs.

use std::time::Duration;

use cpu_time::ThreadTime;

/// Lengths of the inputs in bytes, as powers of two: ten doublings.
const LENGTHS: std::ops::RangeInclusive<u32> = 5..=15;

/// Lengths of inputs whose items differ, as powers of two. An item is longer than a character.
const LENGTHS_OF_ITEMS: std::ops::RangeInclusive<u32> = 8..=18;

/// Times below this one say more about the clock than about the parser.
const MIN_TIME: Duration = Duration::from_millis(3);

/// Growth of the time over two doublings.
const MAX_GROWTH: f64 = 2.5 * 2.5;

/// A parser that seems slow is measured again, because the machine may have been busy.
const ATTEMPTS: usize = 6;

/// An input of about `len` bytes.
pub type Make<'a> = &'a dyn Fn(usize) -> String;

fn time_of(input: &str, read: &dyn Fn(&str)) -> Duration {
    let began = ThreadTime::now();
    read(input);
    began.elapsed()
}

/// Whether the time grows too fast, with the two times.
fn too_fast(lengths: Lengths, make: Make<'_>, read: &dyn Fn(&str)) -> Option<(usize, Duration, Duration)> {
    let mut times = Vec::new();
    for power in lengths {
        let input = make(1 << power);
        times.push(time_of(&input, read));
        let [.., short, _, long] = times[..] else { continue };
        if long > MIN_TIME && long.as_secs_f64() > short.as_secs_f64() * MAX_GROWTH {
            return Some((1 << power, short, long));
        }
    }
    None
}

pub fn check(what: &str, make: Make<'_>, read: &dyn Fn(&str)) {
    check_lengths(LENGTHS, what, make, read);
}

/// Checks a parser with many items instead of `@` of a document. Each item has its number
/// instead of `#`.
pub fn with_items(document: &str, item: &str, read: &dyn Fn(&str)) {
    let make = |len: usize| {
        let items: Vec<_> =
            (0..len / (item.len() + 4)).map(|at| item.replace('#', &at.to_string())).collect();
        document.replace('@', &items.join(","))
    };
    check_lengths(LENGTHS_OF_ITEMS, &format!("{document} with many {item}"), &make, read);
}

type Lengths = std::ops::RangeInclusive<u32>;

fn check_lengths(lengths: Lengths, what: &str, make: Make<'_>, read: &dyn Fn(&str)) {
    let mut found = None;
    for _ in 0..ATTEMPTS {
        found = too_fast(lengths.clone(), make, read);
        if found.is_none() {
            return;
        }
    }
    let (len, short, long) = found.unwrap();
    panic!("{what}: {} bytes take {short:?}, {len} bytes take {long:?}", len / 4);
}

/// Pieces of texts: what parsers look for, and what they count.
pub const PIECES: [&str; 34] = [
    "a", " ", "0", "1", "9", "&", ";", "&#", "&amp;", "<", ">", "/", "//", "../", ".", "-", "%", "%41", "{",
    "{{", "}}", "{{a}}", "{{'", "[", "]", "(", ",", ":", "=", "'", "?", "#", "é", "_",
];

/// Texts within the quotes of JSON.
const ESCAPED: [&str; 4] = [r"\u0041", r"\\", r#"\""#, r"\ud83d\ude00"];

/// Values of JSON: what comes first, what is repeated, what comes last.
const VALUES: [(&str, &str, &str); 13] = [
    ("[", "1,", "1]"),
    ("[", "9007199254740993,", "1]"),
    ("[", "1.5e3,", "1]"),
    ("[", "NaN,", "1]"),
    ("[", "\"\",", "1]"),
    ("[", "{},", "1]"),
    ("[", "[1,2],", "1]"),
    ("[", "{\"name\":\"a\",\"configuration\":{}},", "1]"),
    ("{", "\"a\":1,", "\"b\":1}"),
    ("[", "[", ""),
    ("", "{\"a\":", ""),
    ("1", "1", ""),
    ("1e", "1", ""),
];

pub fn repeated(piece: &str, len: usize) -> String {
    piece.repeat(len / piece.len())
}

/// An object with other names each time.
pub fn members(len: usize) -> String {
    let members: Vec<_> = (0..len / 12).map(|at| format!("\"n{at:07}\":1")).collect();
    format!("{{{}}}", members.join(","))
}

fn nested(len: usize) -> String {
    format!("{}{}", "[".repeat(len / 2), "]".repeat(len / 2))
}

/// Checks a parser with hostile values instead of `@` of a document.
pub fn with_values(what: &str, document: &str, read: &dyn Fn(&str)) {
    let filled = |value: String| document.replace('@', &value);
    for piece in PIECES.iter().chain(&ESCAPED) {
        check(
            &format!("{what}, text of {piece}"),
            &|len| filled(format!("\"{}\"", repeated(piece, len))),
            read,
        );
    }
    for (first, piece, last) in VALUES {
        let make = |len| filled(format!("{first}{}{last}", repeated(piece, len)));
        check(&format!("{what}, values of {piece}"), &make, read);
    }
    check(&format!("{what}, members"), &|len| filled(members(len)), read);
    check(&format!("{what}, nested lists"), &|len| filled(nested(len)), read);
}
