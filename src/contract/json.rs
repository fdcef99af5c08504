//! How TypeScript sees the questions and answers that cross as JSON: their declarations. The module
//! that reads and writes them makes its Rust types of the same table
//! ([`with_convention_records`](crate::with_convention_records)).
#![allow(dead_code, reason = "types that stand for those of the module have no values")]

use std::fmt::Write as _;
use std::marker::PhantomData;

use crate::shape::{Types, comment};
use crate::{with_convention_questions, with_convention_records};

/// How TypeScript sees a type in JSON.
trait JsonType {
    /// Whether a member of this type may be missing.
    const IS_OPTIONAL: bool = false;

    /// The type; with `null`, if it may be missing.
    fn text(types: &mut Types) -> String;

    /// The type of a member that is there.
    fn text_of_member(types: &mut Types) -> String {
        Self::text(types)
    }
}

/// Any value.
struct Value;

/// Things by names.
struct Named<T>(PhantomData<T>);

/// As `Named`; missing if there are none.
struct Dictionary<T>(PhantomData<T>);

/// A list that is missing if it is empty.
struct List<T>(PhantomData<T>);

/// A boolean that is missing if it is false.
struct Flag;

/// Channels of an image. Members that are not listed are kept as they are.
struct Channels<'a>(PhantomData<&'a ()>);

/// Which image of a group: its index, or its path.
struct Choice;

/// The name of a type of numbers.
struct NumberName;

/// The id of a convention of this package.
struct ConventionId;

/// No answer.
struct Null;

macro_rules! texts {
    ($($ty:ty: $text:literal,)*) => {$(
        impl JsonType for $ty {
            fn text(_: &mut Types) -> String {
                $text.to_owned()
            }
        }
    )*};
}

texts! {
    bool: "boolean",
    f64: "number",
    i64: "number",
    u32: "number",
    usize: "number",
    String: "string",
    &'static str: "string",
    Value: "unknown",
    Channels<'_>: "unknown[]",
    Choice: "number | string",
    NumberName: "(typeof NUMBER_TYPES)[number]",
    ConventionId: "(typeof KNOWN_CONVENTIONS)[number]",
    Null: "null",
    [f64; 6]: "[number, number, number, number, number, number]",
}

/// Types whose members may be missing, by the type of those that are there.
macro_rules! optional {
    ($(<$of:ident> $ty:ty: $there:ty;)*) => {$(
        impl<$of: JsonType> JsonType for $ty {
            const IS_OPTIONAL: bool = true;

            fn text(types: &mut Types) -> String {
                format!("{} | null", <$there>::text(types))
            }

            fn text_of_member(types: &mut Types) -> String {
                <$there>::text(types)
            }
        }
    )*};
}

optional! {
    <T> Option<T>: T;
    <T> Dictionary<T>: Named<T>;
    <T> List<T>: Vec<T>;
}

impl JsonType for Flag {
    const IS_OPTIONAL: bool = true;

    fn text(_: &mut Types) -> String {
        "boolean".to_owned()
    }
}

impl<T: JsonType> JsonType for Vec<T> {
    fn text(types: &mut Types) -> String {
        let entry = T::text(types);
        if entry.contains(' ') { format!("({entry})[]") } else { format!("{entry}[]") }
    }
}

impl<T: JsonType> JsonType for Named<T> {
    fn text(types: &mut Types) -> String {
        format!("Record<string, {}>", T::text(types))
    }
}

/// Appends a member to the declaration of a record. What TypeScript writes may have members that
/// are undefined.
fn declare_member<T: JsonType>(
    text: &mut String,
    types: &mut Types,
    (docs, name): (&[&str], &str),
    is_asked: bool,
) {
    let mark = if T::IS_OPTIONAL { "?" } else { "" };
    let none = if T::IS_OPTIONAL && is_asked { " | undefined" } else { "" };
    let ty = T::text_of_member(types);
    let only = if is_asked && ty.ends_with("[]") { "readonly " } else { "" };
    let _ = writeln!(text, "{}  {name}{mark}: {only}{ty}{none};", comment(docs, "  "));
}

macro_rules! declarations {
    ($(
        $(#[doc = $doc:literal])* $form:ident $name:ident $([$life:lifetime])? { $($body:tt)* }
    )*) => {
        $(declarations!(@$form [$($doc),*] $name [$($life)?] $($body)*);)*
    };
    (@ask $($rest:tt)*) => { declarations!(@record true $($rest)*); };
    (@answer $($rest:tt)*) => { declarations!(@record false $($rest)*); };
    (@record $is_asked:literal [$($doc:literal),*] $name:ident [$($life:lifetime)?] $(
        $(#[doc = $about:literal])* $field:ident $key:literal: $ty:ty,
    )*) => {
        struct $name;

        impl JsonType for $name {
            fn text(types: &mut Types) -> String {
                #[allow(clippy::extra_unused_lifetimes, reason = "some records have one")]
                fn declared<$($life)?>(types: &mut Types) -> String {
                    let mut text =
                        format!("{}export interface {} {{\n", comment(&[$($doc),*], ""), stringify!($name));
                    $(declare_member::<$ty>(&mut text, types, (&[$($about),*], $key), $is_asked);)*
                    text + "}\n"
                }
                types.declare(stringify!($name), declared);
                stringify!($name).to_owned()
            }
        }
    };
    (@choice [$($doc:literal),*] $name:ident [] $($(#[doc = $about:literal])* $variant:ident = $key:literal,)*) => {
        struct $name;

        impl JsonType for $name {
            fn text(types: &mut Types) -> String {
                types.names(stringify!($name), &[$($doc),*], &[$($key),*]);
                stringify!($name).to_owned()
            }
        }
    };
}

with_convention_records!(declarations);

macro_rules! questions {
    ($(
        $(#[doc = $doc:literal])* $variant:ident $name:literal ($takes:ty) -> $($gives:ty)|+;
    )*) => {
        /// Declares the questions to the conventions' module, and their answers.
        pub fn convention_questions(types: &mut Types) -> String {
            let mut text = "/** The questions to the conventions' module, and its answers. */\n\
                            export interface ConventionQuestions {\n".to_owned();
            $(
                let gives = [$(<$gives>::text(types)),+].join(" | ");
                let (docs, takes) = (comment(&[$($doc),*], "  "), <$takes>::text(types));
                let _ = writeln!(text, "{docs}  {}: {{ takes: {takes}; gives: {gives} }};", $name);
            )*
            text + "}\n"
        }
    };
}

with_convention_questions!(questions);
