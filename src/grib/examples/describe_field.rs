//! Prints what the first field of a GRIB file covers: its number of points, the range of its
//! values, and its first and last coordinates.
//!
//! ```sh
//! cargo run --package zarr-wasm-grib --example describe_field -- temperature.grib2
//! ```

use std::error::Error;

use zarr_wasm_grib::{Adjustments, Axis, Convention, Message};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a GRIB file")?;
    let file = std::fs::read(path)?;
    let message = Message::parse(&file)?;
    // A program that reads files of others compares this count with what it expects.
    let count = message.points()?;
    let values = message.values(count)?;
    let present = values.iter().copied().filter(|value| !value.is_nan());
    let (low, high) = present
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    print(&format!("{count} points from {low} to {high}"));

    let grid = message.grid(Convention::Eccodes)?;
    for (name, axis) in [("latitude", Axis::Latitude), ("longitude", Axis::Longitude)] {
        let coordinates = grid.coordinates(axis, Adjustments::default(), count)?;
        if let [first, .., last] = coordinates.as_slice() {
            print(&format!("{name} from {first} to {last}"));
        }
    }
    Ok(())
}

#[allow(clippy::print_stdout)]
fn print(line: &str) {
    println!("{line}");
}
