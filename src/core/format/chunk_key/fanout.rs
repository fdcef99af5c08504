//! The chunk key encoding `fanout`: each index is written as digits of a large base, with one
//! folder for each digit, so that no folder has many entries.
//! <https://github.com/zarr-developers/zarr-extensions/pull/31>
//!
//! Earlier versions of the proposal have keys of another form (`c/0/012`) under the same name and
//! configuration. They are not read, as the metadata does not distinguish them.

use super::push_number;
use crate::error::Result;
use crate::format::json::Object;
use crate::format::json::text::ObjectText;

/// The proposal's default of `max_children`.
const MAX_CHILDREN: u64 = 1001;

/// In base 100, the key of `(1234, 5)` is `d0/12/34/d1/5/c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fanout {
    /// The most entries of a folder, at least 3. The base is one less, as each folder also has the
    /// marker `dN` or `c`.
    max_children: u64,
}

impl Fanout {
    /// Parses the configuration.
    ///
    /// # Errors
    /// `Format` for fewer than three children: the base must be at least 2.
    pub(super) fn parse(members: Object<'_>) -> Result<Self> {
        let max_children = members.read("max_children", |json| match json.u64()? {
            0..3 => Err(json.unexpected("at least 3")),
            count => Ok(count),
        })?;
        Ok(Self { max_children: max_children.unwrap_or(MAX_CHILDREN) })
    }

    /// The configuration as metadata has it.
    pub(super) fn configuration(&self) -> ObjectText {
        ObjectText::new().with("max_children", self.max_children.to_string())
    }

    pub(super) fn encode(&self, chunk: &[u64]) -> String {
        let mut key = String::new();
        for (dimension, idx) in chunk.iter().enumerate() {
            key.push('d');
            push_number(&mut key, dimension as u64);
            for digit in self.digits(*idx) {
                key.push('/');
                push_number(&mut key, digit);
            }
            key.push('/');
        }
        key.push('c');
        key
    }

    /// The digits of an index, most significant first. Zero has one digit.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "the base is at least 2: `parse` takes three children and more"
    )]
    fn digits(&self, idx: u64) -> Vec<u64> {
        let (base, mut rest) = (self.max_children - 1, idx);
        let mut digits = Vec::new();
        while rest > 0 || digits.is_empty() {
            digits.push(rest % base);
            rest /= base;
        }
        digits.reverse();
        digits
    }

    /// The indices that a key names. The caller checks that their key is this one.
    #[allow(clippy::arithmetic_side_effects, reason = "`parse` takes three children and more")]
    pub(super) fn decode(&self, key: &str) -> Option<Vec<u64>> {
        let base = self.max_children - 1;
        let mut chunk: Vec<u64> = Vec::new();
        for name in key.strip_suffix('c')?.split_terminator('/') {
            if name.starts_with('d') {
                chunk.push(0);
            } else {
                let (idx, digit) = (chunk.last_mut()?, name.parse().ok()?);
                *idx = idx.checked_mul(base)?.checked_add(digit)?;
            }
        }
        Some(chunk)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::format::chunk_key::ChunkKeyEncoding;
    use crate::format::json;
    use crate::format::metadata::extension::Extension;

    fn fanout(configuration: &str) -> crate::error::Result<ChunkKeyEncoding> {
        let text = format!(r#"{{"name":"fanout","configuration":{configuration}}}"#);
        json::read(&text, |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, 1))
    }

    #[test]
    fn examples_of_the_proposal() {
        let encoding = fanout(r#"{"max_children":101}"#).unwrap();
        for (chunk, key) in [
            (vec![], "c"),
            (vec![123], "d0/1/23/c"),
            (vec![1234, 5, 67890], "d0/12/34/d1/5/d2/6/78/90/c"),
            (vec![0, 100, 10_005], "d0/0/d1/1/0/d2/1/0/5/c"),
        ] {
            assert_eq!(encoding.encode(&chunk), key);
            assert_eq!(encoding.decode(key, chunk.len()), Some(chunk));
        }
        for key in
            ["d0/1/23", "d0/01/23/c", "d1/1/c", "d0/1/100/c", "d0/c", "1/c", "d0/1/c/c", "zarr.json", "cc"]
        {
            assert_eq!(encoding.decode(key, 1), None, "{key}");
        }
    }

    #[test]
    fn large_indices_round_trip() {
        for configuration in ["{}", r#"{"max_children":3}"#, r#"{"max_children":18446744073709551615}"#] {
            let encoding = fanout(configuration).unwrap();
            for chunk in [[0, 999], [1000, 1001], [u64::MAX, u64::MAX - 1]] {
                assert_eq!(encoding.decode(&encoding.encode(&chunk), 2), Some(chunk.to_vec()));
            }
        }
        assert_eq!(fanout("{}").unwrap().encode(&[12345]), "d0/12/345/c");
        let error = fanout(r#"{"max_children":2}"#).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("configuration.max_children"));
    }
}
