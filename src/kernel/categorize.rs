//! Texts and the numbers of their labels, from 1 on: the loops of numcodecs' `categorize`. A text
//! without a label has the number 0, which stands for the empty text.
//!
//! Numbers are integers of 1 to 8 bytes, little-endian. They keep their low bytes.

use crate::sort::sort_by;

/// Labels, numbered from 1 on.
#[derive(Clone, Debug)]
pub struct Labels {
    texts: Vec<Vec<u8>>,
    /// The indices of the labels in `texts`, ordered by text. Of equal labels the last is here.
    sorted: Vec<usize>,
    /// The bytes of a number.
    size: usize,
}

impl Labels {
    /// Of texts as elements have them, for numbers of `size` bytes.
    pub fn new(texts: Vec<Vec<u8>>, size: usize) -> Self {
        let mut sorted: Vec<usize> = (0..texts.len()).rev().collect();
        sort_by(&mut sorted, |one, other| texts[*one].cmp(&texts[*other]));
        sorted.dedup_by_key(|at| &texts[*at]);
        Self { texts, sorted, size }
    }

    /// The number of a text.
    pub fn number(&self, text: &[u8]) -> u64 {
        let found = self.sorted.binary_search_by(|at| self.texts[*at].as_slice().cmp(text));
        found.map_or(0, |at| self.sorted[at] as u64 + 1)
    }

    fn text(&self, number: &[u8]) -> &[u8] {
        let mut wide = [0; 8];
        wide[..number.len()].copy_from_slice(number);
        let at = u64::from_le_bytes(wide).checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.texts.get(at)).map_or(&[], Vec::as_slice)
    }

    /// Writes the number of each text. Text `i` is `bytes[offsets[i]..offsets[i + 1]]`, if it has
    /// these bytes.
    #[inline(never)]
    pub fn numbers(&self, offsets: &[u32], bytes: &[u8], numbers: &mut [u8]) {
        for (number, ends) in numbers.chunks_exact_mut(self.size).zip(offsets.windows(2)) {
            let text = bytes.get(ends[0] as usize..ends[1] as usize).unwrap_or_default();
            number.copy_from_slice(&self.number(text).to_le_bytes()[..self.size]);
        }
    }

    /// Writes the number of each text of `text_size` bytes, at least one.
    #[inline(never)]
    pub fn numbers_of_fixed(&self, texts: &[u8], text_size: usize, numbers: &mut [u8]) {
        for (number, text) in numbers.chunks_exact_mut(self.size).zip(texts.chunks_exact(text_size)) {
            number.copy_from_slice(&self.number(text).to_le_bytes()[..self.size]);
        }
    }

    /// The bytes of all texts of these numbers.
    #[inline(never)]
    pub fn total_len(&self, numbers: &[u8]) -> u64 {
        numbers
            .chunks_exact(self.size)
            .map(|number| self.text(number).len() as u64)
            .fold(0, u64::saturating_add)
    }

    /// Appends the text of each number, and the end of each text. It allocates unless the vectors
    /// have room.
    #[inline(never)]
    pub fn texts(&self, numbers: &[u8], ends: &mut Vec<u32>, bytes: &mut Vec<u8>) {
        for number in numbers.chunks_exact(self.size) {
            bytes.extend_from_slice(self.text(number));
            #[allow(clippy::cast_possible_truncation, reason = "the caller has compared the total length")]
            ends.push(bytes.len() as u32);
        }
    }

    /// Writes the text of each number to elements of `text_size` bytes, at least one. The rest of
    /// an element stays.
    #[inline(never)]
    pub fn fixed_texts(&self, numbers: &[u8], text_size: usize, texts: &mut [u8]) {
        for (element, number) in texts.chunks_exact_mut(text_size).zip(numbers.chunks_exact(self.size)) {
            let text = self.text(number);
            element[..text.len()].copy_from_slice(text);
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    #[test]
    fn numbers_and_texts_of_every_size() {
        let labels: Vec<Vec<u8>> =
            [&b"b"[..], b"", b"aa", b"b", b"a"].into_iter().map(<[u8]>::to_vec).collect();
        let texts = [&b"a"[..], b"b", b"", b"aa", b"c", b"aaa"];
        let ends = texts.iter().scan(0, |end, text| {
            *end += u32::try_from(text.len()).unwrap();
            Some(*end)
        });
        let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let bytes = texts.concat();
        for size in [1, 2, 4, 8] {
            let known = Labels::new(labels.clone(), size);
            let mut numbers = vec![0xee; texts.len() * size];
            known.numbers(&offsets, &bytes, &mut numbers);
            let expected = texts.map(|text| naive::label_number(text, &labels));
            let read: Vec<u64> = numbers.chunks(size).map(naive::bits).collect();
            assert_eq!(read, expected, "{size} bytes");
            assert_eq!(expected, [5, 4, 2, 3, 0, 0]);
            let (mut ends, mut written) = (vec![0], Vec::new());
            known.texts(&numbers, &mut ends, &mut written);
            assert_eq!((ends, written.as_slice()), (vec![0, 1, 2, 2, 4, 4, 4], &b"abaa"[..]));
            assert_eq!(known.total_len(&numbers), 4);
        }
    }

    #[test]
    fn texts_of_one_size() {
        let known = Labels::new(vec![b"ab\0\0".to_vec(), b"cd\0\0".to_vec()], 1);
        let mut numbers = [0xee; 3];
        known.numbers_of_fixed(b"cd\0\0ab\0\0ef\0\0", 4, &mut numbers);
        assert_eq!(numbers, [2, 1, 0]);
        let mut texts = [0; 16];
        known.fixed_texts(&[1, 9, 2, 0], 4, &mut texts);
        assert_eq!(&texts, b"ab\0\0\0\0\0\0cd\0\0\0\0\0\0");
    }
}
