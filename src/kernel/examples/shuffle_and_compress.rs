//! Compresses a smooth curve of 100 000 floats with Zstandard, as it is and shuffled, and prints
//! both lengths in bytes:
//!
//! ```sh
//! cargo run --package zarr-wasm-kernel --features encoders --example shuffle_and_compress
//! ```
//!
//! It shows that kernels are functions on byte slices: the caller has the buffers and knows what
//! the bytes mean.

use std::error::Error;

use zarr_wasm_kernel::shuffle::{shuffle, unshuffle};
use zarr_wasm_kernel::zstd;

const COUNT: u16 = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    let bytes: Vec<u8> = (0..COUNT).flat_map(|step| (f32::from(step) / 1000.0).sin().to_le_bytes()).collect();
    let mut shuffled = vec![0; bytes.len()];
    shuffle(&bytes, size_of::<f32>(), &mut shuffled);

    let (plain, small) = (compressed(&bytes)?, compressed(&shuffled)?);
    let unpacked =
        zstd::decompress_with_prefix(&small, &[], bytes.len()).map_err(|error| format!("{error:?}"))?;
    let mut back = vec![0; bytes.len()];
    unshuffle(&unpacked, size_of::<f32>(), &mut back);
    if back != bytes {
        return Err("other bytes came back".into());
    }
    print(&format!(
        "{} bytes: {} compressed, {} shuffled and compressed",
        bytes.len(),
        plain.len(),
        small.len()
    ));
    Ok(())
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut frame = Vec::new();
    zstd::compress(bytes, 3, true, &mut frame).map_err(|error| format!("{error:?}"))?;
    Ok(frame)
}

#[allow(clippy::print_stdout)]
fn print(line: &str) {
    println!("{line}");
}
