//! Elements of variable length, each after its length in four bytes, little-endian: the loops of
//! the `vlen` codecs.

/// The bytes of a length.
const LEN: usize = 4;

/// Splits as many elements as `ends` has. Writes their bytes to `bytes` and the end of each element
/// to `ends`. Returns the number of written bytes; `None` when `encoded` or `bytes` is too short.
#[inline(never)]
pub fn split(encoded: &[u8], ends: &mut [u32], bytes: &mut [u8]) -> Option<usize> {
    let (mut rest, mut at) = (encoded, 0_usize);
    for end in ends {
        let (len, after) = rest.split_first_chunk::<LEN>()?;
        let len = u32::from_le_bytes(*len) as usize;
        let (element, after) = after.split_at_checked(len)?;
        bytes.get_mut(at..)?.get_mut(..len)?.copy_from_slice(element);
        at += len;
        *end = u32::try_from(at).ok()?;
        rest = after;
    }
    Some(at)
}

/// Joins the elements: writes the length and the bytes of each. Element `i` is
/// `bytes[offsets[i]..offsets[i + 1]]`. Returns `None` when the offsets do not ascend within
/// `bytes`, and when `dst` is too short.
#[inline(never)]
pub fn join(offsets: &[u32], bytes: &[u8], dst: &mut [u8]) -> Option<()> {
    let mut rest = dst;
    for ends in offsets.windows(2) {
        let element = bytes.get(ends[0] as usize..ends[1] as usize)?;
        let (len, after) = rest.split_first_chunk_mut::<LEN>()?;
        *len = (ends[1] - ends[0]).to_le_bytes();
        let (target, after) = after.split_at_mut_checked(element.len())?;
        target.copy_from_slice(element);
        rest = after;
    }
    Some(())
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    #[test]
    fn elements_of_every_length() {
        for count in naive::COUNTS {
            let lengths: Vec<u32> = naive::bytes(count, 11).iter().map(|len| u32::from(len % 40)).collect();
            let mut offsets = vec![0];
            offsets.extend(lengths.iter().scan(0, |end, len| {
                *end += len;
                Some(*end)
            }));
            let bytes = naive::bytes(offsets[count] as usize, 12);
            let mut joined = vec![0xee; LEN * count + bytes.len()];
            join(&offsets, &bytes, &mut joined).unwrap();
            assert!(joined == naive::joined(&offsets, &bytes), "{count} elements");
            let (mut ends, mut split_bytes) = (vec![0; count], vec![0xee; bytes.len()]);
            assert_eq!(split(&joined, &mut ends, &mut split_bytes), Some(bytes.len()));
            assert!(ends == offsets[1..] && split_bytes == bytes, "{count} elements");
        }
    }

    #[test]
    fn offsets_outside_of_the_bytes_are_refused() {
        assert_eq!(join(&[0, 2, 1], &[7, 8], &mut [0; 20]), None);
        assert_eq!(join(&[0, 3], &[7, 8], &mut [0; 20]), None);
        assert_eq!(join(&[0, 2], &[7, 8], &mut [0; 5]), None);
    }

    #[test]
    fn truncated_elements_are_refused() {
        let encoded = [1, 0, 0, 0, 7, 2, 0, 0, 0, 8, 9];
        let (mut ends, mut bytes) = ([0; 2], [0; 3]);
        assert_eq!(split(&encoded, &mut ends, &mut bytes), Some(3));
        assert_eq!((ends, bytes), ([1, 3], [7, 8, 9]));
        for len in 0..encoded.len() {
            assert_eq!(split(&encoded[..len], &mut ends, &mut bytes), None, "{len}");
        }
        assert_eq!(split(&encoded, &mut ends, &mut bytes[..2]), None);
        assert_eq!(split(&[255, 255, 255, 255, 0], &mut ends, &mut bytes), None);
    }
}
