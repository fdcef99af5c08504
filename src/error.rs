//! The one public error. Its kind says **who must act**; its context says what, where, expected and actual.
//!
//! Deliberately not an enum of every failure: callers branch on [`ErrorKind`] (and JavaScript on `code` and `_tag`),
//! people read the message.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

/// The result of everything fallible in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A value of the host (a JavaScript exception, an abort signal) that the core carries and never looks into.
pub type Opaque = Rc<dyn Any>;

/// Whether this build has what the engine, which every reader downloads, leaves to the full build: what readers of v2 and v3 rarely
/// meet. See [`Error::needs_full`].
pub const IS_FULL: bool = cfg!(any(feature = "full", feature = "images", not(target_arch = "wasm32")));

/// Who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller: nothing is there; look elsewhere.
    NotFound,
    /// The network, the server, the disk or the user's store.
    Store,
    /// Whoever wrote the data: it breaks the specification.
    Format,
    /// Us: valid data that this build cannot handle; the message names the extension.
    Unsupported,
    /// The caller: a wrong argument.
    Argument,
    /// The caller or the data: a budget of [`crate::limits`] would be exceeded.
    Limit,
    /// The caller gave up.
    Aborted,
}

impl ErrorKind {
    /// The `code` of the JavaScript error.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotFound => "NotFound",
            Self::Store => "Store",
            Self::Format => "Format",
            Self::Unsupported => "Unsupported",
            Self::Argument => "Argument",
            Self::Limit => "Limit",
            Self::Aborted => "Aborted",
        }
    }

    /// The kind whose [`code`](Self::code) this is.
    pub fn from_code(code: &str) -> Option<Self> {
        [
            Self::NotFound,
            Self::Store,
            Self::Format,
            Self::Unsupported,
            Self::Argument,
            Self::Limit,
            Self::Aborted,
        ]
        .into_iter()
        .find(|kind| kind.code() == code)
    }
}

/// Where in the work an error arose; with the kind it decides zarrita's `_tag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading or writing a metadata document.
    Metadata,
    /// Naming a codec that nobody knows.
    CodecName,
    /// Bytes to elements.
    Decode,
    /// Elements to bytes.
    Encode,
    /// Understanding what was asked.
    Selection,
    /// Waiting for a codec of the user's: not a failure, and never seen by callers.
    UserCodec,
    /// Decoding by a worker that is gone: the work is begun again elsewhere, once.
    Worker,
    /// Left to the full build: not a failure, and never seen by callers, who have it begun again there.
    Full,
}

impl Stage {
    /// A stable name, for crossing to JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::CodecName => "codec-name",
            Self::Decode => "decode",
            Self::Encode => "encode",
            Self::Selection => "selection",
            Self::UserCodec => "user-codec",
            Self::Worker => "worker",
            Self::Full => "full",
        }
    }

    /// The stage whose [`name`](Self::name) this is.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Metadata,
            Self::CodecName,
            Self::Decode,
            Self::Encode,
            Self::Selection,
            Self::UserCodec,
            Self::Worker,
            Self::Full,
        ];
        all.into_iter().find(|stage| stage.name() == name)
    }
}

/// What went wrong, where, and who must act. See the module.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    context: Context,
    cause: Option<Opaque>,
}

/// Everything known about the place of an error; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Where in the work.
    pub stage: Option<Stage>,
    /// Path of the node in its hierarchy.
    pub node: Option<String>,
    /// Store key.
    pub key: Option<String>,
    /// Byte range of the key: offset and length.
    pub range: Option<(u64, u64)>,
    /// Name of the codec as the metadata has it.
    pub codec: Option<String>,
    /// Metadata field, as a path such as `codecs[1].configuration.level`.
    pub field: Option<String>,
    /// What should have been there.
    pub expected: Option<String>,
    /// What was there.
    pub actual: Option<String>,
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
            self.0.context.$field.get_or_insert_with(|| value.into());
            self
        }
    )*};
}

