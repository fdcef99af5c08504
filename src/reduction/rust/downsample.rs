//! Downsamples a box of elements for `createPyramid`: each block becomes one element
//! ([`crate::kernel::downsample`]). `src/reduction/ts/pyramid/downsample.ts` writes the request. No
//! state is kept between requests.

use crate::contract::{DownsampleMethod, DownsampleRequest, Natural};
use crate::error::{Error, Result};
use crate::kernel::downsample::{Blocks, mean, mode, nearest};
use crate::kernel::number::NumberType;
use crate::limits;
use crate::records::{number_type, size as size_of};

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

/// The elements of the smaller box.
///
/// # Errors
/// `Argument` for numbers that do not fit each other; `Limit` for blocks that are too large.
pub fn downsampled(request: &DownsampleRequest, elements: &[u8]) -> Result<Vec<u8>> {
    let DownsampleRequest { method, number, size, .. } = request;
    let (shape, factors) = (sizes(&request.shape)?, sizes(&request.factors)?);
    let missing = bits(&request.missing.0)?;
    let from = number.as_deref().map(number_type).transpose()?;
    let size = from.map_or(*size as usize, NumberType::size);
    let in_a_block = limits::product(
        factors.iter().zip(&shape).map(|(factor, extent)| factor.min(extent)).map(|n| *n as u64),
        "block",
    )?;
    limits::within(in_a_block, MAX_BLOCK_ELEMENTS, "number of elements of a block")?;
    let count = limits::product(shape.iter().map(|extent| *extent as u64), "box")?;
    let fits = count.checked_mul(size as u64) == Some(elements.len() as u64);
    if factors.len() != shape.len() || factors.contains(&0) || size == 0 || !fits {
        return Err(malformed());
    }
    let blocks = Blocks { shape: &shape, factors: &factors, missing: &missing };
    let mut found = vec![0; blocks.downsampled().fold(size, usize::saturating_mul)];
    match (method, from) {
        (DownsampleMethod::Nearest, _) => nearest(elements, size, &blocks, &mut found),
        (DownsampleMethod::Mean, Some(from)) => mean(elements, from, &blocks, &mut found),
        (DownsampleMethod::Mode, Some(from)) => mode(elements, from, &blocks, &mut found),
        (_, None) => return Err(malformed()),
    }
    Ok(found)
}

fn sizes(list: &[Natural]) -> Result<Vec<usize>> {
    limits::within(list.len() as u64, MAX_DIMENSIONS, "number of dimensions")?;
    list.iter().map(|count| size_of(*count)).collect()
}

/// The missing values, eight bytes each.
fn bits(missing: &[u8]) -> Result<Vec<u64>> {
    let (numbers, rest) = missing.as_chunks::<8>();
    limits::within(numbers.len() as u64, MAX_MISSING_VALUES, "number of missing values")?;
    if !rest.is_empty() {
        return Err(malformed());
    }
    Ok(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::contract::Bytes;

    const ELEMENTS: [u8; 6] = [1, 2, 9, 3, 4, 11];

    /// Means of bytes: two rows of three columns.
    fn question() -> DownsampleRequest {
        DownsampleRequest {
            method: DownsampleMethod::Mean,
            number: Some("uint8".to_owned()),
            size: 1,
            shape: vec![Natural(2), Natural(3)],
            factors: vec![Natural(2), Natural(2)],
            missing: Bytes::default(),
        }
    }

    #[test]
    fn means_of_blocks() {
        assert_eq!(downsampled(&question(), &ELEMENTS).unwrap(), [2, 10]);
        (0..ELEMENTS.len()).for_each(|end| assert!(downsampled(&question(), &ELEMENTS[..end]).is_err()));
    }

    #[test]
    fn missing_numbers_are_given_by_their_bits() {
        let missing = Bytes(9_u64.to_le_bytes().to_vec());
        let question = DownsampleRequest { missing, ..question() };
        assert_eq!(downsampled(&question, &ELEMENTS).unwrap(), [2, 11]);
    }

    #[test]
    fn numbers_that_are_no_question() {
        let naturals = |list: &[u64]| list.iter().map(|number| Natural(*number)).collect::<Vec<_>>();
        for wrong in [
            DownsampleRequest { number: Some("int3".to_owned()), ..question() },
            DownsampleRequest { number: None, ..question() },
            DownsampleRequest { shape: naturals(&[1; 65]), factors: naturals(&[1; 65]), ..question() },
            DownsampleRequest { shape: naturals(&[2, 4]), ..question() },
            DownsampleRequest { factors: naturals(&[2, 0]), ..question() },
            DownsampleRequest { factors: naturals(&[2]), ..question() },
            DownsampleRequest { missing: Bytes(vec![0; 8 * 17]), ..question() },
            DownsampleRequest { missing: Bytes(vec![0; 9]), ..question() },
        ] {
            assert!(downsampled(&wrong, &ELEMENTS).is_err(), "{wrong:?}");
        }
    }
}
