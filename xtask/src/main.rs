//! `xtask`: the build steps that need Rust crates. All other steps are in `scripts/`.
//!
//!     cargo run -p xtask -- glue <in.wasm> <out_dir> [--names]
//!
//! writes the JavaScript of a wasm build. It uses wasm-bindgen as a library, so its command in the
//! matching version need not be installed.

use std::path::PathBuf;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: xtask glue <in.wasm> <out_dir> [--names]";

/// The parsed command line.
struct Glue {
    input: PathBuf,
    out_dir: PathBuf,
    /// Whether to keep function names for stack traces. They are a fifth of the file's size.
    names: bool,
}

fn main() -> ExitCode {
    let outcome = parse(std::env::args().skip(1)).and_then(|glue| generate(&glue));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<Glue, String> {
    let (flags, words): (Vec<String>, Vec<String>) = arguments.partition(|word| word.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| *flag != "--names") {
        return Err(format!("unknown option {unknown}; {USAGE}"));
    }
    match words.as_slice() {
        [verb, input, out_dir] if verb == "glue" => {
            Ok(Glue { input: input.into(), out_dir: out_dir.into(), names: !flags.is_empty() })
        }
        _ => Err(USAGE.to_owned()),
    }
}

/// Writes `zarr_wasm.js`, `zarr_wasm.d.ts` and `zarr_wasm_bg.wasm` into the output folder.
fn generate(glue: &Glue) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&glue.input)
        .out_name("zarr_wasm")
        .typescript(true)
        // The caller always passes the module. Without this option the glue has a
        // `new URL("….wasm", import.meta.url)`, which bundlers would process.
        .omit_default_module_path(true)
        // `__wbg_reset_state` replaces an instance that is unusable after a panic.
        .reset_state_function(true)
        .keep_debug(false)
        .remove_name_section(!glue.names)
        .remove_producers_section(!glue.names);
    bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(&glue.out_dir))
        .map_err(|error| format!("{}: {error:#}", glue.input.display()))
}
