//! Walks the tree of a store folder by folder, within the budgets of a listing. A server may list
//! folders that contain themselves, and a user's store may never end.

use super::listing::Listing;
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// Counts what a listing has found.
#[derive(Debug, Default)]
pub struct ListingBudget {
    names: u64,
}

impl ListingBudget {
    /// Counts names.
    ///
    /// # Errors
    /// `Limit` for more names than a listing may have.
    pub fn take(&mut self, names: usize) -> Result<()> {
        self.names = self.names.saturating_add(names as u64);
        limits::within(self.names, limits::LISTED_KEYS, "a listing").map(drop)
    }
}

/// All keys below a prefix. `list` lists one folder.
///
/// # Errors
/// Errors of `list`; `Limit` for folders that are too many or too deep.
pub async fn walk(
    prefix: &NodePath,
    mut list: impl AsyncFnMut(&NodePath) -> Result<Listing>,
) -> Result<Vec<StoreKey>> {
    let (mut open, mut keys) = (vec![(prefix.clone(), 0_u64)], Vec::new());
    let (mut budget, mut folders) = (ListingBudget::default(), 0_u64);
    while let Some((prefix, depth)) = open.pop() {
        check_depth(&prefix, depth)?;
        folders = folders.saturating_add(1);
        limits::within(folders, limits::LISTED_FOLDERS, "the number of folders of a listing")?;
        let listing = list(&prefix).await?;
        budget.take(listing.keys.len().saturating_add(listing.prefixes.len()))?;
        keys.extend(listing.keys);
        open.extend(listing.prefixes.into_iter().map(|prefix| (prefix, depth.saturating_add(1))));
    }
    Ok(keys)
}

/// Checks how deep a folder is below the one where a listing began.
///
/// # Errors
/// `Limit` for a folder that is too deep.
pub fn check_depth(prefix: &NodePath, depth: u64) -> Result<()> {
    if depth <= limits::LISTED_DEPTH {
        return Ok(());
    }
    let error = limits::exceeded("the depth of a listing", depth, limits::LISTED_DEPTH);
    // The path itself may be long.
    let beginning: String = prefix.as_str().chars().take(64).collect();
    Err(error.at_node(format!("{beginning}…")))
}

/// The error for a listing that a server continues without end.
pub fn endless(shown: &str) -> Error {
    Error::store(format!("the listing {shown} does not end: its pages repeat"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::error::ErrorKind;

    fn child(prefix: &NodePath, name: &str) -> NodePath {
        prefix.join(&NodePath::from_normal(name).unwrap())
    }

    #[test]
    fn a_folder_that_contains_itself_is_a_limit_error() {
        let mut asked = 0;
        let walked = block_on(walk(&NodePath::root(), async |prefix| {
            asked += 1;
            Ok(Listing { keys: Vec::new(), prefixes: vec![child(prefix, "again")] })
        }));
        assert_eq!(walked.unwrap_err().kind(), ErrorKind::Limit);
        assert!(asked <= limits::LISTED_DEPTH + 1);
    }

    #[test]
    fn folders_that_multiply_are_a_limit_error() {
        let mut asked = 0_u64;
        let walked = block_on(walk(&NodePath::root(), async |prefix| {
            asked += 1;
            Ok(Listing { keys: Vec::new(), prefixes: vec![child(prefix, "a"), child(prefix, "b")] })
        }));
        assert_eq!(walked.unwrap_err().kind(), ErrorKind::Limit);
        assert!(asked <= limits::LISTED_FOLDERS);
    }

    #[test]
    fn keys_are_counted() {
        let mut budget = ListingBudget::default();
        let most = usize::try_from(limits::LISTED_KEYS).unwrap();
        budget.take(most).unwrap();
        assert_eq!(budget.take(1).unwrap_err().kind(), ErrorKind::Limit);
    }
}
