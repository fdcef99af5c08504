//! Compresses a wasm build as DEFLATE (RFC 1951), which browsers inflate themselves. Zopfli's
//! streams are a twentieth smaller than zlib's, and are inflated as fast.

use std::fs::{self, File};
use std::io::BufWriter;
use std::num::NonZeroU64;
use std::path::Path;

use zopfli::{Format, Options};

/// More than these make the stream no smaller.
const ITERATIONS: NonZeroU64 = NonZeroU64::new(30).expect("a positive number");
const SPLITS: u16 = 100;

/// Writes the stream of the input's content to the output file. It takes some seconds.
pub fn deflate(input: &Path, output: &Path) -> Result<(), String> {
    let named = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let content = fs::read(input).map_err(named(input))?;
    let file = BufWriter::new(File::create(output).map_err(named(output))?);
    let options = Options { iteration_count: ITERATIONS, maximum_block_splits: SPLITS, ..Options::default() };
    zopfli::compress(options, Format::Deflate, &*content, file).map_err(named(output))
}
