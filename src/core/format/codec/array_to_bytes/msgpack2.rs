//! `msgpack2`: objects as one MessagePack list that ends with their NumPy type and the shape, like
//! `json2`. <https://numcodecs.readthedocs.io/en/stable/other/msgpacks.html>,
//! <https://github.com/msgpack/msgpack/blob/master/spec.md>
//!
//! In memory an object is the text of its JSON value, which is made while reading. Values without a
//! JSON form are refused: bytes, extensions, and maps with keys other than strings.

use rmp::encode::{
    write_array_len, write_bool, write_f32, write_f64, write_map_len, write_nil, write_sint, write_str,
    write_uint,
};

use super::json2::Objects;
use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec};
use crate::format::json::decimal::{self, Binary};
use crate::format::json::message_pack::MessagePackReader;
use crate::format::json::{Document, Json};
use crate::limits;

struct Msgpack2 {
    chunk: Objects,
    single_floats: bool,
}

/// Binds the codec. Of its configuration only `use_single_float` matters, because bytes are not
/// supported, and only encoding needs it.
///
/// # Errors
/// `Format` for elements that are not objects, `Unsupported` for an array without dimensions.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let [_, _, single_floats] = ["raw", "use_bin_type", "use_single_float"]
        .map(|field| configuration.for_encoder(configuration.boolean(field)));
    let single_floats = single_floats.unwrap_or(false);
    let chunk = Objects::bind(decoded)?;
    if chunk.shape.is_empty() {
        return Err(Error::unsupported(
            "msgpack2 cannot encode an array without dimensions: numcodecs has no form for it",
        ));
    }
    Ok(Codec::array_to_bytes(Msgpack2 { chunk, single_floats }))
}

impl ArrayToBytes for Msgpack2 {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let mut reader = MessagePackReader::new(encoded);
        let len = reader.list_len()?;
        let items = len
            .checked_sub(2)
            .ok_or_else(|| Error::format("the MessagePack list lacks its type and shape"))?;
        let mut elements = self.chunk.elements()?;
        let inner = self.chunk.shape.len().saturating_sub(1);
        for _ in 0..items {
            push_item(&mut reader, inner, &mut elements)?;
            if elements.len() as u64 > self.chunk.count() {
                self.chunk.check_count(elements.len() as u64)?;
            }
        }
        reader.text(&mut Vec::new(), limits::JSON_DEPTH)?;
        let mut shape = Vec::new();
        reader.text(&mut shape, limits::JSON_DEPTH)?;
        let shape = Document::parse(&shape)?.root().u64_list()?;
        if shape.len() != self.chunk.shape.len() {
            let error = Error::format("the MessagePack list has another rank than the chunk");
            return Err(error.expected(self.chunk.shape.len().to_string()).actual(shape.len().to_string()));
        }
        self.chunk.check_count(limits::product(shape, "chunk")?)?;
        self.chunk.check_count(elements.len() as u64)?;
        if reader.is_at_end() {
            Ok(ArrayBytes::Variable(elements))
        } else {
            Err(Error::format("there are bytes after the MessagePack list"))
        }
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        require_encoders()?;
        let elements = decoded.variable()?;
        self.chunk.check_count(elements.len() as u64)?;
        let mut writer = MessagePackWriter { encoded: Vec::new(), single_floats: self.single_floats };
        let mut texts = (0..elements.len()).map(|idx| elements.get(idx).unwrap_or_default());
        let (&first, inner) = self
            .chunk
            .shape
            .split_first()
            .ok_or_else(|| Error::argument("msgpack2 needs at least one dimension"))?;
        writer.list_len(first.saturating_add(2))?;
        for _ in 0..first {
            writer.item(&mut texts, inner)?;
        }
        writer.string("|O")?;
        writer.list_len(self.chunk.shape.len() as u64)?;
        self.chunk.shape.iter().try_for_each(|&len| writer.wrote(|out| write_uint(out, len).map(|_| ())))?;
        Ok(writer.encoded)
    }
}

/// Appends the values of `inner` levels of lists.
fn push_item(reader: &mut MessagePackReader<'_>, inner: usize, elements: &mut VariableBytes) -> Result<()> {
    let Some(inner) = inner.checked_sub(1) else {
        let mut text = Vec::new();
        reader.text(&mut text, limits::JSON_DEPTH)?;
        return elements.push(&text);
    };
    for _ in 0..reader.list_len()? {
        push_item(reader, inner, elements)?;
    }
    Ok(())
}

/// A MessagePack document in the making.
struct MessagePackWriter {
    encoded: Vec<u8>,
    single_floats: bool,
}

impl MessagePackWriter {
    fn wrote<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> std::result::Result<(), E>) -> Result<()> {
        write(&mut self.encoded)
            .map_err(|_| Error::limit("memory is not sufficient for the MessagePack document"))
    }

    fn list_len(&mut self, len: u64) -> Result<()> {
        let len = u32::try_from(len)
            .map_err(|_| Error::argument("MessagePack lists have at most 2^32 - 1 values"))?;
        self.wrote(|out| write_array_len(out, len).map(|_| ()))
    }

    fn string(&mut self, string: &str) -> Result<()> {
        self.wrote(|out| write_str(out, string))
    }

    fn item<'a>(&mut self, texts: &mut impl Iterator<Item = &'a [u8]>, inner: &[u64]) -> Result<()> {
        let Some((&len, inner)) = inner.split_first() else {
            let text = texts.next().unwrap_or_default();
            let document =
                Document::parse(text).map_err(|_| Error::argument("an object is not valid JSON text"))?;
            return self.value(document.root());
        };
        self.list_len(len)?;
        (0..len).try_for_each(|_| self.item(texts, inner))
    }

    fn value(&mut self, json: Json<'_>) -> Result<()> {
        if let Some(value) = json.non_finite_token() {
            return self.float(value);
        }
        match json.kind_name() {
            "null" => self.wrote(write_nil),
            "a boolean" => {
                let value = json.bool()?;
                self.wrote(|out| write_bool(out, value))
            }
            "a string" => self.string(&json.str()?),
            "an array" => {
                let items = json.array()?;
                self.list_len(items.len() as u64)?;
                items.into_iter().try_for_each(|item| self.value(item))
            }
            "an object" => {
                let members = json.members()?;
                let len = u32::try_from(members.len())
                    .map_err(|_| Error::argument("MessagePack maps have at most 2^32 - 1 members"))?;
                self.wrote(|out| write_map_len(out, len).map(|_| ()))?;
                members.into_iter().try_for_each(|(key, value)| {
                    self.string(&key)?;
                    self.value(value)
                })
            }
            _ => self.number(json.number_text()?),
        }
    }

    fn number(&mut self, text: &str) -> Result<()> {
        if let Ok(value) = text.parse::<u64>() {
            return self.wrote(|out| write_uint(out, value).map(|_| ()));
        }
        if let Ok(value) = text.parse::<i64>() {
            return self.wrote(|out| write_sint(out, value).map(|_| ()));
        }
        let value = decimal::parse(text, Binary::DOUBLE);
        self.float(value.ok_or_else(|| Error::argument("a number of an object is not valid"))?)
    }

    #[allow(clippy::cast_possible_truncation)] // single precision is meant
    fn float(&mut self, value: f64) -> Result<()> {
        if self.single_floats {
            return self.wrote(|out| write_f32(out, value as f32));
        }
        self.wrote(|out| write_f64(out, value))
    }
}
