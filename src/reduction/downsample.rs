//! Downsamples a box of elements for `createPyramid`: each block becomes one element
//! ([`crate::kernel::downsample`]). `src/ts/convention/write/downsample.ts` writes the request. No
//! state is kept between requests.

use zarr_wasm_contract::DownsampleMethod;

use crate::error::{Error, Result};
use crate::format::words::Words;
use crate::kernel::downsample::{Blocks, mean, mode, nearest};
use crate::kernel::number::NumberType;
use crate::limits;
use crate::wire::count_of;

/// The maximum number of dimensions of a box.
const MAX_DIMENSIONS: u64 = 64;

/// The maximum number of elements in a block. The sum of 2^24 32-bit integers fits into 64 bits.
const MAX_BLOCK_ELEMENTS: u64 = 1 << 24;

/// The maximum number of missing values in a request.
const MAX_MISSING_VALUES: u64 = 16;

/// The error for a request that its writer did not write.
fn malformed() -> Error {
    Error::argument("the numbers of a box of elements do not fit")
}

/// Reads the request and returns the elements of the smaller box. The request has, in this order:
/// the method, by its index in [`DownsampleMethod::ALL`]; for `nearest` the size of an element,
/// else the index of its type in [`NumberType::ALL`]; the number of dimensions, the extents, the
/// factors; the number of missing values and their bits; the elements.
///
/// # Errors
/// `Argument` for numbers that do not fit each other; `Limit` for blocks that are too large.
pub fn downsampled(request: &[u8]) -> Result<Vec<u8>> {
    let mut request = Words::new(request, malformed);
    let (method, kind) = (size(&mut request)?, size(&mut request)?);
    let method = *DownsampleMethod::ALL.get(method).ok_or_else(malformed)?;
    let rank = limits::within(count(&mut request)?, MAX_DIMENSIONS, "number of dimensions")?;
    let shape = sizes(&mut request, rank)?;
    let factors = sizes(&mut request, rank)?;
    let missing = bits(&mut request)?;
    let from = NumberType::ALL.get(kind).copied();
    let size = if method == DownsampleMethod::Nearest { kind } else { from.ok_or_else(malformed)?.size() };
    let in_a_block = limits::product(
        factors.iter().zip(&shape).map(|(factor, extent)| factor.min(extent)).map(|n| *n as u64),
        "block",
    )?;
    limits::within(in_a_block, MAX_BLOCK_ELEMENTS, "number of elements of a block")?;
    let src = request.rest();
    let elements = limits::product(shape.iter().map(|extent| *extent as u64), "box")?;
    if factors.contains(&0) || size == 0 || elements.checked_mul(size as u64) != Some(src.len() as u64) {
        return Err(malformed());
    }
    let blocks = Blocks { shape: &shape, factors: &factors, missing: &missing };
    let mut found = vec![0; blocks.downsampled().fold(size, usize::saturating_mul)];
    match (method, from) {
        (DownsampleMethod::Nearest, _) => nearest(src, size, &blocks, &mut found),
        (DownsampleMethod::Mean, Some(from)) => mean(src, from, &blocks, &mut found),
        (DownsampleMethod::Mode, Some(from)) => mode(src, from, &blocks, &mut found),
        (_, None) => return Err(malformed()),
    }
    Ok(found)
}

fn count(request: &mut Words<'_, u8>) -> Result<u64> {
    count_of(f64::from_le_bytes(*request.fixed()?))
}

fn size(request: &mut Words<'_, u8>) -> Result<usize> {
    limits::to_usize(count(request)?, "number of elements")
}

fn sizes(request: &mut Words<'_, u8>, count: usize) -> Result<Vec<usize>> {
    (0..count).map(|_| size(request)).collect()
}

fn bits(request: &mut Words<'_, u8>) -> Result<Vec<u64>> {
    let count = limits::within(count(request)?, MAX_MISSING_VALUES, "number of missing values")?;
    (0..count).map(|_| Ok(u64::from_le_bytes(*request.fixed()?))).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::downsampled as answer;

    fn bytes(numbers: &[f64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Means of bytes: two rows of three columns.
    const QUESTION: [f64; 8] = [1.0, 5.0, 2.0, 2.0, 3.0, 2.0, 2.0, 0.0];

    #[test]
    fn means_of_blocks() {
        let question = [bytes(&QUESTION), vec![1, 2, 9, 3, 4, 11]].concat();
        assert_eq!(answer(&question).unwrap(), [2, 10]);
        (0..question.len()).for_each(|end| assert!(answer(&question[..end]).is_err()));
    }

    #[test]
    fn missing_numbers_are_given_by_their_bits() {
        let mut question = bytes(&QUESTION[..7]);
        question.extend(bytes(&[1.0]));
        question.extend(9_u64.to_le_bytes());
        question.extend([1, 2, 9, 3, 4, 11]);
        assert_eq!(answer(&question).unwrap(), [2, 11]);
    }

    #[test]
    fn numbers_that_are_no_question() {
        let elements = [1, 2, 9, 3, 4, 11];
        for (at, wrong) in [(0, 3.0), (1, 12.0), (2, 65.0), (5, 0.0), (4, 4.0), (7, 17.0), (5, 0.5)] {
            let mut question = QUESTION;
            question[at] = wrong;
            assert!(answer(&[bytes(&question), elements.to_vec()].concat()).is_err(), "{at}: {wrong}");
        }
    }
}
