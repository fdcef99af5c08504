//! The known storage transformers by the URI of their specification: the sharding transformer, and
//! those of the user.

use std::rc::Rc;

use super::sharding::ShardingConfiguration;
use super::transformer::{ArrayKeys, NamedTransformer, Transformer};
use crate::error::{Error, IS_FULL, Result};
use crate::format::metadata::draft::uri::is_sharding;
use crate::quoted::quoted;
use crate::store::Store;

/// Creates a transformer from its metadata.
#[cfg(not(target_arch = "wasm32"))]
pub type ParseTransformer = Rc<dyn Fn(&NamedTransformer<'_>) -> Result<Rc<dyn Transformer>>>;

/// Creates a transformer for any URI; `None` for an unknown one.
pub type ParseOtherTransformers = Rc<dyn Fn(&NamedTransformer<'_>) -> Option<Result<Rc<dyn Transformer>>>>;

/// The known storage transformers.
#[derive(Clone, Default)]
pub struct TransformerRegistry {
    others: Option<ParseOtherTransformers>,
}

impl TransformerRegistry {
    /// Sets the function that creates the transformers of the user.
    pub fn ask_for_others(&mut self, others: ParseOtherTransformers) {
        self.others = Some(others);
    }

    /// Adds a transformer by its URI.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn register(&mut self, extension: &str, parse: ParseTransformer) {
        let (extension, others) = (extension.to_owned(), self.others.take());
        self.ask_for_others(Rc::new(move |named| match named.extension == extension {
            true => Some(parse(named)),
            false => others.as_ref().and_then(|others| others(named)),
        }));
    }

    /// Creates the transformer that metadata names.
    ///
    /// # Errors
    /// `Unsupported` for an unknown URI; errors of the transformer's parser.
    fn parse(&self, named: &NamedTransformer<'_>) -> Result<Rc<dyn Transformer>> {
        if IS_FULL && is_sharding(named.extension) {
            return Ok(Rc::new(ShardingConfiguration::parse(named)?));
        }
        let parsed = self.others.as_ref().and_then(|others| others(named));
        parsed.unwrap_or_else(|| {
            let unknown = format!("unknown storage transformer {}", quoted(named.extension));
            Err(Error::unsupported(unknown).in_field("extension"))
        })
    }

    /// Wraps a store in the transformers of an array. The first one is the outermost, as in
    /// metadata.
    ///
    /// # Errors
    /// `Unsupported` for an unknown URI; errors of the transformers. They name the field.
    pub fn stack(
        &self,
        named: &[NamedTransformer<'_>],
        store: Rc<dyn Store>,
        keys: &ArrayKeys,
    ) -> Result<Rc<dyn Store>> {
        let (mut transformers, mut keys) = (Vec::new(), keys.clone());
        for named in named {
            let transformer = self.parse(named).map_err(|error| error.within_field(named.field))?;
            let below = transformer.keys_below(&keys);
            transformers.push((transformer, std::mem::replace(&mut keys, below), named.field));
        }
        let mut store = store;
        while let Some((transformer, keys, field)) = transformers.pop() {
            store = transformer.around(store, &keys).map_err(|error| error.within_field(field))?;
        }
        Ok(store)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::chunk_key::Separator;
    use crate::format::metadata::draft::uri::SHARDING_URIS;
    use crate::format::path::{NodePath, StoreKey};
    use crate::store::memory::MemoryStore;
    use crate::store::{ByteRange, RequestContext};

    fn named<'a>(extension: &'a str, configuration: Option<&'a str>) -> NamedTransformer<'a> {
        NamedTransformer { extension, kind: "\"indexed\"", configuration, field: "storage_transformers[0]" }
    }

    fn keys() -> ArrayKeys {
        let prefix = NodePath::parse_any("data/a").unwrap();
        ArrayKeys { prefix, grid_shape: vec![8, 8], separator: Separator::Slash }
    }

    fn refused(named: &NamedTransformer<'_>) -> Error {
        let memory = Rc::new(MemoryStore::new());
        TransformerRegistry::default().stack(&[*named], memory, &keys()).err().unwrap()
    }

    #[test]
    fn each_spelling_of_the_uri_is_known() {
        for extension in
            SHARDING_URIS.into_iter().chain(["http://purl.org/zarr/spec/storage_transformers/sharding/1.0/"])
        {
            let memory = Rc::new(MemoryStore::new());
            let store = TransformerRegistry::default()
                .stack(&[named(extension, Some(r#"{"chunks_per_shard":[2,2]}"#))], memory.clone(), &keys())
                .unwrap();
            block_on(store.set(&StoreKey::parse("data/a/c3/5").unwrap(), vec![1].into())).unwrap();
            assert_eq!(memory.keys(), ["data/a/c1/2"]);
        }
    }

    #[test]
    fn unknown_and_invalid_transformers_are_errors_that_name_the_field() {
        let unknown = named("https://example.org/mirror", None);
        let error = refused(&unknown);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("https://example.org/mirror"), "{error}");
        assert_eq!(error.context().field.as_deref(), Some("storage_transformers[0].extension"));

        let other = NamedTransformer {
            kind: "\"linked\"",
            ..named(SHARDING_URIS[0], Some(r#"{"chunks_per_shard":[2]}"#))
        };
        let error = refused(&other);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("linked"), "{error}");

        for (configuration, field) in [
            (None, "chunks_per_shard"),
            (Some("{}"), "chunks_per_shard"),
            (Some(r#"{"chunks_per_shard":2}"#), "chunks_per_shard"),
            (Some(r#"{"chunks_per_shard":[2.5,1]}"#), "chunks_per_shard[0]"),
            (Some(r#"{"chunks_per_shard":[2,0]}"#), "chunks_per_shard"),
            (Some(r#"{"chunks_per_shard":[2,2],"order":"Morton"}"#), "order"),
        ] {
            let error = refused(&named(SHARDING_URIS[0], configuration));
            let found = error.context().field.clone().unwrap();
            assert!(found.starts_with("storage_transformers[0].configuration"), "{error}");
            assert!(found.contains(field), "{error}");
        }
    }

    #[test]
    fn two_sharding_transformers_make_shards_of_shards() {
        let memory = Rc::new(MemoryStore::new());
        let (inner, outer) = (r#"{"chunks_per_shard":[2,2]}"#, r#"{"chunks_per_shard":[2,1]}"#);
        let list = [named(SHARDING_URIS[0], Some(inner)), named(SHARDING_URIS[2], Some(outer))];
        let store = TransformerRegistry::default().stack(&list, memory.clone(), &keys()).unwrap();
        let (one, other) = (StoreKey::parse("data/a/c0/1").unwrap(), StoreKey::parse("data/a/c3/1").unwrap());
        block_on(store.set(&one, b"one".to_vec().into())).unwrap();
        block_on(store.set(&other, b"other".to_vec().into())).unwrap();
        // Rows 0 to 3: two shards of two rows each, in one shard of shards.
        assert_eq!(memory.keys(), ["data/a/c0/0"]);
        for (key, bytes) in [(&one, &b"one"[..]), (&other, b"other")] {
            let fetched = block_on(store.get(key, ByteRange::Whole, &RequestContext::default()));
            assert_eq!(fetched.unwrap().unwrap().value.as_slice().unwrap(), bytes);
        }
    }
}
