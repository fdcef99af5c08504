//! The conversion that a host asks for by a record of the contract.

use zarr_wasm_contract::ConversionRequest;

use crate::error::{Error, Result};
use crate::format::conversion::{Bins, Colour, Conversion, Shading};
use crate::format::data_type::DataType;

/// The conversion that a caller asks for, of elements of this type.
///
/// # Errors
/// `Argument` for numbers and names that no conversion has, and for elements that are no numbers.
pub fn requested(wanted: &ConversionRequest, data_type: &DataType) -> Result<Conversion> {
    let conversion = match &wanted.unpacking {
        // Words of `format::conversion`, from the conventions' module.
        Some(words) => Conversion::from_words(words, data_type)?,
        None => Conversion::of(data_type)?,
    };
    let conversion = match &wanted.shading {
        Some(numbers) => conversion.shaded(shading(numbers)?)?,
        None => conversion,
    };
    if let Some((low, high, count)) = wanted.summary {
        // A count.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        return conversion.summarised(Bins { low, high, count: count as usize });
    }
    if let Some(words) = &wanted.labels {
        return conversion.labelled(label_colours(words)?);
    }
    let conversion = match &wanted.to {
        Some(name) => conversion.to(name)?,
        None => conversion,
    };
    Ok(if wanted.mask == Some(true) { conversion.masked() } else { conversion })
}

/// Of each label with a colour of its own: its lower and upper half, and the bytes of the colour.
fn label_colours(words: &[u32]) -> Result<Vec<(u64, Colour)>> {
    let (entries, rest) = words.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(Error::argument("the colours of labels are incomplete"));
    }
    let mut labels = Vec::with_capacity(entries.len());
    for [low, high, colour] in entries {
        labels.push((u64::from(*low) | u64::from(*high) << 32, colour.to_le_bytes()));
    }
    Ok(labels)
}

/// From which number to which, gamma, bytes of a colour, and the table.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bytes
fn shading(numbers: &[f64]) -> Result<Shading> {
    let (head, table) =
        numbers.split_first_chunk::<4>().ok_or_else(|| Error::argument("a shading is incomplete"))?;
    let [low, high, gamma, width] = *head;
    let table = table.iter().map(|byte| *byte as u8).collect();
    Ok(Shading { low, high, gamma, width: width as usize, table })
}
