//! `json2`: objects as one JSON list that ends with their NumPy type and the shape:
//! `["a", 1.5, null, "|O", [3]]`. <https://numcodecs.readthedocs.io/en/stable/other/json.html>
//!
//! In memory an object is the text of its JSON value; `NaN` and `Infinity` are bare words, as in
//! Python. The options of Python's writer do not change decoding. The encoder follows
//! `ensure_ascii` and `allow_nan`, and writes the shortest form.

use super::vlen::wrong_count;
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec};
use crate::format::data_type::DataType;
use crate::format::json::{Document, Json};
use crate::limits;

struct Json2 {
    options: Json2Options,
    chunk: Objects,
}

/// The options of Python's writer that the encoder follows.
#[derive(Clone, Copy)]
struct Json2Options {
    /// Whether characters outside of ASCII are written as `\uXXXX`.
    ensures_ascii: bool,
    /// Whether `NaN` and `Infinity` may be written. They are not JSON.
    allows_nan: bool,
}

/// Binds the codec. Its configuration: `encoding` and the options of Python's writer and reader.
///
/// # Errors
/// `Format` for an encoding that is not a string or not compatible with UTF-8, and for elements
/// that are not objects.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let encoding = configuration.text("encoding")?.unwrap_or("utf-8".into());
    let name = encoding.to_ascii_lowercase().replace(['-', '_'], "");
    if !["utf8", "ascii", "usascii"].contains(&name.as_str()) {
        return Err(wrong_value("encoding", "utf-8", encoding));
    }
    let ignored = ["check_circular", "indent", "separators", "skipkeys", "sort_keys", "strict"];
    ignored.iter().for_each(|field| configuration.tolerate(field));
    let flag = |field| configuration.for_encoder(configuration.boolean(field)).unwrap_or(true);
    let options = Json2Options {
        ensures_ascii: flag("ensure_ascii") || name.ends_with("ascii"),
        allows_nan: flag("allow_nan"),
    };
    Ok(Codec::array_to_bytes(Json2 { options, chunk: Objects::bind(decoded)? }))
}

impl ArrayToBytes for Json2 {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let document = Document::parse(encoded)?;
        let mut items = document.root().array()?;
        let shape = items.pop().ok_or_else(no_shape)?.u64_list()?;
        items.pop().ok_or_else(no_shape)?.str()?;
        self.chunk.check_count(limits::product(shape.iter().copied(), "chunk")?)?;
        let mut elements = self.chunk.elements()?;
        // A chunk without dimensions has the first level too.
        push_items(&items, shape.get(1..).unwrap_or_default(), &mut elements)?;
        self.chunk.check_count(elements.len() as u64)?;
        Ok(ArrayBytes::Variable(elements))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        require_encoders()?;
        let elements = decoded.variable()?;
        self.chunk.check_count(elements.len() as u64)?;
        let mut texts = (0..elements.len()).map(|idx| elements.get(idx).unwrap_or_default());
        let mut encoded = b"[".to_vec();
        limits::reserve(
            &mut encoded,
            elements.bytes.len().saturating_add(elements.len().saturating_mul(2)),
            "encoded chunk",
        )?;
        let (first, inner) =
            self.chunk.shape.split_first().map_or((1, &[][..]), |(first, inner)| (*first, inner));
        for _ in 0..first {
            put_item(&mut texts, inner, self.options, &mut encoded)?;
            encoded.push(b',');
        }
        let shape: Vec<String> = self.chunk.shape.iter().map(u64::to_string).collect();
        encoded.extend_from_slice(format!("\"|O\",[{}]]", shape.join(",")).as_bytes());
        Ok(encoded)
    }
}

/// Appends the values of nested lists.
fn push_items(items: &[Json<'_>], inner: &[u64], elements: &mut VariableBytes) -> Result<()> {
    for item in items {
        match inner.split_first() {
            Some((_, inner)) => push_items(&item.array()?, inner, elements)?,
            None => elements.push(item.original_text().as_bytes())?,
        }
    }
    Ok(())
}

fn put_item<'a>(
    texts: &mut impl Iterator<Item = &'a [u8]>,
    inner: &[u64],
    options: Json2Options,
    encoded: &mut Vec<u8>,
) -> Result<()> {
    let Some((&len, inner)) = inner.split_first() else {
        return put_object(texts.next().unwrap_or_default(), options, encoded);
    };
    encoded.push(b'[');
    for idx in 0..len {
        if idx > 0 {
            encoded.push(b',');
        }
        put_item(texts, inner, options, encoded)?;
    }
    encoded.push(b']');
    Ok(())
}

fn put_object(text: &[u8], options: Json2Options, encoded: &mut Vec<u8>) -> Result<()> {
    let invalid = || Error::argument("an object is not valid JSON text");
    let document = Document::parse(text).map_err(|_| invalid())?;
    if document.has_non_finite() && !options.allows_nan {
        let error = Error::argument("an object has a number that the codec does not allow");
        return Err(error.in_field("allow_nan").expected("finite numbers").actual("NaN or an infinity"));
    }
    if !options.ensures_ascii || text.is_ascii() {
        encoded.extend_from_slice(text);
        return Ok(());
    }
    let mut units = [0; 2];
    for character in str::from_utf8(text).map_err(|_| invalid())?.chars() {
        if character.is_ascii() {
            encoded.push(character as u8);
            continue;
        }
        for unit in character.encode_utf16(&mut units) {
            encoded.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        }
    }
    Ok(())
}

fn no_shape() -> Error {
    Error::format("the JSON list does not end with the type and the shape of the chunk")
}

/// A chunk of objects.
pub(super) struct Objects {
    pub(super) shape: Vec<u64>,
    count: u64,
}

impl Objects {
    /// # Errors
    /// `Format` for elements that are not objects.
    pub(super) fn bind(decoded: &ChunkRepresentation) -> Result<Self> {
        if decoded.data_type != DataType::Json {
            let error = Error::format("this codec encodes objects only");
            return Err(error.actual(decoded.data_type.name().into_owned()));
        }
        Ok(Self { shape: decoded.shape.clone(), count: decoded.element_count()? })
    }

    /// The number of objects.
    #[cfg(feature = "full")]
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// # Errors
    /// `Format` for another number of elements than the chunk has.
    pub(super) fn check_count(&self, count: u64) -> Result<()> {
        if count == self.count { Ok(()) } else { Err(wrong_count(self.count, count)) }
    }

    /// An empty list with capacity for the elements of the chunk.
    ///
    /// # Errors
    /// `Limit` when memory is not sufficient.
    pub(super) fn elements(&self) -> Result<VariableBytes> {
        let mut elements = VariableBytes::new();
        limits::reserve(
            &mut elements.offsets,
            limits::within(self.count, limits::CHUNK_BYTES / 4, "elements")?,
            "elements",
        )?;
        Ok(elements)
    }
}
