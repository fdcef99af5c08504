//! Writes the JavaScript of a wasm build. It uses wasm-bindgen as a library, so its command in the
//! matching version need not be installed.

use std::fs;
use std::path::PathBuf;

use wasm_bindgen_cli_support::Bindgen;

use crate::unreached;

/// The command line of `glue`.
pub struct Glue {
    pub input: PathBuf,
    pub out_dir: PathBuf,
    /// Whether to keep function names for stack traces and for [`unreached`]. They are a fifth of
    /// the file's size.
    pub names: bool,
}

/// Writes `zarr_wasm.js`, `zarr_wasm.d.ts` and `zarr_wasm_bg.wasm` into the output folder. The
/// module has no bodies of functions that are not reached ([`unreached`]).
pub fn generate(glue: &Glue) -> Result<(), String> {
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
        .map_err(|error| format!("{}: {error:#}", glue.input.display()))?;
    let module = glue.out_dir.join("zarr_wasm_bg.wasm");
    let named = |error: String| format!("{}: {error}", module.display());
    let wasm = fs::read(&module).map_err(|error| named(error.to_string()))?;
    fs::write(&module, unreached::emptied(&wasm).map_err(named)?).map_err(|error| named(error.to_string()))
}
