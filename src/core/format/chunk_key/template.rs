//! The chunk key encoding `template`: keys are made by a format string, for collections of files
//! that are older than the array. <https://github.com/zarr-developers/zarr-extensions/pull/69>
//!
//! `{0}` and `{-1}` stand for one index, `{*}` for all indices that no other expression names.
//! `{0:04}` pads with zeros. Doubled braces are braces.

use super::{check_key, key_text, push_number};
use crate::error::Result;
use crate::format::json::text::{ObjectText, string};
use crate::format::json::{Json, Object};
use crate::sorted;

/// A format string, resolved for the number of dimensions of its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    format: String,
    separator: Option<String>,
    parts: Vec<KeyPart>,
}

/// A part of a key. `{*}` is resolved to its indices and the separators between them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyPart {
    Text(String),
    Index { dimension: usize, width: usize },
}

/// An expression in braces.
enum Term {
    Index(i64),
    Rest,
}

impl Template {
    /// Parses the configuration and resolves it for an array of this many dimensions. The
    /// proposal's table calls the format string `template`; its schema and examples call it
    /// `format`.
    ///
    /// # Errors
    /// `Format` for a string that breaks the grammar or makes invalid keys, and for one that does
    /// not name every index once.
    pub(super) fn parse(members: Object<'_>, rank: usize) -> Result<Self> {
        let separator = members.read("separator", key_text)?;
        let read = |json: Json<'_>| {
            let format = key_text(json)?;
            let parts = resolve(&format, separator.as_deref(), rank)
                .map_err(|expected| json.unexpected(&expected))?;
            Ok((format, parts))
        };
        let (format, parts) = match members.read("template", read)? {
            Some(read) => read,
            None => members.require("format", read)?,
        };
        let template = Self { format, separator, parts };
        check_key(&template.encode(&vec![0; rank]))?;
        Ok(template)
    }

    /// The configuration as metadata has it.
    pub(super) fn configuration(&self) -> ObjectText {
        let text = ObjectText::new().with("format", string(&self.format));
        match &self.separator {
            Some(separator) => text.with("separator", string(separator)),
            None => text,
        }
    }

    pub(super) fn encode(&self, chunk: &[u64]) -> String {
        let mut key = String::new();
        for part in &self.parts {
            match part {
                KeyPart::Text(text) => key.push_str(text),
                KeyPart::Index { dimension, width } => {
                    let mut digits = String::new();
                    push_number(&mut digits, chunk.get(*dimension).copied().unwrap_or(0));
                    key.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
                    key.push_str(&digits);
                }
            }
        }
        key
    }

    /// The indices that a key names. The caller checks that their key is this one.
    ///
    /// Where nothing separates two indices, several chunks may have the same key. Such a key names
    /// none.
    pub(super) fn decode(&self, key: &str) -> Option<Vec<u64>> {
        let mut rest = key;
        let mut found: Vec<(usize, u64)> = Vec::new();
        let mut parts = self.parts.iter();
        while let Some(part) = parts.next() {
            match part {
                KeyPart::Text(text) => rest = rest.strip_prefix(&**text)?,
                KeyPart::Index { dimension, .. } => {
                    let len = rest.bytes().take_while(u8::is_ascii_digit).count();
                    // Literal text may begin with a digit: it ends the index as well.
                    let end = match parts.as_slice().first() {
                        Some(KeyPart::Text(text)) => rest.find(&**text)?.min(len),
                        Some(KeyPart::Index { .. }) => return None,
                        None => len,
                    };
                    found.push((*dimension, rest.get(..end)?.parse().ok()?));
                    rest = rest.get(end..)?;
                }
            }
        }
        sorted::sort(&mut found);
        rest.is_empty().then(|| found.into_iter().map(|(_, idx)| idx).collect())
    }
}

/// The parts of the keys of an array of this many dimensions. The error says what was expected.
fn resolve(format: &str, separator: Option<&str>, rank: usize) -> std::result::Result<Vec<KeyPart>, String> {
    let parsed = parse_format(format)?;
    let mut named = vec![false; rank];
    for part in &parsed {
        if let Parsed::Term(Term::Index(idx), _) = part {
            let dimension = dimension(*idx, rank)?;
            match named.get_mut(dimension) {
                Some(named) if !*named => *named = true,
                _ => return Err("every index once".to_owned()),
            }
        }
    }
    let rest: Vec<usize> =
        named.iter().enumerate().filter(|(_, named)| !**named).map(|(dimension, _)| dimension).collect();
    match (parsed.iter().filter(|part| matches!(part, Parsed::Term(Term::Rest, _))).count(), rest.is_empty())
    {
        (0, true) if rank > 0 => {}
        (1, false) if separator.is_some() => {}
        (1, false) => return Err("a separator beside {*}".to_owned()),
        _ => return Err(format!("expressions for all {rank} indices, at most one of them {{*}}")),
    }
    let mut parts = Vec::new();
    for part in parsed {
        match part {
            Parsed::Text(text) => parts.push(KeyPart::Text(text)),
            Parsed::Term(Term::Index(idx), width) => {
                parts.push(KeyPart::Index { dimension: dimension(idx, rank)?, width });
            }
            Parsed::Term(Term::Rest, width) => {
                for (at, dimension) in rest.iter().enumerate() {
                    let between = separator.filter(|separator| at > 0 && !separator.is_empty());
                    parts.extend(between.map(|separator| KeyPart::Text(separator.to_owned())));
                    parts.push(KeyPart::Index { dimension: *dimension, width });
                }
            }
        }
    }
    Ok(parts)
}

