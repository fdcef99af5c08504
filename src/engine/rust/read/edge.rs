//! The chunks at the old edge of an array that another program has made longer.

use crate::format::chunk_grid::unravel;
use crate::format::metadata::document::NodeDocument;
use crate::limits;
use crate::read::array::Array;

/// The most chunks at an edge that are noted one by one.
const MAX_CHUNKS: u64 = 1 << 12;

/// The chunks that the end of an array cuts along one dimension.
struct Edge {
    dimension: usize,
    /// Their index along that dimension.
    index: u64,
    /// The numbers of chunks along all dimensions: 1 along that one.
    grid: Vec<u64>,
}

impl Array {
    /// Notes that another program has made the array longer since it had the metadata `old`, and so
    /// has changed the stored chunks (or shards) that the old end cuts: reads of them pass the
    /// caches in front of the store. Returns false, and notes nothing, if they are more than
    /// [`MAX_CHUNKS`], if the array is shorter now, or if more than its shape and its attributes
    /// has changed.
    pub fn pass_edge(&self, old: &NodeDocument) -> bool {
        let (Some((old_shape, before)), Some((_, now))) =
            (old.shape_and_rest(), self.document().shape_and_rest())
        else {
            return false;
        };
        let Some(edges) = self.edges(&old_shape).filter(|_| before == now) else { return false };
        for Edge { dimension, index, grid } in edges {
            for number in 0..grid.iter().product() {
                let mut chunk = unravel(number, &grid);
                if let Some(along) = chunk.get_mut(dimension) {
                    *along = index;
                }
                self.chunks().note_changed(&self.chunk_key(&chunk));
            }
        }
        true
    }

    /// The edges that were cut and are not any more; `None` as [`pass_edge`](Self::pass_edge) says.
    fn edges(&self, old_shape: &[u64]) -> Option<Vec<Edge>> {
        let metadata = self.binding().metadata();
        let (shape, dimensions) = (&metadata.shape, &metadata.chunk_grid.dimensions);
        if old_shape.len() != shape.len() || old_shape.iter().zip(shape).any(|(old, new)| old > new) {
            return None;
        }
        let old_grid = metadata.chunk_grid.grid_shape(old_shape);
        let mut edges = Vec::new();
        for (dimension, ((old, new), along)) in old_shape.iter().zip(shape).zip(dimensions).enumerate() {
            let Some(last) = old.checked_sub(1).filter(|_| old < new) else { continue };
            let index = along.chunk_of(last);
            if along.chunk_extent(index).end <= *old {
                continue;
            }
            let mut grid = old_grid.clone();
            *grid.get_mut(dimension)? = 1;
            let count = limits::product(grid.iter().copied(), "chunks at an edge").ok()?;
            if count > MAX_CHUNKS {
                return None;
            }
            edges.push(Edge { dimension, index, grid });
        }
        Some(edges)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::format::metadata::ZarrFormat;
    use crate::format::path::{NodePath, StoreKey};
    use crate::store::{ByteRange, Changeable, GetFuture, RequestContext, Store};

    /// Remembers which keys were noted.
    #[derive(Default)]
    struct Noted(RefCell<Vec<String>>);

    impl Store for Noted {
        fn get<'a>(&'a self, _: &'a StoreKey, _: ByteRange, _: &'a RequestContext) -> GetFuture<'a> {
            Box::pin(async { Ok(None) })
        }

        fn as_changeable(&self) -> Option<&dyn Changeable> {
            Some(self)
        }
    }

    impl Changeable for Noted {
        fn note_changed(&self, key: &StoreKey) {
            self.0.borrow_mut().push(key.as_str().to_owned());
        }
    }

    fn document(shape: &[u64], fill_value: u8) -> NodeDocument {
        let document = format!(
            r#"{{"zarr_format": 2, "shape": {shape:?}, "chunks": [4, 3], "dtype": "<i2", "compressor": null,
                "filters": null, "fill_value": {fill_value}, "order": "C"}}"#
        );
        NodeDocument::read(ZarrFormat::V2, &[(".zarray", document.as_bytes())]).unwrap()
    }

    fn noted_after(shape: [u64; 2], old: &NodeDocument) -> Option<Vec<String>> {
        let store = Rc::new(Noted::default());
        let array = Array::new(store.clone(), NodePath::root(), document(&shape, 0)).unwrap();
        array.pass_edge(old).then(|| store.0.borrow().clone())
    }

    fn noted(shape: [u64; 2], old_shape: &[u64]) -> Option<Vec<String>> {
        noted_after(shape, &document(old_shape, 0))
    }

    #[test]
    fn the_chunks_that_the_old_end_cut_are_noted() {
        assert_eq!(noted([12, 6], &[6, 6]), Some(vec!["1.0".into(), "1.1".into()]));
        assert_eq!(noted([12, 6], &[8, 6]), Some(vec![]));
        assert_eq!(noted([8, 8], &[8, 5]), Some(vec!["0.1".into(), "1.1".into()]));
        assert_eq!(noted([12, 6], &[0, 6]), Some(vec![]));
        assert_eq!(noted([12, 6], &[12, 6]), Some(vec![]));
    }

    #[test]
    fn a_shorter_array_and_too_many_chunks_are_refused() {
        assert_eq!(noted([4, 6], &[6, 6]), None);
        assert_eq!(noted([4, 6], &[4]), None);
        assert_eq!(noted([12, 3 * 5000], &[6, 3 * 5000]), None);
        assert_eq!(noted_after([12, 6], &document(&[6, 6], 1)), None, "chunks that are missing differ");
    }
}
