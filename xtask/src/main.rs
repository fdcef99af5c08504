//! `xtask`: the build steps that need Rust crates. All other steps are in `scripts/`.
//!
//!     cargo run -p xtask -- glue <in.wasm> <out_dir> [--names]
//!     cargo run -p xtask -- arrange <in.wasm> <out.wasm>
//!     cargo run -p xtask -- align <in.wasm> <prefix.wasm> <out.wasm>
//!     cargo run -p xtask -- pack <in.wasm> <prefix.wasm> <out.zst> [--quick]
//!     cargo run -p xtask -- deflate <in.wasm> <out>
//!
//! `glue` writes the JavaScript of a wasm build ([`glue`]). `arrange` orders the engine's functions
//! ([`arrange`]), and `deflate` compresses it ([`deflate`]). `align` orders another wasm build as
//! the engine ([`align`]), and `pack` compresses it with the engine as prefix ([`pack`]).

mod align;
mod arrange;
mod deflate;
mod glue;
mod order;
mod pack;
mod unreached;

use std::process::ExitCode;

use glue::Glue;
use pack::Pack;

const USAGE: &str = "usage: xtask glue <in.wasm> <out_dir> [--names], or xtask arrange <in.wasm> <out.wasm>, or xtask align <in.wasm> <prefix.wasm> <out.wasm>, or xtask pack <in.wasm> <prefix.wasm> <out.zst> [--quick], or xtask deflate <in.wasm> <out>";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (flags, words): (Vec<String>, Vec<String>) = arguments.partition(|word| word.starts_with("--"));
    let (words, flags): (Vec<&str>, Vec<&str>) =
        (words.iter().map(String::as_str).collect(), flags.iter().map(String::as_str).collect());
    match (words.as_slice(), flags.as_slice()) {
        (["glue", input, out_dir], [] | ["--names"]) => {
            glue::generate(&Glue { input: input.into(), out_dir: out_dir.into(), names: !flags.is_empty() })
        }
        (["pack", input, prefix, output], [] | ["--quick"]) => pack::pack(&Pack {
            input: input.into(),
            prefix: prefix.into(),
            output: output.into(),
            quick: !flags.is_empty(),
        }),
        (["arrange", input, output], []) => arrange::arrange(input.as_ref(), output.as_ref()),
        (["align", input, prefix, output], []) => {
            align::align(input.as_ref(), prefix.as_ref(), output.as_ref())
        }
        (["deflate", input, output], []) => deflate::deflate(input.as_ref(), output.as_ref()),
        _ => Err(USAGE.to_owned()),
    }
}
