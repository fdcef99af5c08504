//! The dimensions and axes of the plans of `scatter`, which `copy` runs.

/// One dimension of a `Strided` plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The number of elements.
    pub count: usize,
    /// The bytes from one element to the next in the source; 0 repeats the element.
    pub src_stride: isize,
    /// The bytes from one element to the next in the destination.
    pub dst_stride: isize,
}

/// The steps of one side along an axis of an `Orthogonal` plan.
#[derive(Clone, Copy, Debug)]
pub enum AxisSteps<'a> {
    /// Regular steps, in bytes.
    Stride(isize),
    /// Step `i` is at byte `indices[i] * stride`.
    List {
        /// Positions along the axis, in any order, with possible repeats.
        indices: &'a [u32],
        /// The bytes from one position to the next.
        stride: isize,
    },
}

/// One axis of an `Orthogonal` plan.
#[derive(Clone, Copy, Debug)]
pub struct CopyAxis<'a> {
    /// The number of elements, which is the length of each list of the axis.
    pub count: usize,
    /// The steps in the source.
    pub src: AxisSteps<'a>,
    /// The steps in the destination.
    pub dst: AxisSteps<'a>,
}

impl<'a> CopyAxis<'a> {
    /// An axis with regular steps on both sides.
    pub fn strided(count: usize, src_stride: isize, dst_stride: isize) -> Self {
        Self { count, src: AxisSteps::Stride(src_stride), dst: AxisSteps::Stride(dst_stride) }
    }

    pub(super) fn from_dim(dim: Dim) -> CopyAxis<'a> {
        Self::strided(dim.count, dim.src_stride, dim.dst_stride)
    }

    pub(super) fn as_dim(&self) -> Option<Dim> {
        match (self.src, self.dst) {
            (AxisSteps::Stride(src_stride), AxisSteps::Stride(dst_stride)) => {
                Some(Dim { count: self.count, src_stride, dst_stride })
            }
            _ => None,
        }
    }

    pub(super) fn lists_fit(&self) -> bool {
        [self.src, self.dst].into_iter().all(|walk| match walk {
            AxisSteps::Stride(_) => true,
            AxisSteps::List { indices, .. } => indices.len() == self.count,
        })
    }

    /// The lowest and the highest offset of one side of a non-empty axis.
    pub(super) fn span(&self, destination: bool) -> (i128, i128) {
        let (first, last, stride) = match if destination { self.dst } else { self.src } {
            AxisSteps::Stride(stride) => (0, self.count as i128 - 1, stride),
            AxisSteps::List { indices, stride } => {
                let lowest = indices.iter().min().copied().unwrap_or(0);
                let highest = indices.iter().max().copied().unwrap_or(0);
                (i128::from(lowest), i128::from(highest), stride)
            }
        };
        let ends = [first * stride as i128, last * stride as i128];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    }
}

impl AxisSteps<'_> {
    /// The bytes from one position to the next.
    pub(super) fn stride(&self) -> isize {
        match *self {
            Self::Stride(stride) | Self::List { stride, .. } => stride,
        }
    }

    /// The bytes from position 0 to step `idx`.
    pub(super) fn offset(&self, idx: usize) -> isize {
        match *self {
            Self::Stride(stride) => (idx as isize).wrapping_mul(stride),
            Self::List { indices, stride } => (indices[idx] as isize).wrapping_mul(stride),
        }
    }
}
