//! Prints the declarations of all records and operations for TypeScript:
//!
//! ```sh
//! cargo run --package zarr-wasm-contract --example print_declarations
//! ```
//!
//! It shows how a program makes a file of another language from the contract.

#[allow(clippy::print_stdout)]
fn main() {
    println!("{}", zarr_wasm_contract::typescript::contract(""));
}
