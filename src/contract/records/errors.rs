//! Errors.

use crate::builds::Build;
use crate::encoding::{Held, Natural};

records! {
    /// Who must act after an error. `"NotFound"`: there is no node, or one of the other kind.
    /// `"Store"`: the server, the disk or the user's store failed. `"Format"`: metadata or chunks
    /// break their specification. `"Unsupported"`: the data are valid, and this package or this
    /// environment cannot process them. `"Argument"`: the call is wrong. `"Limit"`: a result or a
    /// document is larger than what is allowed. `"Aborted"`: the call was ended without a reason of
    /// the caller's own.
    enum ErrorCode {
        /// There is no such node.
        NotFound = "NotFound",
        /// The network, the server, the disk or the user's store failed.
        Store = "Store",
        /// The data break the specification.
        Format = "Format",
        /// The data are valid, but this build or environment cannot handle them.
        Unsupported = "Unsupported",
        /// An argument is wrong.
        Argument = "Argument",
        /// A limit would be exceeded.
        Limit = "Limit",
        /// The caller aborted.
        Aborted = "Aborted",
    }

    /// The step in which an error arose.
    enum Stage {
        /// Reading or writing a metadata document.
        Metadata = "metadata",
        /// Looking up a codec by name.
        CodecName = "codec-name",
        /// Turning bytes into elements.
        Decode = "decode",
        /// Turning elements into bytes.
        Encode = "encode",
        /// Resolving a selection.
        Selection = "selection",
    }

    /// An error.
    struct ErrorRecord {
        /// What it means for the caller.
        code: ErrorCode,
        /// What failed, without the context.
        message: String,
        /// The message with the context, if that adds to it.
        text: Option<String>,
        /// Where it arose.
        context: ErrorContext,
        /// What the user's store, `fetch` or codec threw.
        cause: Option<Held>,
    }

    /// Where an error arose, and what was expected and found.
    struct ErrorContext {
        /// The step.
        stage: Option<Stage>,
        /// Path of the node.
        node: Option<String>,
        /// Store key.
        key: Option<String>,
        /// Byte range of the key: offset and length.
        range: Option<(Natural, Natural)>,
        /// Name of the codec as in the metadata.
        codec: Option<String>,
        /// Metadata field, such as `codecs[1].configuration.level`.
        field: Option<String>,
        /// What was expected.
        expected: Option<String>,
        /// What was found.
        actual: Option<String>,
        /// The build that can do the work, where this one cannot.
        build: Option<Build>,
    }
}

#[allow(clippy::derivable_impls, reason = "the macro of records gives no defaults")]
impl Default for ErrorContext {
    fn default() -> Self {
        Self {
            stage: None,
            node: None,
            key: None,
            range: None,
            codec: None,
            field: None,
            expected: None,
            actual: None,
            build: None,
        }
    }
}
