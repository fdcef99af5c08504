//! What reductions and downsampling are asked, and their answers.

use crate::encoding::{Bytes, Floats, Natural, Words};

records! {
    /// What is asked of each cell of a reduction.
    enum Question {
        /// How many numbers were used.
        Count = "count",
        /// Their sum.
        Sum = "sum",
        /// Their mean.
        Mean = "mean",
        /// The lowest.
        Min = "min",
        /// The highest.
        Max = "max",
        /// The mean squared difference from the mean.
        Var = "var",
        /// Its square root.
        Std = "std",
        /// Whether one is not zero.
        Any = "any",
        /// Whether none is zero.
        All = "all",
        /// The index of the lowest.
        ArgMin = "argmin",
        /// The index of the highest.
        ArgMax = "argmax",
        /// The number below which a share of the numbers is.
        Quantile = "quantile",
        /// By how much that share may differ.
        RankError = "rankError",
    }

    /// What is remembered of each cell, to answer questions.
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

    /// How a block of elements becomes one element.
    enum DownsampleMethod {
        /// The first element of the block.
        Nearest = "nearest",
        /// The mean.
        Mean = "mean",
        /// The most frequent number.
        Mode = "mode",
    }

    /// Places that share their cells. The first block has lost `phase` places.
    struct Blocks {
        /// Places of a whole block.
        size: Natural,
        /// Places of the first block that are not here.
        phase: Natural,
    }

    /// What happens to a dimension of a reduction.
    union Along {
        /// It stays: each place has cells of its own.
        Keep,
        /// It goes: all places share their cells.
        Reduce,
        /// So many places share their cells.
        Blocks(Blocks),
        /// It goes, and labels say to which group a place belongs.
        Group,
    }

    /// A dimension of a selection that is reduced.
    struct ReducedDimension {
        /// Its places.
        extent: Natural,
        /// What happens to it.
        along: Along,
    }

    /// Groups of places, in C order. Along other dimensions they are the same.
    struct Labels {
        /// The dimensions, ascending.
        dimensions: Vec<u32>,
        /// The group of each place; 2^32 − 1 for none.
        values: Words,
    }

    /// Weights of places, likewise.
    struct Weights {
        /// The dimensions, ascending.
        dimensions: Vec<u32>,
        /// Finite numbers.
        values: Floats,
    }

    /// Which places count, likewise.
    struct Mask {
        /// The dimensions, ascending.
        dimensions: Vec<u32>,
        /// 0 for those that do not count.
        values: Bytes,
    }

    /// The indices of places in their array.
    struct PlaceIndices {
        /// The dimension.
        dimension: u32,
        /// An index for each of its places.
        values: Floats,
    }

    /// A reduction of a box of elements.
    struct ReductionRequest {
        /// The type of the elements, of `NUMBER_TYPES`.
        source: String,
        /// What is remembered.
        measures: Vec<Measure>,
        /// The length of a full list of a sketch for quantiles; 0 for none.
        sketch: Natural,
        /// The dimensions of the box, slowest first.
        dimensions: Vec<ReducedDimension>,
        /// The number of groups; 0 where there are none.
        groups: u32,
        /// The groups.
        labels: Option<Labels>,
        /// Weights, which are multiplied.
        weights: Vec<Weights>,
        /// Which elements count.
        mask: Option<Mask>,
        /// The lowest and the highest number that counts. Each is the sum of two floats, so that it
        /// may be any integer of 64 bits: the nearest float, and the rest.
        range: Option<((f64, f64), (f64, f64))>,
        /// What extremes remember the place by.
        indices: Option<PlaceIndices>,
    }

    /// A part of a reduction: its box within the selection.
    struct ReducedPart {
        /// Its number in the plan.
        number: Natural,
        /// The first place along each dimension.
        start: Floats,
        /// The extent along each dimension.
        shape: Floats,
    }

    /// The sizes of a reduction in bytes.
    struct ReductionSizes {
        /// Of its elements.
        element_bytes: Natural,
        /// Of its accumulators.
        accumulator_bytes: Natural,
    }

    /// A reduction that has begun.
    struct OpenedReduction {
        /// Its number.
        session: u32,
        /// Its sizes.
        sizes: ReductionSizes,
    }

    /// How questions are answered.
    struct ReductionSettings {
        /// The type of the elements, of `NUMBER_TYPES`.
        source: String,
        /// What the divisor of a variance is less than the sum of the weights.
        freedom: f64,
        /// Whether missing numbers are left out. If not, one makes the answer of its cell missing.
        skips_missing: bool,
    }

    /// A question to all cells.
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

    /// How a box of elements is made smaller.
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
