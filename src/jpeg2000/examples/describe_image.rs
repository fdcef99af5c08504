//! Prints the size of a JPEG 2000 image, and the mean of each component:
//!
//! ```sh
//! cargo run --package zarr-wasm-jpeg2000 --example describe_image -- image.jp2
//! ```

use std::error::Error;

use zarr_wasm_jpeg2000::Jpeg2000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a JPEG 2000 image")?;
    let file = std::fs::read(path)?;
    let image = Jpeg2000::parse(&file)?;
    let size = &image.size;
    print(&format!(
        "{} x {} pixels of {} components of {} bits",
        size.width, size.height, size.components, size.bits
    ));
    let means = image.decode(|planes| planes.iter().map(|plane| mean(plane)).collect::<Vec<_>>())?;
    for (component, mean) in means.iter().enumerate() {
        print(&format!("component {component}: {mean:.1}"));
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "images have fewer than 2^53 pixels")]
fn mean(plane: &[f32]) -> f64 {
    plane.iter().copied().map(f64::from).sum::<f64>() / plane.len() as f64
}

#[allow(clippy::print_stdout)]
fn print(line: &str) {
    println!("{line}");
}
