//! `categorize`: stores strings as the numbers of their labels, from 1 on. A string without a label
//! is stored as 0, which decodes to the empty string.
//! <https://numcodecs.readthedocs.io/en/stable/filter/categorize.html>

use super::numpy::{self, number_type};
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len};
use crate::format::data_type::{DataType, FillValue, Integer};
use crate::kernel::categorize::Labels;
use crate::kernel::number::NumberType;
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
    if !number_type(&astype).is_ok_and(NumberType::is_integer) {
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
    let size = astype.size().unwrap_or(1);
    let labels = Labels::new(labels.iter().map(|label| text.bytes(label)).collect(), size);
    let fill_value = labels.number(&decoded.fill_value.0).to_le_bytes().into_iter().take(size).collect();
    let fill_value = FillValue(fill_value);
    let representation = ChunkRepresentation { shape: decoded.shape.clone(), data_type: astype, fill_value };
    let encoded_len = representation.byte_len()?.unwrap_or(0);
    Ok(Codec::array_to_array(Categorize { labels, text, encoded_len, representation }))
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
    labels: Labels,
    text: StringLayout,
    /// The bytes of the stored numbers.
    encoded_len: u64,
    representation: ChunkRepresentation,
}

impl ArrayToArray for Categorize {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let numbers = encoded.into_fixed()?;
        check_decoded_len(&numbers, self.encoded_len)?;
        let count = self.representation.element_count()?;
        if let StringLayout::Utf32(len) = self.text {
            let bytes = limits::product([count, 4, len as u64], "chunk")?;
            let mut texts = limits::zeroed(bytes, limits::CHUNK_BYTES, "chunk")?;
            self.labels.fixed_texts(&numbers, len.saturating_mul(4).max(1), &mut texts);
            return Ok(ArrayBytes::Fixed(texts));
        }
        // Every number may have a long label, so that the total is checked before memory is
        // allocated.
        let total = limits::within(self.labels.total_len(&numbers), limits::CHUNK_BYTES, "chunk")?;
        let mut elements = VariableBytes::new();
        limits::reserve(&mut elements.bytes, total, "chunk")?;
        limits::reserve(&mut elements.offsets, limits::to_usize(count, "chunk")?, "chunk")?;
        self.labels.texts(&numbers, &mut elements.offsets, &mut elements.bytes);
        Ok(ArrayBytes::Variable(elements))
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let mut numbers = limits::zeroed(self.encoded_len, limits::CHUNK_BYTES, "encoded chunk")?;
        let count = self.representation.element_count()?;
        match (&decoded, self.text) {
            (ArrayBytes::Variable(texts), StringLayout::Variable) if texts.len() as u64 == count => {
                self.labels.numbers(&texts.offsets, &texts.bytes, &mut numbers);
            }
            (ArrayBytes::Fixed(texts), StringLayout::Utf32(len)) => {
                check_decoded_len(texts, limits::product([count, 4, len as u64], "chunk")?)?;
                self.labels.numbers_of_fixed(texts, len.saturating_mul(4).max(1), &mut numbers);
            }
            _ => return Err(Error::argument("categorize got elements that are not strings")),
        }
        Ok(ArrayBytes::Fixed(numbers))
    }
}