impl Error {
    /// An error of this kind with this message and no context yet.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), context: Context::default(), cause: None }))
    }

    /// This build has it not, and the full one has: TypeScript loads that and calls again.
    pub fn needs_full(what: &str) -> Self {
        Self::unsupported(format!("the full build is needed: {what}")).in_stage(Stage::Full)
    }

    /// `Ok` in the full build, [`needs_full`](Self::needs_full) in others, where the compiler drops what comes after.
    ///
    /// # Errors
    /// As said.
    #[inline(always)]
    pub fn check_full(what: &str) -> Result<()> {
        if IS_FULL { Ok(()) } else { Err(Self::needs_full(what)) }
    }

    constructors! {
        /// Nothing is there.
        not_found => NotFound;
        /// The network, the server, the disk or the user's store failed.
        store => Store;
        /// The data breaks the specification.
        format => Format;
        /// Valid, but this build cannot handle it.
        unsupported => Unsupported;
        /// The caller's mistake.
        argument => Argument;
        /// A budget would be exceeded.
        limit => Limit;
        /// The caller gave up.
        aborted => Aborted;
    }

    context_setters! {
        /// Names the node, unless an inner layer has.
        at_node => node;
        /// Names the store key, unless an inner layer has.
        at_key => key;
        /// Names the codec, unless an inner layer has.
        in_codec => codec;
        /// Names the metadata field, unless an inner layer has.
        in_field => field;
        /// Says what should have been there, unless an inner layer has.
        expected => expected;
        /// Says what was there, unless an inner layer has.
        actual => actual;
    }

    /// Says where in the work it arose, unless an inner layer has.
    #[must_use]
    pub fn in_stage(mut self, stage: Stage) -> Self {
        self.0.context.stage.get_or_insert(stage);
        self
    }

    /// Names the byte range (offset, length) of the key, unless an inner layer has.
    #[must_use]
    pub fn at_range(mut self, offset: u64, len: u64) -> Self {
        self.0.context.range.get_or_insert((offset, len));
        self
    }

    /// Keeps what the host threw, for JavaScript's `cause`.
    #[must_use]
    pub fn caused_by(mut self, cause: Opaque) -> Self {
        self.0.cause.get_or_insert(cause);
        self
    }

    /// Prefixes the metadata field with the path of the object that holds it: `level` in `codecs[1].configuration`.
    #[must_use]
    pub fn within_field(mut self, parent: &str) -> Self {
        let field = &mut self.0.context.field;
        *field = Some(match field.take() {
            Some(inner) if inner.starts_with('[') => format!("{parent}{inner}"),
            Some(inner) => format!("{parent}.{inner}"),
            None => parent.to_owned(),
        });
        self
    }

    /// Names another key: decoders know keys relative to their array only.
    #[must_use]
    pub fn replace_key(mut self, key: &str) -> Self {
        self.0.context.key = Some(key.to_owned());
        self
    }

    /// Who must act.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The sentence without its context.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where, expected and actual.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Replaces the whole context: for errors that crossed from a worker.
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
        let places = [
            ("codec", &context.codec),
            ("field", &context.field),
            ("node", &context.node),
            ("key", &context.key),
        ];
        let mut open = " (";
        for (label, value) in places {
            if let Some(value) = value {
                write!(f, "{open}{label} {value:?}")?;
                open = ", ";
            }
        }
        if let Some((offset, len)) = context.range {
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
        write!(f, "{}: {self}", self.0.kind.code())
    }
}

impl std::error::Error for Error {}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_place_expected_and_actual() {
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
    fn the_innermost_layer_wins_and_fields_nest() {
        let error = Error::format("no").in_field("level").at_key("inner").at_key("outer");
        let error = error.within_field("configuration").within_field("codecs[1]");
        assert_eq!(error.context().key.as_deref(), Some("inner"));
        assert_eq!(error.context().field.as_deref(), Some("codecs[1].configuration.level"));
    }

    #[test]
    fn codes_and_stages_round_trip() {
        for kind in [ErrorKind::NotFound, ErrorKind::Limit, ErrorKind::Aborted] {
            assert_eq!(ErrorKind::from_code(kind.code()), Some(kind));
        }
        assert_eq!(Stage::from_name("decode"), Some(Stage::Decode));
        assert_eq!(Stage::from_name("nonsense"), None);
    }
}
