//! What reductions and downsampling are asked. Requests have the indices.

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

    /// What is remembered of each cell, to answer questions. A request has a bit for each.
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
}
