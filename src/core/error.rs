//! The one public error type.
//!
//! Its kind says **who must act**. Its context says where the error arose, what was expected and
//! what was found.
//!
//! It is deliberately not an enum of every failure. Programs branch on [`ErrorKind`]; people read
//! the message.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use zarr_wasm_contract::{Build, ErrorRecord, Natural};

use crate::quoted::quoted;

/// Who must act.
pub use zarr_wasm_contract::ErrorCode as ErrorKind;
/// Where an error arose, and what was expected and found.
pub use zarr_wasm_contract::ErrorContext as Context;
/// The step in which an error arose.
pub use zarr_wasm_contract::Stage;

/// The result of every fallible function in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A value of the host, such as an exception. The core carries it and never reads it.
pub type Opaque = Rc<dyn Any>;

/// Whether this build has archives, references, Icechunk repositories and lists. `false` in the
/// engine, the small build that every reader downloads. See [`Error::needs_reading`].
pub const IS_READING: bool = cfg!(feature = "reading");

/// Whether this build has everything but decoders of images and of GRIB. See [`Error::needs_full`].
pub const IS_FULL: bool = cfg!(feature = "full");

/// Whether this build runs users' codecs, which may be beside codecs of images and of GRIB.
pub const HAS_USER_CODECS: bool = IS_FULL || cfg!(any(feature = "images", feature = "grib"));

/// Waits for work on the node at `path`. Its error names the node, unless it names one already.
///
/// # Errors
/// Those of the work.
pub async fn at_node<T>(path: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
    work.await.map_err(|error| error.at_node(path))
}

/// What failed, where, and who must act. See the module.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    context: Context,
    cause: Option<Opaque>,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(message: impl Into<String>) -> Self { Self::new(ErrorKind::$kind, message) }
    )*};
}

macro_rules! context_setters {
    ($($(#[$doc:meta])* $setter:ident => $field:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $setter(mut self, value: impl Into<String>) -> Self {
            set(&mut self.0.context.$field, value.into());
            self
        }
    )*};
}

/// Sets what is not set yet.
#[cold]
fn set(field: &mut Option<String>, value: String) {
    field.get_or_insert(value);
}

