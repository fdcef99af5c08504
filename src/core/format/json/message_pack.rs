//! Reads MessagePack documents as JSON text: the elements of the codec `msgpack2`, and the metadata
//! of Icechunk's snapshots. <https://github.com/msgpack/msgpack/blob/master/spec.md>

use rmp::Marker;
use rmp::decode::{RmpRead, read_marker};

use super::decimal;
use super::text::string as string_text;
use crate::error::{Error, Result};
use crate::limits;

/// The JSON text of a MessagePack document.
///
/// # Errors
/// `Format` for a damaged document, `Unsupported` for values without a JSON form.
pub fn json_of(document: &[u8]) -> Result<String> {
    let (mut reader, mut text) = (MessagePackReader::new(document), Vec::new());
    reader.text(&mut text, limits::JSON_DEPTH)?;
    if !reader.is_at_end() {
        return Err(Error::format("there are bytes after the MessagePack document"));
    }
    String::from_utf8(text).map_err(|_| damaged())
}

/// The rest of a MessagePack document.
pub struct MessagePackReader<'a> {
    rest: &'a [u8],
}

fn damaged() -> Error {
    Error::format("the MessagePack document is corrupt or truncated")
}

impl<'a> MessagePackReader<'a> {
    /// A reader of the whole document.
    pub fn new(document: &'a [u8]) -> Self {
        Self { rest: document }
    }

    /// Whether all has been read.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn marker(&mut self) -> Result<Marker> {
        read_marker(&mut self.rest).map_err(|_| damaged())
    }

    /// Reads the length of a list.
    ///
    /// # Errors
    /// `Format` if there is no list.
    pub fn list_len(&mut self) -> Result<u64> {
        let marker = self.marker()?;
        self.list_len_of(marker)?.ok_or_else(|| Error::format("a MessagePack value is not a list"))
    }

    fn list_len_of(&mut self, marker: Marker) -> Result<Option<u64>> {
        Ok(Some(match marker {
            Marker::FixArray(len) => len.into(),
            Marker::Array16 => self.rest.read_data_u16().map_err(|_| damaged())?.into(),
            Marker::Array32 => self.rest.read_data_u32().map_err(|_| damaged())?.into(),
            _ => return Ok(None),
        }))
    }

    /// Appends the next value as JSON.
    ///
    /// # Errors
    /// As [`json_of`], and `Limit` for a document with more levels than `depth`.
    pub fn text(&mut self, text: &mut Vec<u8>, depth: usize) -> Result<()> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| Error::limit("the MessagePack document is nested too deep"))?;
        let marker = self.marker()?;
        if let Some(len) = self.list_len_of(marker)? {
            return self.list(len, text, depth);
        }
        if let Some(string) = self.string_of(marker)? {
            text.extend(string_text(string).into_bytes());
            return Ok(());
        }
        match marker {
            Marker::Null => text.extend_from_slice(b"null"),
            Marker::True => text.extend_from_slice(b"true"),
            Marker::False => text.extend_from_slice(b"false"),
            Marker::FixMap(len) => self.map(len.into(), text, depth)?,
            Marker::Map16 => {
                let len = self.rest.read_data_u16().map_err(|_| damaged())?;
                self.map(len.into(), text, depth)?;
            }
            Marker::Map32 => {
                let len = self.rest.read_data_u32().map_err(|_| damaged())?;
                self.map(len, text, depth)?;
            }
            number => text.extend_from_slice(self.number(number)?.as_bytes()),
        }
        Ok(())
    }

    fn number(&mut self, marker: Marker) -> Result<String> {
        let rest = &mut self.rest;
        let number = match marker {
            Marker::FixPos(value) => Ok(value.to_string()),
            Marker::FixNeg(value) => Ok(value.to_string()),
            Marker::U8 => rest.read_data_u8().map(|value| value.to_string()),
            Marker::U16 => rest.read_data_u16().map(|value| value.to_string()),
            Marker::U32 => rest.read_data_u32().map(|value| value.to_string()),
            Marker::U64 => rest.read_data_u64().map(|value| value.to_string()),
            Marker::I8 => rest.read_data_i8().map(|value| value.to_string()),
            Marker::I16 => rest.read_data_i16().map(|value| value.to_string()),
            Marker::I32 => rest.read_data_i32().map(|value| value.to_string()),
            Marker::I64 => rest.read_data_i64().map(|value| value.to_string()),
            Marker::F32 => rest.read_data_f32().map(|value| decimal::text(value.into())),
            Marker::F64 => rest.read_data_f64().map(decimal::text),
            Marker::Reserved => return Err(damaged()),
            _ => return Err(Error::unsupported("bytes and extensions of MessagePack have no JSON form")),
        };
        number.map_err(|_| damaged())
    }

    fn string_of(&mut self, marker: Marker) -> Result<Option<&'a str>> {
        let len = match marker {
            Marker::FixStr(len) => len.into(),
            Marker::Str8 => self.rest.read_data_u8().map_err(|_| damaged())?.into(),
            Marker::Str16 => self.rest.read_data_u16().map_err(|_| damaged())?.into(),
            Marker::Str32 => self.rest.read_data_u32().map_err(|_| damaged())?,
            _ => return Ok(None),
        };
        let len = limits::to_usize(len.into(), "string")?;
        let (string, rest) = self.rest.split_at_checked(len).ok_or_else(damaged)?;
        self.rest = rest;
        std::str::from_utf8(string).map(Some).map_err(|_| Error::format("a string is not valid UTF-8"))
    }

    fn list(&mut self, len: u64, text: &mut Vec<u8>, depth: usize) -> Result<()> {
        text.push(b'[');
        for idx in 0..len {
            if idx > 0 {
                text.push(b',');
            }
            self.text(text, depth)?;
        }
        text.push(b']');
        Ok(())
    }

    fn map(&mut self, len: u32, text: &mut Vec<u8>, depth: usize) -> Result<()> {
        text.push(b'{');
        for idx in 0..len {
            if idx > 0 {
                text.push(b',');
            }
            let marker = self.marker()?;
            let key = self.string_of(marker)?;
            let no_key = || Error::unsupported("a MessagePack map has a key that is not a string");
            text.extend(string_text(key.ok_or_else(no_key)?).into_bytes());
            text.push(b':');
            self.text(text, depth)?;
        }
        text.push(b'}');
        Ok(())
    }
}
