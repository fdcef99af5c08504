//! The configuration of a repository of version 1, `config.yaml`: its containers of virtual chunks.
//!
//! It reads what icechunk writes: maps by indentation, tags, and scalars on one line. It skips
//! other members. It is not a general YAML reader.

use zarr_wasm::error::{Error, Result};
use zarr_wasm::format::json::Document;
use zarr_wasm::limits;

use crate::budget::CONTAINERS;
use crate::flatbuffer::damaged;

const MEMBER: &str = "virtual_chunk_containers:";

/// What is read of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    pub name: Option<String>,
    pub url_prefix: Option<String>,
    pub endpoint_url: Option<String>,
    pub account: Option<String>,
}

/// A line: the number of spaces before it, and the rest.
type Line<'a> = (usize, &'a str);

fn line(text: &str) -> Option<Line<'_>> {
    let rest = text.trim_start_matches(' ');
    let indent = text.len().saturating_sub(rest.len());
    let rest = rest.trim_end();
    if rest.is_empty() || rest.starts_with('#') {
        return None;
    }
    // A long key has a line of its own, and its value another one.
    match rest.strip_prefix(": ") {
        Some(value) => Some((indent.saturating_add(2), value.trim_start())),
        None => Some((indent, rest)),
    }
}

/// The containers of a configuration.
///
/// # Errors
/// `Format` for a text that is not UTF-8 or a scalar that cannot be read; `Limit` for too many
/// containers.
pub fn containers(config: &[u8]) -> Result<Vec<Fields>> {
    let text = std::str::from_utf8(config).map_err(|_| damaged("a configuration that is not text"))?;
    let mut lines = text.lines().filter_map(line);
    // A value on the same line is `null` or an empty map.
    if !lines.any(|(indent, rest)| indent == 0 && rest == MEMBER) {
        return Ok(Vec::new());
    }
    let mut found: Vec<Fields> = Vec::new();
    let (mut of_keys, mut of_fields) = (None, None);
    for (indent, rest) in lines.take_while(|(indent, _)| *indent > 0) {
        if indent <= *of_keys.get_or_insert(indent) {
            limits::within(found.len() as u64, CONTAINERS, "the list of virtual chunk containers")?;
            found.push(Fields::default());
            of_fields = None;
        } else if let Some(container) = found.last_mut() {
            let is_own = indent <= *of_fields.get_or_insert(indent);
            container.take(is_own, rest)?;
        }
    }
    Ok(found)
}

impl Fields {
    /// Takes a member: one of the container's own, or one of its server.
    fn take(&mut self, is_own: bool, member: &str) -> Result<()> {
        let (name, value) = member.split_once(": ").unwrap_or_default();
        let field = match (is_own, name) {
            (true, "name") => &mut self.name,
            (true, "url_prefix") => &mut self.url_prefix,
            (false, "endpoint_url") => &mut self.endpoint_url,
            (false, "account") => &mut self.account,
            _ => return Ok(()),
        };
        *field = scalar(value.trim())?;
        Ok(())
    }
}

/// A text on one line: plain or in quotes. `None` for null.
fn scalar(text: &str) -> Result<Option<String>> {
    if text.starts_with('"') {
        // The escapes that JSON lacks are for characters that no address has.
        let document = Document::parse(text.as_bytes()).map_err(Error::into_format)?;
        return Ok(Some(document.root().str()?.into_owned()));
    }
    let quoted = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    Ok(match (quoted, text) {
        (Some(quoted), _) => Some(quoted.replace("''", "'")),
        (None, "null" | "~" | "") => None,
        (None, plain) => Some(plain.to_owned()),
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// As icechunk 1.1 writes it, shortened.
    const CONFIG: &str = "inline_chunk_threshold_bytes: 16
storage:
  name: of another member
virtual_chunk_containers:
  http://127.0.0.1:28917/:
    name: null
    url_prefix: http://127.0.0.1:28917/
    store: !http {}
  's3://it''s/':
    name: 'it''s'
    url_prefix: 's3://it''s/'
    store: !s3_compatible
      region: us-east-1
      name: of the server
      endpoint_url: \"https://host:9/\\u00e9\"
      anonymous: true
  ? az://long/
  : name: null
    url_prefix: az://long/
    store: !azure
      account: me
manifest: null
name: of the end
";

    fn fields(texts: [&str; 4]) -> Fields {
        let [name, url_prefix, endpoint_url, account] =
            texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
        Fields { name, url_prefix, endpoint_url, account }
    }

    #[test]
    fn containers_are_read_as_icechunk_writes_them() {
        let expected = [
            fields(["", "http://127.0.0.1:28917/", "", ""]),
            fields(["it's", "s3://it's/", "https://host:9/é", ""]),
            fields(["", "az://long/", "", "me"]),
        ];
        assert_eq!(containers(CONFIG.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn a_configuration_without_containers_has_none() {
        for text in
            ["", "manifest: null\n", "virtual_chunk_containers: null\n", "virtual_chunk_containers:\na: 1"]
        {
            assert_eq!(containers(text.as_bytes()).unwrap(), [], "{text}");
        }
    }

    #[test]
    fn damaged_configurations_are_errors_or_what_is_left() {
        assert!(containers(b"\xff").is_err());
        assert!(containers(b"virtual_chunk_containers:\n a:\n  name: \"b\n").is_err());
        let many = format!("virtual_chunk_containers:\n{}", " a:\n".repeat(5000));
        assert_eq!(containers(many.as_bytes()).unwrap_err().kind(), zarr_wasm::error::ErrorKind::Limit);
        for cut in 0..CONFIG.len() {
            if let Some(text) = CONFIG.get(..cut) {
                let _ = containers(text.as_bytes());
            }
        }
    }
}
