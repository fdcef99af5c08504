//! The message of a panic. The engine reports it to the host; workers read it after the trap.

use std::sync::Once;

use crate::contract::wasm_module::keep_panic;

use super::host;

/// Sets the panic hook, once for each instance.
pub fn install() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = info.to_string();
            host::panicked(&message);
            keep_panic(message);
        }));
    });
}