impl Error {
    /// An error of this kind with this message and no context yet.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::of_message(kind, message.into())
    }

    #[cold]
    fn of_message(kind: ErrorKind, message: String) -> Self {
        Self(Box::new(Inner { kind, message, context: Context::default(), cause: None }))
    }

    /// Makes the error that another wasm instance has written as a record.
    pub fn of_record(ErrorRecord { code, message, context, .. }: ErrorRecord) -> Self {
        Self::of_message(code, message).with_context(context)
    }

    /// This build lacks `what`, and the full build has it: the host loads the full build and
    /// repeats the call.
    pub fn needs_full(what: &str) -> Self {
        Self::needs(what, Build::Full)
    }

    /// As [`needs_full`](Self::needs_full), for the build `reading`.
    pub fn needs_reading(what: &str) -> Self {
        Self::needs(what, Build::Reading)
    }

    #[cold]
    fn needs(what: &str, build: Build) -> Self {
        let mut error = Self::unsupported(format!("the {} build is needed: {what}", build.name()));
        error.0.context.build = Some(build);
        error
    }

    /// Whether another build can do the work.
    pub fn is_of_build(&self) -> bool {
        self.context().build.is_some()
    }

    /// `Ok` in the full build. In other builds the compiler drops the code that follows the check.
    ///
    /// # Errors
    /// [`needs_full`](Self::needs_full) in builds other than the full one.
    #[inline(always)]
    pub fn check_full(what: &str) -> Result<()> {
        if IS_FULL { Ok(()) } else { Err(Self::needs_full(what)) }
    }

    /// As [`check_full`](Self::check_full), for the build `reading`.
    ///
    /// # Errors
    /// [`needs_reading`](Self::needs_reading) in the engine's own build.
    #[inline(always)]
    pub fn check_reading(what: &str) -> Result<()> {
        if IS_READING { Ok(()) } else { Err(Self::needs_reading(what)) }
    }

    constructors! {
        /// Nothing is there.
        not_found => NotFound;
        /// The network, the server, the disk or the user's store failed.
        store => Store;
        /// The data breaks the specification.
        format => Format;
        /// The data is valid, but this build cannot handle it.
        unsupported => Unsupported;
        /// The caller passed a wrong argument.
        argument => Argument;
        /// A budget would be exceeded.
        limit => Limit;
        /// The caller cancelled the call.
        aborted => Aborted;
    }

    context_setters! {
        /// Sets the node, unless it is set already.
        at_node => node;
        /// Sets the store key, unless it is set already.
        at_key => key;
        /// Sets the codec, unless it is set already.
        in_codec => codec;
        /// Sets the metadata field, unless it is set already.
        in_field => field;
        /// Sets what was expected, unless it is set already.
        expected => expected;
        /// Sets what was found, unless it is set already.
        actual => actual;
    }

    /// Sets the stage, unless it is set already.
    #[must_use]
    pub fn in_stage(mut self, stage: Stage) -> Self {
        self.0.context.stage.get_or_insert(stage);
        self
    }

    /// Sets the byte range (offset and length in bytes) of the key, unless it is set already.
    #[must_use]
    pub fn at_range(mut self, offset: u64, len: u64) -> Self {
        self.0.context.range.get_or_insert((Natural(offset), Natural(len)));
        self
    }

    /// Adds what the host threw, which becomes the `cause` of the host's error. A cause that is
    /// there already stays.
    #[must_use]
    pub fn caused_by(mut self, cause: Opaque) -> Self {
        self.0.cause.get_or_insert(cause);
        self
    }

    /// Prefixes the metadata field with the path of the object that holds it: `level` becomes
    /// `codecs[1].configuration.level`.
    #[must_use]
    #[cold]
    pub fn within_field(mut self, parent: &str) -> Self {
        let field = &mut self.0.context.field;
        *field = Some(match field.take() {
            Some(inner) if inner.starts_with('[') => format!("{parent}{inner}"),
            Some(inner) => format!("{parent}.{inner}"),
            None => parent.to_owned(),
        });
        self
    }

    /// As [`within_field`](Self::within_field), for an element of a list.
    #[must_use]
    #[cold]
    pub fn in_element(self, idx: usize) -> Self {
        self.within_field(&format!("[{idx}]"))
    }

    /// Sets what a decoder in a crate of its own expected and found.
    #[cfg(any(feature = "grib", feature = "images"))]
    #[must_use]
    pub(crate) fn of_decoder(mut self, expected: Option<String>, actual: Option<String>) -> Self {
        (self.0.context.expected, self.0.context.actual) = (expected, actual);
        self
    }

    /// Replaces the key. Decoders know keys relative to their array only.
    #[must_use]
    pub fn replace_key(mut self, key: &str) -> Self {
        self.0.context.key = Some(key.to_owned());
        self
    }

    /// Makes it an `Argument` error: what failed was text or a choice of the caller.
    #[must_use]
    pub fn into_argument(mut self) -> Self {
        self.0.kind = ErrorKind::Argument;
        self
    }

    /// Makes it a `Format` error: what failed was text of the data.
    #[must_use]
    pub fn into_format(mut self) -> Self {
        self.0.kind = ErrorKind::Format;
        self
    }

    /// Who must act.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without its context.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where the error arose, and what was expected and found.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Replaces the whole context, for errors that come from a worker.
    #[must_use]
    pub fn with_context(mut self, context: Context) -> Self {
        self.0.context = context;
        self
    }

    /// What the host threw.
    pub fn cause(&self) -> Option<&Opaque> {
        self.0.cause.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let context = &self.0.context;
        f.write_str(&self.0.message)?;
        let labelled = [
            ("codec", &context.codec),
            ("field", &context.field),
            ("node", &context.node),
            ("key", &context.key),
        ];
        let mut open = " (";
        for (label, value) in labelled {
            if let Some(value) = value {
                write!(f, "{open}{label} {}", quoted(value))?;
                open = ", ";
            }
        }
        if let Some((Natural(offset), Natural(len))) = context.range {
            write!(f, "{open}bytes {offset}+{len}")?;
            open = ", ";
        }
        if open == ", " {
            f.write_str(")")?;
        }
        if let Some(expected) = &context.expected {
            write!(f, ": expected {expected}")?;
        }
        if let Some(actual) = &context.actual {
            write!(f, "{} {actual}", if context.expected.is_some() { ", found" } else { ": found" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.0.kind.name())
    }
}

impl std::error::Error for Error {}

/// The error as it crosses between instances and to the host, without what the host threw.
impl From<&Error> for ErrorRecord {
    fn from(error: &Error) -> Self {
        let Inner { kind, message, context, cause: _ } = &*error.0;
        let text = Some(error.to_string()).filter(|text| text != message);
        Self { code: *kind, message: message.clone(), text, context: context.clone(), cause: None }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use zarr_wasm_contract::Record as _;

    use super::*;

    #[test]
    fn a_message_names_location_expected_and_actual() {
        let error = Error::format("checksum does not match")
            .in_codec("crc32c")
            .at_key("a/c/0")
            .at_range(16, 4)
            .expected("0x01")
            .actual("0x02");
        assert_eq!(
            error.to_string(),
            "checksum does not match (codec \"crc32c\", key \"a/c/0\", bytes 16+4): expected 0x01, found 0x02"
        );
    }

    #[test]
    fn context_that_is_set_first_is_kept_and_fields_nest() {
        let error = Error::format("no").in_field("level").at_key("inner").at_key("outer");
        let error = error.within_field("configuration").within_field("codecs[1]");
        assert_eq!(error.context().key.as_deref(), Some("inner"));
        assert_eq!(error.context().field.as_deref(), Some("codecs[1].configuration.level"));
    }

    #[test]
    fn codes_and_stages_round_trip() {
        for kind in [ErrorKind::NotFound, ErrorKind::Limit, ErrorKind::Aborted] {
            assert_eq!(ErrorKind::of_name(kind.name()), Some(kind));
        }
        assert_eq!(Stage::of_name("decode"), Some(Stage::Decode));
        assert_eq!(Stage::of_name("nonsense"), None);
        let error = Error::needs_reading("lists");
        assert_eq!((error.context().build, error.is_of_build()), (Some(Build::Reading), true));
    }

    #[test]
    fn a_record_has_all_of_an_error() {
        let error = Error::limit("too \"large\"")
            .in_stage(Stage::Decode)
            .at_node("/a")
            .at_key("a/c/0")
            .at_range(1 << 52, 4)
            .in_codec("zstd")
            .in_field("level")
            .expected("1")
            .actual("2");
        let record = ErrorRecord::from(&error);
        assert_eq!(record.text, Some(error.to_string()));
        let again = Error::of_record(ErrorRecord::from_bytes(&record.to_bytes()).unwrap());
        assert_eq!((again.kind(), again.message()), (error.kind(), error.message()));
        assert_eq!(again.context(), error.context());
        assert_eq!(ErrorRecord::from(&Error::argument("no")).text, None);
    }
}
