//! GRIB messages of edition 2: the values of a field, and the coordinates of its grid.
//! <https://library.wmo.int/records/item/35625-manual-on-codes-volume-i-2>
//!
//! ```no_run
//! use zarr_wasm_grib::{Adjustments, Axis, Convention, Message};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::read("temperature.grib2")?;
//! let message = Message::parse(&file)?;
//! // The caller decides how many points it accepts: here as many as there are.
//! let count = message.points()?;
//! let values = message.values(count)?;
//! let grid = message.grid(Convention::Eccodes)?;
//! let latitudes = grid.coordinates(Axis::Latitude, Adjustments::default(), count)?;
//! assert_eq!(values.len(), latitudes.len());
//! # Ok(())
//! # }
//! ```
//!
//! The first field of a message is read. Missing values are NaN. The numbers are those of eccodes,
//! to the last bit: the formula of the packing in 64 bits. All packings that centres publish are
//! decoded: simple, complex, with differences, IEEE floats, CCSDS, and images of JPEG 2000 and PNG
//! (features `jpeg2000` and `png`, which are on). Grids of even latitudes and longitudes, and those
//! on maps of Mercator, Lambert and polar stereographic have coordinates.
//!
//! Nothing is allocated by the numbers of a message before the caller's own count allows it. It
//! does no I/O, does not encode, and knows neither edition 1 nor the names of variables.
//!
//! Its errors are its own, and it uses nothing of the core, which decodes chunks with it.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod aec;
mod bits;
mod complex;
mod error;
mod grid;
#[cfg(any(feature = "jpeg2000", feature = "png"))]
mod image;
mod message;
mod packing;
mod projected;
mod scale;

pub use error::{Error, ErrorKind, ErrorParts, Result};
pub use grid::{Adjustments, Axis, Convention, Grid};
pub use message::Message;
