//! Fits the elements of a caller to the places of a selection, by NumPy's rules: extents of 1 and
//! missing leading dimensions repeat. It copies no elements: each chunk takes those that it needs
//! ([`drive`](super::drive)).

use crate::access::selection::{Indices, Selected};
use crate::error::{Error, Result, Stage};
use crate::limits;
use crate::write::types::{ElementLayout, NewElements, WriteSource};

/// Elements that fit a selection.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    pub source: WriteSource,
    /// Their extent along each dimension of the selection: 1 where they repeat.
    pub shape: Vec<u64>,
}

impl Fitted {
    /// Fits elements to a selection. `size` is that of an element in bytes; `None` if it varies.
    ///
    /// # Errors
    /// `Argument` for elements that do not fit, and for those of another kind of data type.
    pub fn new(elements: &NewElements, selected: &Selected, size: Option<usize>) -> Result<Self> {
        let extents = extents(selected);
        let own = match &elements.layout {
            ElementLayout::Packed => extents.clone(),
            ElementLayout::Shaped(shape) => shape.clone(),
            ElementLayout::List => {
                let count = count(&elements.source, size);
                let fills =
                    limits::product(extents.iter().copied(), "selection").is_ok_and(|all| all == count);
                if fills { extents.clone() } else { vec![count] }
            }
        };
        let shape = aligned(&own, selected).ok_or_else(|| unfit(&own, &extents))?;
        let source = match &elements.source {
            source if own.iter().all(|extent| *extent == 1) => one(source)?,
            // They are taken one by one, and are fewer than the selection has. The host's memory is
            // slow.
            WriteSource::Elements(elements) if shape != selected.shape() => {
                WriteSource::Elements(elements.to_vec(limits::CHUNK_BYTES, "values")?.into())
            }
            source => source.clone(),
        };
        check(&source, &shape, size)?;
        Ok(Self { source, shape })
    }

    /// The elements that go to these places of the selection, as places along each dimension.
    pub fn sources(&self, mut places: Vec<Indices>) -> Vec<Indices> {
        for (along, extent) in places.iter_mut().zip(&self.shape) {
            if *extent == 1 {
                *along = Indices::Range { start: 0, step: 0, count: along.count() };
            }
        }
        places
    }
}

/// The shape that elements have which fill the selection: an integer removes its dimension.
fn extents(selected: &Selected) -> Vec<u64> {
    let mut extents = Vec::new();
    for (extent, kept) in selected.shape().into_iter().zip(selected.kept()) {
        if kept {
            extents.push(extent);
        }
    }
    extents
}

/// A shape with all dimensions of the selection. `None` if it does not fit.
fn aligned(own: &[u64], selected: &Selected) -> Option<Vec<u64>> {
    let (shape, kept) = (selected.shape(), selected.kept());
    let mut aligned = vec![1; shape.len()];
    let mut rest = own;
    for ((target, extent), kept) in aligned.iter_mut().zip(shape).zip(kept).rev() {
        if let (true, Some((last, before))) = (kept, rest.split_last()) {
            if *last != 1 && *last != extent {
                return None;
            }
            (*target, rest) = (*last, before);
        }
    }
    rest.iter().all(|extent| *extent == 1).then_some(aligned)
}

/// The number of elements.
fn count(source: &WriteSource, size: Option<usize>) -> u64 {
    match source {
        WriteSource::Elements(elements) => elements.len() / size.unwrap_or(1).max(1) as u64,
        WriteSource::Variable(elements) => elements.len() as u64,
        WriteSource::Element(_) => 1,
    }
}

/// The source of elements of which there is one, for all places.
fn one(source: &WriteSource) -> Result<WriteSource> {
    Ok(WriteSource::Element(match source {
        WriteSource::Elements(element) => element.to_vec(limits::CHUNK_BYTES, "element")?,
        WriteSource::Variable(elements) => elements.get(0).unwrap_or_default().to_vec(),
        WriteSource::Element(element) => element.clone(),
    }))
}

