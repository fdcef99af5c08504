//! The macro that defines records and enums: the Rust types, how they cross, and what the generator
//! of TypeScript reads.

/// Defines types of the contract. Three forms, each with documentation:
///
/// - `struct Name { field: Type, … }`: a record. Its fields have camel case in TypeScript.
/// - `enum Name { Variant = "text", … }`: one of some texts.
/// - `union Name { Variant, Variant(Type), … }`: a text, or an object with one member.
macro_rules! records {
    () => {};
    (
        $(#[doc = $doc:literal])* struct $name:ident {
            $($(#[doc = $about:literal])* $field:ident: $ty:ty,)*
        }
        $($rest:tt)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[doc = $about])* pub $field: $ty,)* }

        impl $crate::encoding::Record for $name {
            fn write(&self, to: &mut $crate::encoding::Writer) {
                let _ = &to;
                $(self.$field.write(to);)*
            }

            fn read(from: &mut $crate::encoding::Reader<'_>) -> Option<Self> {
                let _ = &from;
                Some(Self { $($field: $crate::encoding::Record::read(from)?,)* })
            }

            #[cfg(not(target_arch = "wasm32"))]
            fn shape(types: &mut $crate::shape::Types) -> $crate::shape::Shape {
                types.record(stringify!($name), &[$($doc),*], |types| {
                    let _ = &types;
                    vec![$($crate::shape::Member {
                        name: stringify!($field),
                        docs: &[$($about),*],
                        shape: <$ty as $crate::encoding::Record>::shape(types),
                    }),*]
                })
            }
        }

        records! { $($rest)* }
    };
    (
        $(#[doc = $doc:literal])* enum $name:ident {
            $($(#[doc = $about:literal])* $variant:ident = $text:literal,)*
        }
        $($rest:tt)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $about])* $variant,)* }

        impl $name {
            /// All of them, in the order of their indices.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The text that stands for it in TypeScript.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The one with this text.
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|each| each.name() == name)
            }
        }

        impl $crate::encoding::Record for $name {
            fn write(&self, to: &mut $crate::encoding::Writer) {
                to.byte(*self as u8);
            }

            fn read(from: &mut $crate::encoding::Reader<'_>) -> Option<Self> {
                Self::ALL.get(usize::from(from.byte()?)).copied()
            }

            #[cfg(not(target_arch = "wasm32"))]
            fn shape(types: &mut $crate::shape::Types) -> $crate::shape::Shape {
                types.texts(stringify!($name), &[$($doc),*], &[$($text),*])
            }
        }

        records! { $($rest)* }
    };
    (
        $(#[doc = $doc:literal])* union $name:ident {
            $($(#[doc = $about:literal])* $variant:ident $(($ty:ty))?,)*
        }
        $($rest:tt)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name { $($(#[doc = $about])* $variant $(($ty))?,)* }

        impl $crate::encoding::Record for $name {
            fn write(&self, to: &mut $crate::encoding::Writer) {
                records!(@write self to 0u8, $($variant $(($ty))?,)*);
            }

            fn read(from: &mut $crate::encoding::Reader<'_>) -> Option<Self> {
                let index = from.byte()?;
                records!(@read index from 0u8, $($variant $(($ty))?,)*);
                None
            }

            #[cfg(not(target_arch = "wasm32"))]
            fn shape(types: &mut $crate::shape::Types) -> $crate::shape::Shape {
                types.union(stringify!($name), &[$($doc),*], |types| vec![$((
                    stringify!($variant),
                    records!(@shape types $($ty)?),
                )),*])
            }
        }

        records! { $($rest)* }
    };

    (@write $self:ident $to:ident $index:expr,) => {};
    (@write $self:ident $to:ident $index:expr, $variant:ident, $($rest:tt)*) => {
        if matches!($self, Self::$variant) {
            $to.byte($index);
        }
        records!(@write $self $to $index + 1, $($rest)*);
    };
    (@write $self:ident $to:ident $index:expr, $variant:ident($ty:ty), $($rest:tt)*) => {
        if let Self::$variant(value) = $self {
            $to.byte($index);
            value.write($to);
        }
        records!(@write $self $to $index + 1, $($rest)*);
    };
    (@read $found:ident $from:ident $index:expr,) => {};
    (@read $found:ident $from:ident $index:expr, $variant:ident, $($rest:tt)*) => {
        if $found == $index {
            return Some(Self::$variant);
        }
        records!(@read $found $from $index + 1, $($rest)*);
    };
    (@read $found:ident $from:ident $index:expr, $variant:ident($ty:ty), $($rest:tt)*) => {
        if $found == $index {
            return <$ty as $crate::encoding::Record>::read($from).map(Self::$variant);
        }
        records!(@read $found $from $index + 1, $($rest)*);
    };
    (@shape $types:ident) => { { let _ = &$types; None } };
    (@shape $types:ident $ty:ty) => { Some(<$ty as $crate::encoding::Record>::shape($types)) };
}
