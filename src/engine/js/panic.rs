//! The message of a panic. The engine reports it to the host; workers read it after the trap.

use std::cell::RefCell;
use std::sync::Once;

use super::host;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Sets the panic hook, once for each instance.
pub fn install() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = info.to_string();
            host::panicked(&message);
            MESSAGE.with(|slot| {
                if let Ok(mut slot) = slot.try_borrow_mut() {
                    *slot = message;
                }
            });
        }));
    });
}

/// Address and length of the message.
pub fn message() -> (*const u8, usize) {
    MESSAGE.with(|slot| slot.try_borrow().map_or((std::ptr::null(), 0), |text| (text.as_ptr(), text.len())))
}
