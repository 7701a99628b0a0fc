//! The last failure of each thread, and the net under every function.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Text for C: without zeros inside.
pub(super) fn text(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes = text.into();
    bytes.retain(|&b| b != 0);
    CString::new(bytes).unwrap_or_default()
}

/// Runs the body of a function. A failure or panic is remembered and gives `otherwise`.
pub(super) fn guard<T>(otherwise: T, body: impl FnOnce() -> Result<T, String>) -> T {
    let message = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(message)) => message,
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("internal error: {}", message.unwrap_or("panic"))
        }
    };
    // The thread may be ending; then nobody can read the text.
    let _ = LAST.try_with(|last| *last.borrow_mut() = text(message));
    otherwise
}

/// The text of the last failure in this thread, empty if there was none. Valid until the next
/// call of any function of this interface in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn meerslag_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let value = guard(-2, || panic!("number {}", 7));
        assert_eq!(value, -2);
        // SAFETY: the pointer is valid until the next call in this thread.
        let text = unsafe { std::ffi::CStr::from_ptr(meerslag_last_error()) };
        assert_eq!(text.to_str(), Ok("internal error: number 7"));
    }
}
