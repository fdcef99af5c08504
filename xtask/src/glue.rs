//! Writes the JavaScript of a wasm build. It uses wasm-bindgen as a library, so its command in the
//! matching version need not be installed.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::Result;

/// Writes `zarr_wasm.js`, `zarr_wasm.d.ts` and `zarr_wasm_bg.wasm` into the output folder. Returns
/// the path of the module. With `names` it keeps function names for stack traces and for
/// [`unreached`](super::unreached). They are a fifth of the file's size.
pub fn generate(input: &Path, out_dir: &Path, names: bool) -> Result<PathBuf> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .out_name("zarr_wasm")
        .typescript(true)
        // The caller always passes the module. Without this option the glue has a
        // `new URL("….wasm", import.meta.url)`, which bundlers would process.
        .omit_default_module_path(true)
        .keep_debug(false)
        .remove_name_section(!names)
        .remove_producers_section(!names);
    bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(out_dir))
        .map_err(|error| format!("{}: {error:#}", input.display()))?;
    Ok(out_dir.join("zarr_wasm_bg.wasm"))
}
