//! `categorize`: stores strings as the numbers of their labels, from 1 on. A string without a label
//! is stored as 0, which decodes to the empty string.
//! <https://numcodecs.readthedocs.io/en/stable/filter/categorize.html>

use super::numpy::{self, is_integer, number_type};
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::registry::require_encoders;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len};
use crate::format::data_type::{DataType, FillValue, Integer};
use crate::limits;

/// Binds the codec. Its configuration: `labels` and `astype`. `dtype` is ignored: the array's data
/// type counts.
///
/// # Errors
/// `Format` when `labels` is missing or not a list of strings, when `astype` is not an integer
/// type, and for elements that are not strings.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    configuration.tolerate("dtype");
    let labels = configuration.read("labels", |json| json.list(|label| Ok(label.str()?.into_owned())))?;
    let astype = numpy::dtype(configuration, "astype")?.unwrap_or(DataType::Integer(Integer::Uint8));
    if !number_type(&astype).is_ok_and(is_integer) {
        return Err(wrong_value("astype", "an integer type", astype.name()));
    }
    let labels: Vec<String> = configuration.required("labels", labels)?;
    let text = match decoded.data_type {
        DataType::String => StringLayout::Variable,
        DataType::Utf32(len) => StringLayout::Utf32(len),
        _ => {
            let error = Error::format("categorize encodes strings only");
            return Err(error.actual(decoded.data_type.name().into_owned()));
        }
    };
    let mut codec = Categorize {
        labels: labels.iter().map(|label| text.bytes(label)).collect(),
        text,
        size: astype.size().unwrap_or(1),
        count: decoded.element_count()?,
        representation: ChunkRepresentation { data_type: astype, ..decoded.clone() },
    };
    codec.representation.fill_value = FillValue(codec.number(&decoded.fill_value.0));
    Ok(Codec::array_to_array(codec))
}

/// How strings are in memory.
#[derive(Clone, Copy)]
enum StringLayout {
    /// UTF-8, of variable length.
    Variable,
    /// This number of code points of four bytes, padded with zeros.
    Utf32(usize),
}

impl StringLayout {
    fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Self::Variable => text.as_bytes().to_vec(),
            Self::Utf32(len) => {
                let mut bytes: Vec<u8> =
                    text.chars().take(len).flat_map(|char| u32::from(char).to_le_bytes()).collect();
                bytes.resize(len.saturating_mul(4), 0);
                bytes
            }
        }
    }
}

struct Categorize {
    /// The labels, in the form that strings have in memory.
    labels: Vec<Vec<u8>>,
    text: StringLayout,
    /// The bytes of a stored number.
    size: usize,
    count: u64,
    representation: ChunkRepresentation,
}

impl Categorize {
    fn check_len(&self, numbers: &[u8]) -> Result<()> {
        check_decoded_len(numbers, limits::product([self.count, self.size as u64], "chunk")?)
    }

    /// The stored number of a string. The last of equal labels counts, as in numcodecs.
    fn number(&self, text: &[u8]) -> Vec<u8> {
        let found = self.labels.iter().rposition(|label| label == text);
        let number = found.map_or(0, |idx| (idx as u64).saturating_add(1));
        number.to_le_bytes().into_iter().take(self.size).collect()
    }

    /// The string of a stored number.
    fn label(&self, number: &[u8]) -> &[u8] {
        let mut wide = [0; 8];
        wide.iter_mut().zip(number).for_each(|(wide, byte)| *wide = *byte);
        let idx = u64::from_le_bytes(wide).checked_sub(1).and_then(|idx| usize::try_from(idx).ok());
        idx.and_then(|idx| self.labels.get(idx)).map_or(&[], Vec::as_slice)
    }
}

impl ArrayToArray for Categorize {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let numbers = encoded.into_fixed()?;
        self.check_len(&numbers)?;
        let texts = || numbers.chunks_exact(self.size).map(|number| self.label(number));
        if let StringLayout::Utf32(len) = self.text {
            let bytes = limits::product([self.count, 4, len as u64], "chunk")?;
            let mut decoded = limits::zeroed(bytes, limits::CHUNK_BYTES, "chunk")?;
            for (element, text) in decoded.chunks_exact_mut(len.saturating_mul(4).max(1)).zip(texts()) {
                element.iter_mut().zip(text).for_each(|(byte, label)| *byte = *label);
            }
            return Ok(ArrayBytes::Fixed(decoded));
        }
        // Every number may have a long label, so that the total is checked before memory is
        // allocated.
        let total = texts().map(|text| text.len() as u64).fold(0, u64::saturating_add);
        let mut elements = VariableBytes::new();
        limits::reserve(&mut elements.bytes, limits::within(total, limits::CHUNK_BYTES, "chunk")?, "chunk")?;
        limits::reserve(&mut elements.offsets, texts().len(), "chunk")?;
        texts().try_for_each(|text| elements.push(text))?;
        Ok(ArrayBytes::Variable(elements))
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let numbers: Vec<u8> = match (&decoded, self.text) {
            (ArrayBytes::Variable(elements), StringLayout::Variable)
                if elements.len() as u64 == self.count =>
            {
                (0..elements.len())
                    .flat_map(|idx| self.number(elements.get(idx).unwrap_or_default()))
                    .collect()
            }
            (ArrayBytes::Fixed(elements), StringLayout::Utf32(len)) => elements
                .chunks_exact(len.saturating_mul(4).max(1))
                .flat_map(|element| self.number(element))
                .collect(),
            _ => return Err(Error::argument("categorize got elements that are not strings")),
        };
        self.check_len(&numbers)?;
        Ok(ArrayBytes::Fixed(numbers))
    }
}
