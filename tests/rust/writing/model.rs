//! The model: a list of elements, and the plainest meaning of a selection.

use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};

#[derive(Clone, Debug)]
pub struct Model {
    pub shape: Vec<u64>,
    pub fill: Vec<u8>,
    pub elements: Vec<Vec<u8>>,
}

impl Model {
    pub fn new(shape: &[u64], fill: &[u8]) -> Self {
        let count = shape.iter().product::<u64>();
        Self {
            shape: shape.to_vec(),
            fill: fill.to_vec(),
            elements: (0..count).map(|_| fill.to_vec()).collect(),
        }
    }

    pub fn at(&self, position: &[u64]) -> usize {
        let linear = self.shape.iter().zip(position).fold(0, |linear, (len, index)| linear * len + index);
        usize::try_from(linear).unwrap()
    }

    pub fn resized(&self, shape: &[u64]) -> Self {
        let mut new = Self::new(shape, &self.fill);
        for position in positions(&self.shape) {
            if position.iter().zip(shape).all(|(at, len)| at < len) {
                let at = new.at(&position);
                new.elements[at] = self.elements[self.at(&position)].clone();
            }
        }
        new
    }

    /// The positions that a selection names, in the order of its elements.
    pub fn selected(&self, selection: &Selection) -> Vec<Vec<u64>> {
        match selection {
            Selection::Points(lists) => {
                let count = lists.first().map_or(1, Vec::len);
                let wrap = |d: usize, at: i64| if at < 0 { at + self.shape[d].cast_signed() } else { at };
                (0..count)
                    .map(|k| (0..lists.len()).map(|d| wrap(d, lists[d][k]).cast_unsigned()).collect())
                    .collect()
            }
            Selection::Orthogonal(entries) => {
                let all = std::iter::repeat(&DimensionSelection::All);
                let lists: Vec<Vec<u64>> = entries
                    .iter()
                    .chain(all)
                    .zip(&self.shape)
                    .map(|(entry, len)| indices(entry, *len))
                    .collect();
                let extents: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
                let pick = |position: Vec<u64>| {
                    position
                        .iter()
                        .zip(&lists)
                        .map(|(at, list)| list[usize::try_from(*at).unwrap()])
                        .collect()
                };
                positions(&extents).into_iter().map(pick).collect()
            }
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.elements.concat()
    }
}

pub fn positions(shape: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for len in shape {
        all = all
            .iter()
            .flat_map(|head: &Vec<u64>| (0..*len).map(move |at| head.iter().copied().chain([at]).collect()))
            .collect();
    }
    all
}

pub fn indices(entry: &DimensionSelection, len: u64) -> Vec<u64> {
    let signed = len.cast_signed();
    let wrap = |at: &i64| (if *at < 0 { at + signed } else { *at }).cast_unsigned();
    match entry {
        DimensionSelection::All => (0..len).collect(),
        DimensionSelection::Index(at) => vec![wrap(at)],
        DimensionSelection::List(list) => list.iter().map(wrap).collect(),
        DimensionSelection::Slice(SliceSelection { start, stop, step }) => {
            // As Python's range(len)[start:stop:step], for ends that lie inside.
            let step = step.unwrap_or(1);
            let (first, end) = if step > 0 { (0, signed) } else { (signed - 1, -1) };
            let (mut at, stop) = (start.unwrap_or(first), stop.unwrap_or(end));
            let mut found = Vec::new();
            while (step > 0 && at < stop) || (step < 0 && at > stop) {
                found.push(at.cast_unsigned());
                at += step;
            }
            found
        }
    }
}