fn dimension(idx: i64, rank: usize) -> std::result::Result<usize, String> {
    let from_end = if idx < 0 { rank as u64 } else { 0 };
    let dimension = from_end.checked_add_signed(idx).filter(|dimension| *dimension < rank as u64);
    dimension
        .and_then(|dimension| usize::try_from(dimension).ok())
        .ok_or_else(|| format!("indices of {rank} dimensions"))
}

enum Parsed {
    Text(String),
    Term(Term, usize),
}

fn parse_format(format: &str) -> std::result::Result<Vec<Parsed>, String> {
    let mut parts = Vec::new();
    let (mut text, mut rest) = (String::new(), format);
    while let Some((before, from)) = rest.find(['{', '}']).and_then(|at| rest.split_at_checked(at)) {
        text.push_str(before);
        if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
            text.extend(from.chars().next());
            rest = after;
            continue;
        }
        let (expression, after) =
            from.strip_prefix('{').and_then(|from| from.split_once('}')).ok_or("braces in pairs")?;
        if !text.is_empty() {
            parts.push(Parsed::Text(std::mem::take(&mut text)));
        }
        let (term, width) =
            parse_expression(expression).ok_or("{index}, {*}, or one of them with :0width")?;
        parts.push(Parsed::Term(term, width));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(Parsed::Text(text));
    }
    Ok(parts)
}

/// The largest width. It is larger than any index, and than the padding of any file name.
const MAX_WIDTH: usize = 64;

fn parse_expression(expression: &str) -> Option<(Term, usize)> {
    let (index, width) = match expression.split_once(':') {
        Some((index, width)) => (index, width.strip_prefix('0')?.parse().ok()?),
        None => (expression, 0),
    };
    if width > MAX_WIDTH {
        return None;
    }
    match index {
        "*" => Some((Term::Rest, width)),
        // `parse` accepts signs that the grammar does not have.
        _ if index.starts_with('+') || index == "-0" => None,
        _ => Some((Term::Index(index.parse().ok()?), width)),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::chunk_key::ChunkKeyEncoding;
    use crate::format::json;
    use crate::format::metadata::extension::Extension;

    fn parse(configuration: &str, rank: usize) -> Result<ChunkKeyEncoding> {
        let text = format!(r#"{{"name":"template","configuration":{configuration}}}"#);
        json::read(&text, |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, rank))
    }

    fn template(format: &str, separator: &str, rank: usize) -> Result<ChunkKeyEncoding> {
        parse(&format!(r#"{{"format":"{format}","separator":"{separator}"}}"#), rank)
    }

    #[test]
    fn examples_of_the_proposal() {
        for (format, separator, chunk, key) in [
            ("c/{*}", "/", [11, 22, 33], "c/11/22/33"),
            ("{*}", ".", [11, 22, 33], "11.22.33"),
            ("prefix/{*}", "/", [11, 22, 33], "prefix/11/22/33"),
            ("{*}.suffix", "_", [11, 22, 33], "11_22_33.suffix"),
            ("{2}/{0}/{1}", ".", [11, 22, 33], "33/11/22"),
            ("{-1}/{*}", "/", [11, 22, 33], "33/11/22"),
            ("{*:04}", "/", [11, 22, 33], "0011/0022/0033"),
            ("{*:02}", "/", [111, 2, 33], "111/02/33"),
            ("images/{-1}/{*:04}.jpeg", "_", [11, 22, 33], "images/33/0011_0022.jpeg"),
            ("{{{2}}}-{0}_{1}", "", [11, 22, 33], "{33}-11_22"),
        ] {
            let encoding = template(format, separator, 3).unwrap();
            assert_eq!(encoding.encode(&chunk), key);
            assert_eq!(encoding.decode(key, 3), Some(chunk.to_vec()), "{key}");
            for other in ["", "zarr.json", &key.replace("33", "033"), &format!("{key}/1"), &format!("x{key}")]
            {
                assert_eq!(encoding.decode(other, 3), None, "{other}");
            }
            let written = encoding.to_text();
            let read = json::read(&written, |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, 3));
            assert_eq!(read.unwrap(), encoding, "{written}");
        }
        assert_eq!(parse(r#"{"template":"{0}.tif"}"#, 1).unwrap().encode(&[7]), "7.tif");
    }

    #[test]
    fn templates_that_do_not_name_every_index_once_are_refused() {
        for (format, rank) in [
            ("c", 2),
            ("{0}", 2),
            ("{0}/{0}", 2),
            ("{0}/{-2}", 2),
            ("{0}/{2}", 2),
            ("{0}/{-3}", 2),
            ("{0}/{1}/{*}", 2),
            ("{*}/{*}", 2),
            ("{*}", 0),
            ("{", 2),
            ("{0}/{1", 2),
            ("{0}}/{1}", 2),
            ("{+0}/{1}", 2),
            ("{0:4}/{1}", 2),
            ("{0:0999999999}/{1}", 2),
            ("{a}/{1}", 2),
            ("{}/{1}", 2),
            ("/{0}/{1}", 2),
            ("{0}//{1}", 2),
            ("{0}/../{1}", 2),
            ("{0}/{1}/zarr.json", 2),
            ("{0}/{1}/", 2),
        ] {
            let error = template(format, "/", rank).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{format}");
        }
        assert_eq!(parse(r#"{"format":"{*}"}"#, 2).unwrap_err().kind(), ErrorKind::Format);
        assert_eq!(parse("{}", 2).unwrap_err().kind(), ErrorKind::Format);
    }
}
