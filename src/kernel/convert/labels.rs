//! Colours of labels: integers that name things, such as the cells of an image.
//!
//! A label is seen as 64 bits, narrower signed ones extended by their sign, so that it has the same
//! colour in an array of any integer type. 0 is transparent. Every other label has a colour of its
//! own by a hash (SplitMix64): one of 1536 hues, nowhere dark and nowhere grey. A caller's own
//! colours come first, that of 0 too. The arithmetic is of integers alone, so every machine gets
//! the same.

use crate::cast::cast;
use crate::number::NumberType;
use crate::sort::sort_by_key;

/// Labels coloured at a time.
const BLOCK: usize = 512;

/// Red, green, blue and alpha.
pub type Colour = [u8; 4];

/// Colours that a caller gives to some labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelColours {
    /// By label, ascending, each once.
    own: Vec<(u64, Colour)>,
}

impl LabelColours {
    /// Of labels in any order; of equal ones the last counts.
    pub fn new(mut own: Vec<(u64, Colour)>) -> Self {
        own.reverse();
        sort_by_key(&mut own, |(label, _)| *label);
        own.dedup_by_key(|(label, _)| *label);
        Self { own }
    }

    /// The caller's, by label.
    pub fn own(&self) -> &[(u64, Colour)] {
        &self.own
    }

    fn of(&self, label: u64) -> Colour {
        match self.own.binary_search_by_key(&label, |(own, _)| *own) {
            Ok(at) => self.own[at].1,
            Err(_) => hashed(label),
        }
    }
}

/// Colours all labels of `src`; `dst` has room for as many colours.
///
/// # Panics
/// Where the labels are floats.
pub fn colour(src: &[u8], from: NumberType, dst: &mut [u8], colours: &LabelColours) {
    assert!(!from.is_float(), "labels are integers");
    let same = if from == NumberType::U64 { NumberType::U64 } else { NumberType::I64 };
    let mut wide = [0_u8; 8 * BLOCK];
    // Neighbours are mostly of one label.
    let mut last = (0, colours.of(0));
    for (src, dst) in src.chunks(BLOCK * from.size()).zip(dst.chunks_mut(4 * BLOCK)) {
        let wide = &mut wide[..src.len() / from.size() * 8];
        cast(src, from, wide, same);
        for (bytes, colour) in wide.as_chunks::<8>().0.iter().zip(dst.as_chunks_mut::<4>().0) {
            let label = u64::from_le_bytes(*bytes);
            if label != last.0 {
                last = (label, colours.of(label));
            }
            *colour = last.1;
        }
    }
}

fn hashed(label: u64) -> Colour {
    if label == 0 {
        return [0; 4];
    }
    let hash = mixed(label);
    let (sector, within) = ((hash % 1536) / 256, (hash % 256));
    let rest = 255 - within;
    let hue = match sector {
        0 => [255, within, 0],
        1 => [rest, 255, 0],
        2 => [0, 255, within],
        3 => [0, rest, 255],
        4 => [within, 0, 255],
        _ => [255, 0, rest],
    };
    let (saturation, value) = (160 + (hash >> 16) % 96, 176 + (hash >> 32) % 80);
    let [red, green, blue] = hue.map(|channel| toned(channel, saturation, value));
    [red, green, blue, 255]
}

/// SplitMix64's step: every bit of the result depends on every bit of the label.
fn mixed(label: u64) -> u64 {
    let bits = label.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[allow(clippy::cast_possible_truncation)] // all three are at most 255
fn toned(channel: u64, saturation: u64, value: u64) -> u8 {
    ((255 - (255 - channel) * saturation / 255) * value / 255) as u8
}
