//! Where pixels are among the elements of a source.

/// Column and row, of which 0 is the centre of the first element; NaN where there is none.
pub type Position = [f64; 2];

/// No element.
pub const NOWHERE: Position = [f64::NAN; 2];

/// After so many degrees a longitude is the same again.
pub const WHOLE_TURN: f64 = 360.0;
