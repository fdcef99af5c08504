//! The requests and answers of reductions and of downsampling. A *cell* is one element of a
//! reduction's result.

use crate::encoding::{Bytes, Floats, Natural, Words};

records! {
    /// A question about the numbers of each cell.
    enum Question {
        /// How many numbers were used.
        Count = "count",
        /// The sum of the numbers.
        Sum = "sum",
        /// The mean.
        Mean = "mean",
        /// The lowest number.
        Min = "min",
        /// The highest number.
        Max = "max",
        /// The mean squared difference from the mean.
        Var = "var",
        /// The square root of the variance.
        Std = "std",
        /// Whether any number is not zero.
        Any = "any",
        /// Whether all numbers are not zero.
        All = "all",
        /// The index of the lowest number.
        ArgMin = "argmin",
        /// The index of the highest number.
        ArgMax = "argmax",
        /// The number below which the given share of the numbers lies.
        Quantile = "quantile",
        /// The maximum error of that share.
        RankError = "rankError",
    }

    /// What is accumulated for each cell, so that questions can be answered.
    enum Measure {
        /// The sum.
        Sum = "sum",
        /// The sums for means and variances.
        Moments = "moments",
        /// The lowest number and its index.
        Lowest = "lowest",
        /// The highest number and its index.
        Highest = "highest",
        /// How many numbers are not zero.
        Nonzero = "nonzero",
    }

    /// How a block of elements becomes one. `"mean"`: the mean of the existing elements; integers
    /// are rounded half to even, as in NumPy. `"nearest"`: the element at the centre; of two, the
    /// one before it. `"mode"`: the most frequent value; of several, the lowest.
    enum DownsampleMethod {
        /// The element at the centre of the block.
        Nearest = "nearest",
        /// The mean.
        Mean = "mean",
        /// The most frequent number.
        Mode = "mode",
    }

    /// Blocks along a dimension. The indices of a block contribute to one cell.
    struct Blocks {
        /// The number of indices in a whole block.
        size: Natural,
        /// The number of indices that the first block lacks: the selection starts within it.
        phase: Natural,
    }

    /// What happens to a dimension of a reduction.
    union Along {
        /// The dimension is kept: each index has its own cells.
        Keep,
        /// The dimension is reduced: all indices contribute to the same cells.
        Reduce,
        /// Each block of indices contributes to one cell.
        Blocks(Blocks),
        /// The dimension is reduced by groups: labels say which group each index belongs to.
        Group,
    }

    /// A dimension of a selection that is reduced.
    struct ReducedDimension {
        /// Its extent in elements.
        extent: Natural,
        /// What happens to it.
        along: Along,
    }

    /// The group of each element, in C order over some dimensions, and broadcast along the others.
    struct Labels {
        /// The dimensions, ascending.
        dimensions: Vec<u32>,
        /// The groups; 2^32 − 1 for none.
        values: Words,
    }

    /// The weight of each element, broadcast in the same way.
    struct Weights {
        /// The dimensions, ascending.
        dimensions: Vec<u32>,
        /// Finite numbers.
        values: Floats,
    }

    /// Which elements to include, broadcast in the same way.
    struct Mask {
        /// The dimensions, ascending.
        dimensions: Vec<u32>,
        /// 0 excludes an element.
        values: Bytes,
    }

    /// The indices along a dimension of the selection, as indices of the array.
    struct PlaceIndices {
        /// The dimension.
        dimension: u32,
        /// One index for each of its elements.
        values: Floats,
    }

    /// A reduction of a box of elements.
    struct ReductionRequest {
        /// The type of the elements, of `NUMBER_TYPES`.
        source: String,
        /// What is accumulated.
        measures: Vec<Measure>,
        /// The length of a full list of a sketch for quantiles; 0 for none.
        sketch: Natural,
        /// The dimensions of the box, slowest first.
        dimensions: Vec<ReducedDimension>,
        /// The number of groups; 0 where there are none.
        groups: u32,
        /// The groups.
        labels: Option<Labels>,
        /// Weights. If there are several, they are multiplied.
        weights: Vec<Weights>,
        /// Which elements to include.
        mask: Option<Mask>,
        /// The lowest and the highest number to include. Each is a sum of two floats, the nearest
        /// one and the remainder, which can express every 64-bit integer.
        range: Option<((f64, f64), (f64, f64))>,
        /// The indices that `argmin` and `argmax` return.
        indices: Option<PlaceIndices>,
    }

    /// The sizes of a reduction in bytes.
    struct ReductionSizes {
        /// The size of its elements.
        element_bytes: Natural,
        /// The size of its accumulators.
        accumulator_bytes: Natural,
    }

    /// A reduction that has begun.
    struct OpenedReduction {
        /// Its number.
        session: u32,
        /// Its sizes.
        sizes: ReductionSizes,
    }

    /// Settings for all questions.
    struct ReductionSettings {
        /// The type of the elements, of `NUMBER_TYPES`.
        source: String,
        /// Subtracted from the sum of weights in the divisor of a variance (NumPy's `ddof`).
        freedom: f64,
        /// Whether to skip missing numbers. Otherwise, one of them makes the answer of its cell
        /// missing.
        skips_missing: bool,
    }

    /// A question about all cells.
    struct ReductionQuestion {
        /// What is asked.
        question: Question,
        /// The share of a quantile.
        share: f64,
    }

    /// The answers of all cells to a question.
    struct ReductionAnswer {
        /// Their type, of `NUMBER_TYPES`.
        number: String,
        /// The answers, packed and little-endian, in C order of the cells.
        values: Bytes,
    }

    /// A request to downsample a box of elements.
    struct DownsampleRequest {
        /// How a block becomes one element.
        method: DownsampleMethod,
        /// The type of the elements, of `NUMBER_TYPES`. Absent for `nearest`.
        number: Option<String>,
        /// The size of an element in bytes.
        size: u32,
        /// The shape of the box.
        shape: Vec<Natural>,
        /// The shape of a block.
        factors: Vec<Natural>,
        /// The bits of missing numbers, eight bytes each.
        missing: Bytes,
    }
}
