//! What a key of Zarr means in a snapshot: the document of a node, or a chunk of an array.
//!
//! The key of a chunk gives its index: Icechunk writes `c/0/1`. Other encodings of keys that have
//! one number a dimension are understood too.

use std::rc::Rc;

use zarr_wasm_icechunk::{ArrayNode, Node, Snapshot};

use crate::error::Result;
use crate::format::path::StoreKey;

/// What a key leads to.
pub enum Target<'a> {
    /// The document of a node.
    Document(Node<'a>),
    /// A chunk.
    Chunk {
        /// Its array.
        array: Rc<ArrayNode>,
        /// Its indices in the grid of chunks.
        index: Vec<u32>,
    },
    /// Neither.
    Nothing,
}

/// What a key leads to.
///
/// # Errors
/// `Format` for damaged nodes.
pub fn target<'a>(snapshot: &'a Snapshot, key: &StoreKey) -> Result<Target<'a>> {
    let path = format!("/{}", key.as_str());
    if let Some(node) = path.strip_suffix("/zarr.json") {
        let node = snapshot.node(if node.is_empty() { "/" } else { node })?;
        return Ok(node.map_or(Target::Nothing, Target::Document));
    }
    for (at, _) in path.match_indices('/') {
        let (node, chunk) = path.split_at(at);
        let node = snapshot.node(if node.is_empty() { "/" } else { node })?;
        let array = node.map_or(Ok(None), |node| snapshot.array(&node))?;
        if let Some(array) = array {
            let index = index(chunk.trim_start_matches('/'));
            return Ok(index.map_or(Target::Nothing, |index| Target::Chunk { array, index }));
        }
    }
    Ok(Target::Nothing)
}

/// The numbers of a chunk's key.
fn index(key: &str) -> Option<Vec<u32>> {
    let is_separator = |char| matches!(char, '/' | '.');
    let numbers = match key.strip_prefix('c') {
        Some("") => return Some(Vec::new()),
        Some(numbers) => numbers.strip_prefix(is_separator)?,
        None => key,
    };
    numbers.split(is_separator).map(|number| number.parse().ok()).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::index;

    #[test]
    fn keys_of_chunks_have_an_index() {
        assert_eq!(index("c"), Some(vec![]));
        assert_eq!(index("c/0/12"), Some(vec![0, 12]));
        assert_eq!(index("c.0.12"), Some(vec![0, 12]));
        assert_eq!(index("3.4"), Some(vec![3, 4]));
        for key in ["", ".zarray", "c/", "c0", "c/x", "c/-1", "c/4294967296", "c/1/zarr.json"] {
            assert_eq!(index(key), None, "{key}");
        }
    }
}
