//! The calls of the wasm modules that have no JavaScript of their own. Each is a row: its words,
//! its table (the words behind them) and its blocks of bytes. `src/contract/contract.ts` has the
//! same rows. What a call does is written in its module.

use crate::wasm_module::{Blocks, Request};

/// What a call takes, by name.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in TypeScript.
    pub name: &'static str,
    /// Its documentation, a line each.
    pub docs: &'static [&'static str],
    /// The words.
    pub words: &'static [&'static str],
    /// The words behind those; empty for none.
    pub table: &'static [&'static str],
    /// The blocks of bytes.
    pub blocks: &'static [&'static str],
    /// The blocks behind those; empty for none.
    pub rest: &'static [&'static str],
}

macro_rules! calls {
    ($($(#[doc = $doc:literal])* $calls:ident { $(
        $(#[doc = $row:literal])* $call:ident $name:literal
        $(words[$($word:ident),*])? $(table[$table:ident])? $(blocks[$($block:ident),*])? $(rest[$rest:ident])?;
    )* })*) => {$(
        $(#[doc = $doc])*
        #[allow(missing_docs, reason = "the rows say what their members are")]
        #[derive(Clone, Debug)]
        pub enum $calls<'a> { $(
            $(#[doc = $row])*
            $call {
                $($($word: u32,)*)?
                $($table: &'a [u32],)?
                $($($block: &'a [u8],)*)?
                $($rest: Blocks<'a>,)?
            },
        )* }

        impl<'a> $calls<'a> {
            /// What the module is, a line each.
            pub const DOCS: &'static [&'static str] = &[$($doc),*];

            /// What the calls take, in the order of their numbers.
            pub const ROWS: &'static [Row] = &[$(Row {
                name: $name,
                docs: &[$($row),*],
                words: &[$($(stringify!($word)),*)?],
                table: &[$(stringify!($table))?],
                blocks: &[$($(stringify!($block)),*)?],
                rest: &[$(stringify!($rest))?],
            }),*];

            /// The call with this number. `None` for another number, or a request without all that
            /// the call takes.
            pub fn read(number: u32, request: &mut Request<'a>) -> Option<Self> {
                enum Number { $($call),* }
                $(if number == Number::$call as u32 {
                    return Some(Self::$call {
                        $($($word: request.word()?,)*)?
                        $($table: request.table(),)?
                        $($($block: request.block()?,)*)?
                        $($rest: request.blocks(),)?
                    });
                })*
                None
            }
        }
    )*};
}

calls! {
    /// The calls of a decoder: the engine's module, in a decode worker or on the engine's thread.
    DecodeCall {
        /// Registers an array: its metadata document and its codecs of the user, both as JSON.
        Bind "bind" words[array] blocks[document, users];
        /// Removes an array.
        Unbind "unbind" words[array];
        /// Starts a part.
        Begin "begin" words[part, array] table[header];
        /// Decodes chunks of a part.
        Supply "supply" words[part] table[table] rest[buffers];
        /// Requests to the user's codecs for a part. The status says whether the part waits for
        /// answers.
        Requests "requests" words[part];
        /// Takes the output of a codec of the user.
        Answer "answer" words[part, id] blocks[output];
        /// Continues a part after answers.
        Resume "resume" words[part];
        /// Finishes a part. The result is its elements; of an update that waited, what `Update`
        /// gives.
        Finish "finish" words[part];
        /// Removes a part.
        Cancel "cancel" words[part];
        /// Updates a stored chunk, given its old bytes (if there are any) and the new elements. The
        /// result is the bytes to store.
        Update "update" words[part, array, has_old] table[header] blocks[old, elements];
        /// Runs a codec on its own. It encodes if `encodes` is 1, else it decodes.
        RunCodec "runCodec" words[encodes] blocks[description, input];
        /// Decompresses a build of the package: a Zstandard frame with another build as prefix.
        Unpack "unpack" blocks[frame, prefix];
        /// The warnings about chunks decoded since the last call, one a line.
        Warnings "warnings";
    }

    /// The calls of the light build. A call fails if only the engine can do it.
    LightCall {
        /// Describes a node of v3, given its path and its `zarr.json`. The result is a
        /// `NodeSummary`.
        DescribeV3 "describeV3" blocks[path, document];
        /// Describes a node of v2, given its path, its `.zarray` or `.zgroup`, and its `.zattrs`,
        /// which may be absent. The result is a `NodeSummary`.
        DescribeV2 "describeV2" words[is_array, has_attributes] blocks[path, document, attributes];
        /// Begins a read, given the documents of the array and a `ReadRequest`. The result is a
        /// `SmallRead`.
        Begin "begin" words[read] blocks[document, request];
        /// Takes the bytes for a request. `request` counts the requests of the read from 0. `size`
        /// is a float: the size of the whole value, or NaN if it is unknown. The result is the
        /// `ValueRequests` to send next.
        Supply "supply" words[read, request, is_absent] blocks[size, bytes];
        /// Finishes a read. The result is its elements.
        Finish "finish" words[read];
        /// Removes a read.
        Cancel "cancel" words[read];
    }

    /// The calls of the conventions' module.
    ConventionsCall {
        /// Answers a request in JSON with JSON.
        Answer "answer" blocks[request];
        /// Keeps a grid of longitudes and latitudes.
        KeepGrid "keepGrid" blocks[request];
        /// The positions of a map's pixels in an array.
        Locate "locate" blocks[request];
        /// The values of an array at positions.
        Sample "sample" blocks[request];
    }

    /// The calls of the reductions' module. Requests are of `ReductionRequest`, parts of
    /// `NumberedBox`; accumulators are 64-bit words.
    ReductionCall {
        /// The `ReductionSizes` of a reduction, before it begins.
        Sizes "sizes" blocks[request];
        /// Begins a reduction. Its accumulators may take up to `most` bytes, a float. The result is
        /// an `OpenedReduction`, which lives as long as the instance.
        Open "open" blocks[most, request];
        /// The request to give to `Add` for a part.
        Within "within" words[session] blocks[part];
        /// Accumulates the elements of a part. The result is the accumulators.
        Add "add" blocks[request, elements];
        /// Does the work of `Add` and `Take` in one call. The result is that of `Take`.
        TakeElements "takeElements" words[session] blocks[part, elements];
        /// Merges the accumulators of a part. The result is the number of elements merged.
        Take "take" words[session] blocks[part, accumulators];
        /// Continues from the words of another reduction. `groups` gives the position of each of
        /// its groups among the groups of this one.
        Resume "resume" words[session] table[groups] blocks[accumulators];
        /// The words of a reduction, for `Resume`.
        Words "words" words[session];
        /// The `ReductionAnswer` to a `ReductionQuestion`.
        Answer "answer" words[session] blocks[question, settings];
        /// Downsamples a box of elements, by a `DownsampleRequest`.
        Downsample "downsample" blocks[request, elements];
    }
}