/// Checks that the source has as many elements as its shape.
fn check(source: &WriteSource, shape: &[u64], size: Option<usize>) -> Result<()> {
    let count = limits::product(shape.iter().copied(), "selection");
    let (what, expected, actual) = match (source, size) {
        (WriteSource::Element(element), Some(size)) => ("bytes", size as u64, element.len() as u64),
        (WriteSource::Element(_), None) => return Ok(()),
        (WriteSource::Elements(elements), Some(size)) => {
            ("bytes", limits::product([count?, size as u64], "selection")?, elements.len())
        }
        (WriteSource::Variable(elements), None) => ("elements", count?, elements.len() as u64),
        (WriteSource::Elements(_), None) | (WriteSource::Variable(_), Some(_)) => {
            let error = Error::argument(
                "the new elements do not match the array's data type: one has elements of fixed size, the other of variable length",
            );
            return Err(error.in_stage(Stage::Encode));
        }
    };
    if expected == actual {
        return Ok(());
    }
    let error = Error::argument("the new elements do not fill the selection").in_stage(Stage::Encode);
    Err(error.expected(format!("{expected} {what} for shape {shape:?}")).actual(format!("{actual} {what}")))
}

#[cold]
fn unfit(own: &[u64], extents: &[u64]) -> Error {
    Error::argument("the values cannot be broadcast to the selection")
        .expected(format!("shape {extents:?}, or one that can be broadcast to it"))
        .actual(format!("shape {own:?}"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::access::selection::{DimensionSelection, Selection, resolve};

    /// The shape that bytes of a layout get in a selection of an array of 4 times 6.
    fn fitted(count: u8, layout: ElementLayout, selection: &Selection) -> Result<Fitted> {
        let source = WriteSource::Elements((0..count).collect::<Vec<u8>>().into());
        let elements = NewElements { layout, ..source.into() };
        Fitted::new(&elements, &resolve(selection, &[4, 6]).unwrap(), Some(1))
    }

    fn shaped(shape: &[u64], selection: &Selection) -> Option<Vec<u64>> {
        let count = shape.iter().product::<u64>().try_into().unwrap();
        let fitted = fitted(count, ElementLayout::Shaped(shape.to_vec()), selection);
        fitted.ok().map(|fitted| fitted.shape)
    }

    // Expected values: NumPy's `numpy.broadcast_to`.
    #[test]
    fn shapes_follow_numpy() {
        let all = Selection::all();
        for (own, shape) in [
            (&[4, 6][..], Some(vec![4, 6])),
            (&[6], Some(vec![1, 6])),
            (&[4, 1], Some(vec![4, 1])),
            (&[], Some(vec![1, 1])),
            (&[1, 1, 4, 6], Some(vec![4, 6])),
            (&[4], None),
            (&[2, 6], None),
            (&[0], None),
            (&[2, 4, 6], None),
        ] {
            assert_eq!(shaped(own, &all), shape, "{own:?}");
        }
    }

    #[test]
    fn an_integer_removes_its_dimension() {
        let column = Selection::Orthogonal(vec![DimensionSelection::All, DimensionSelection::Index(2)]);
        assert_eq!(shaped(&[4], &column), Some(vec![4, 1]));
        assert_eq!(shaped(&[4, 1], &column), None);
        let points = Selection::Points(vec![vec![0, 1, 2], vec![0, 1, 2]]);
        assert_eq!(shaped(&[3], &points), Some(vec![3]));
    }

    #[test]
    fn a_list_fills_the_selection_or_has_one_dimension() {
        let shape = |count, selection| fitted(count, ElementLayout::List, &selection).map(|it| it.shape);
        assert_eq!(shape(24, Selection::all()).unwrap(), [4, 6]);
        assert_eq!(shape(6, Selection::all()).unwrap(), [1, 6]);
        let error = shape(3, Selection::all()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the values cannot be broadcast to the selection: \
             expected shape [4, 6], or one that can be broadcast to it, found shape [3]"
        );
    }

    #[test]
    fn packed_elements_fill_the_selection() {
        assert!(fitted(24, ElementLayout::Packed, &Selection::all()).is_ok());
        for count in [0, 1, 6, 23, 25] {
            assert!(fitted(count, ElementLayout::Packed, &Selection::all()).is_err(), "{count}");
        }
    }

    #[test]
    fn one_element_is_for_all_places() {
        let fitted = fitted(1, ElementLayout::Shaped(vec![1]), &Selection::all()).unwrap();
        assert!(matches!(fitted.source, WriteSource::Element(element) if element == [0]));
    }

    #[test]
    fn repeated_elements_are_taken_for_each_place() {
        let row = fitted(6, ElementLayout::List, &Selection::all()).unwrap();
        let taken = row.sources(vec![(2..4).into(), (1..3).into()]);
        assert_eq!(taken.first().unwrap().iter().collect::<Vec<_>>(), [0, 0]);
        assert_eq!(taken.get(1), Some(&Indices::from(1..3)));
    }
}
