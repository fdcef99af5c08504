//! What a user may set of a store over HTTP.

use std::rc::Rc;

/// Receives warnings, such as that a server ignores byte ranges.
pub type WarningSink = Rc<dyn Fn(&str)>;

/// Options of an HTTP store.
#[derive(Clone)]
pub struct HttpOptions {
    /// Whether to read suffixes with `bytes=-N` from the start. This saves a round trip. On another
    /// origin it needs a preflight, which the server must allow.
    pub use_suffix_request: bool,
    /// Whether status 403 on a chunk means that it is absent, without a warning.
    pub missing_on_403: bool,
    /// Whether requests carry no credentials: no headers of the user, no cookies, and no custom
    /// `fetch` that may add some. Credentials in the URL are checked for each request.
    pub is_anonymous: bool,
    /// Whether, after a request without a readable answer, another one without CORS and credentials
    /// may test that the server is there. It may not where a `fetch` of the user sends the
    /// requests. It goes to the same address, which has been judged.
    pub may_probe: bool,
    /// Number of retries after a temporary failure.
    pub retries: u32,
    /// Whether concurrent ranges of one URL bypass the HTTP cache, in browsers that would serialise
    /// them.
    pub no_store_concurrent_ranges: bool,
    /// Whether all reads pass the caches between the store and the server, because it is not known
    /// what an earlier write did.
    pub passes_caches: bool,
    /// Receives all warnings.
    pub on_warning: Option<WarningSink>,
    /// Receives the warnings that should also appear on the console if no listener shows them.
    pub on_console: Option<WarningSink>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            use_suffix_request: false,
            missing_on_403: false,
            is_anonymous: false,
            may_probe: false,
            retries: 3,
            no_store_concurrent_ranges: true,
            passes_caches: false,
            on_warning: None,
            on_console: None,
        }
    }
}

impl HttpOptions {
    /// Warns about something that only costs time.
    pub(crate) fn warn(&self, warning: &str) {
        if let Some(on_warning) = &self.on_warning {
            on_warning(warning);
        }
    }

    /// Warns about something that changes data.
    pub(crate) fn warn_on_console(&self, warning: &str) {
        self.warn(warning);
        if let Some(on_console) = &self.on_console {
            on_console(warning);
        }
    }
}
