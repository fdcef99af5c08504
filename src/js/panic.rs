//! What a panic leaves behind: its message, told to the host on the caller's thread, and readable after the trap elsewhere.

use std::cell::RefCell;
use std::sync::Once;

use super::host;

thread_local! {
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Sets the hook, once an instance.
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

/// Where the message is.
pub fn message() -> (*const u8, usize) {
    MESSAGE.with(|slot| slot.try_borrow().map_or((std::ptr::null(), 0), |text| (text.as_ptr(), text.len())))
}
