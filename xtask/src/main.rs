//! `xtask`: the build steps that need Rust crates. All other steps are in `scripts/`.
//!
//!     cargo run -p xtask -- glue <in.wasm> <out_dir> [--names]
//!     cargo run -p xtask -- arrange <in.wasm> <out.wasm>
//!     cargo run -p xtask -- align <in.wasm> <prefix.wasm> <out.wasm>
//!     cargo run -p xtask -- pack <in.wasm> <prefix.wasm> <out.zst> [--quick]
//!     cargo run -p xtask -- deflate <in.wasm> <out>
//!     cargo run -p xtask -- sizes <in.wasm>
//!
//! `glue` runs wasm-bindgen ([`glue`]) and empties what nothing reaches ([`unreached`]). The others
//! take a module and write it in another order or compressed: [`arrange`], [`align`], [`pack`],
//! [`deflate`]. `sizes` prints the bytes of each function ([`sizes`]). `xtask/README.md` says what
//! each pass saves.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails with what it unwraps"))]

mod align;
mod arrange;
mod deflate;
mod glue;
mod order;
mod pack;
#[cfg(test)]
mod sample;
mod sizes;
mod unreached;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// What a step says when it fails.
type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "usage: xtask glue <in.wasm> <out_dir> [--names], or xtask arrange <in.wasm> <out.wasm>, or xtask align <in.wasm> <prefix.wasm> <out.wasm>, or xtask pack <in.wasm> <prefix.wasm> <out.zst> [--quick], or xtask deflate <in.wasm> <out>, or xtask sizes <in.wasm>";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let (flags, words): (Vec<String>, Vec<String>) = arguments.partition(|word| word.starts_with("--"));
    let (words, flags): (Vec<&str>, Vec<&str>) =
        (words.iter().map(String::as_str).collect(), flags.iter().map(String::as_str).collect());
    match (words.as_slice(), flags.as_slice()) {
        (["glue", input, out_dir], [] | ["--names"]) => {
            let module = glue::generate(input.as_ref(), out_dir.as_ref(), !flags.is_empty())?;
            changed(&module, &module, unreached::emptied)
        }
        (["arrange", input, output], []) => changed(input.as_ref(), output.as_ref(), arrange::arranged),
        (["align", input, prefix, output], []) => {
            let prefix = read(prefix.as_ref())?;
            changed(input.as_ref(), output.as_ref(), |wasm| align::aligned(wasm, &prefix))
        }
        (["pack", input, prefix, output], [] | ["--quick"]) => {
            let (prefix, level) =
                (read(prefix.as_ref())?, if flags.is_empty() { pack::BEST } else { pack::QUICK });
            changed(input.as_ref(), output.as_ref(), |wasm| pack::packed(wasm, &prefix, level))
        }
        (["deflate", input, output], []) => changed(input.as_ref(), output.as_ref(), deflate::deflated),
        (["sizes", input], []) => sizes::listed(&read(input.as_ref())?).map(|list| print_list(&list)),
        _ => Err(USAGE.to_owned()),
    }
}

/// Writes what a pass makes of the input's content to the output.
fn changed(input: &Path, output: &Path, pass: impl FnOnce(&[u8]) -> Result<Vec<u8>>) -> Result<()> {
    let made = pass(&read(input)?).map_err(|error| format!("{}: {error}", input.display()))?;
    fs::write(output, made).map_err(|error| format!("{}: {error}", output.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[allow(clippy::print_stdout, reason = "it is what the command is for")]
fn print_list(list: &str) {
    print!("{list}");
}
