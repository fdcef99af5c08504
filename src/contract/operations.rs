//! The table of the engine's operations: `name(arguments) -> answer`, by the smallest build that
//! has them. Its order gives their numbers.

#[cfg(not(target_arch = "wasm32"))]
use crate::encoding::Record;
#[cfg(not(target_arch = "wasm32"))]
use crate::encoding::{HeldBytes, Natural};
#[cfg(not(target_arch = "wasm32"))]
use crate::records::*;
#[cfg(not(target_arch = "wasm32"))]
use crate::shape::{Shape, Types};

/// Passes the table to a macro.
#[macro_export]
macro_rules! with_operations {
    ($with:ident) => {
        $with! {
            Engine {
                /// Opens a node.
                open(OpenArguments) -> NodeSummary;
                /// Describes the direct children of a group.
                children(NodeLocation) -> Vec<ChildSummary>;
                /// Describes a node that cannot be opened. Undefined for one that can.
                unreadable(NodeLocation) -> Option<UnreadableSummary>;
                /// Wraps a store in its consolidated metadata.
                consolidated_store(ConsolidatedSource) -> Consolidated;
                /// Describes an array with user codecs.
                describe_array(UserArray) -> ArraySummary;
                /// JSON of the next user codec whose kind must be known before the array can be
                /// bound. Undefined if there is none.
                codec_question(UserArray) -> Option<String>;
                /// Returns the names that are codecs of this package.
                own_codecs(Names) -> Vec<String>;
                /// Describes a codec on its own.
                describe_codec(CodecText) -> String;
                /// Reads a selection. The job receives the parts.
                read(ReadArguments) -> ReadProgress;
                /// Fetches the chunks of a selection.
                prefetch(PrefetchArguments) -> ReadProgress;
                /// The cost of reading a selection.
                plan_read(PlanArguments) -> ReadCost;
                /// Some of the stored objects that a read touches.
                plan_objects(PlanObjectsArguments) -> Vec<PlannedObject>;
                /// Reads a value of a store, or a range of it. Undefined if it is absent.
                read_key(KeyRange) -> Option<HeldBytes>;
                /// The size of a value in bytes. Undefined if it is absent.
                size_of_key(StoreEntry) -> Option<Natural>;
            }
            Reading {
                /// Lists all keys below a prefix, sorted.
                list_keys(KeyPrefix) -> Vec<String>;
                /// Lists the direct children of a prefix, sorted.
                list_directory(KeyPrefix) -> Directory;
                /// The sizes of some of the stored objects that a selection touches. Fewer than
                /// asked for if they have many inner chunks, none after the last one.
                stored_sizes(PlanObjectsArguments) -> Vec<StoredObjectSize>;
                /// Asks an Icechunk repository about itself. The answer is JSON, or an id.
                ask_repository(RepositoryQuestion) -> String;
            }
            Full {
                /// The kind of the node at a path. Undefined if there is none.
                exists(NodeLocation) -> Option<NodeKind>;
                /// Erases a node and all below it. Tells whether there was anything.
                erase(EraseArguments) -> bool, finishes;
                /// Consolidates the metadata of a group. Returns the number of nodes below it.
                consolidate(NodeLocation) -> u32, finishes;
                /// Merges attributes into those of a node, or replaces them.
                update_attributes(AttributeUpdate) -> NodeSummary, finishes;
                /// Creates a draft's hierarchy at the root of a store, unless there is one.
                create_hierarchy(NewHierarchy) -> (), finishes;
                /// Creates a group.
                create_group(NewGroup) -> NodeSummary, finishes;
                /// Creates an array.
                create_array(NewArray) -> NodeSummary, finishes;
                /// Describes a data type by name: JSON of a `TypeDescription`.
                describe_type_name(TypeName) -> String;
                /// Whether this package has a storage transformer of this URI.
                is_storage_transformer(ExtensionName) -> bool;
                /// As `codecQuestion`, for an array that is to be created.
                new_codec_question(NewCodecQuestion) -> Option<String>;
                /// Writes to a selection.
                write(WriteArguments) -> (), finishes;
                /// Appends along a dimension.
                append(AppendArguments) -> NodeSummary, finishes;
                /// Changes the shape of an array.
                resize(ResizeArguments) -> NodeSummary, finishes;
                /// Reads the metadata of an array again, once no write changes them.
                reread(ArrayId) -> NodeSummary;
                /// Stores a value. Its bytes must not change until they are sent.
                set_key(KeyValue) -> ();
                /// Removes a key.
                erase_key(StoreEntry) -> ();
                /// The records around the values of an archive.
                lay_out_archive(NewArchive) -> ArchiveLayout;
            }
        }
    };
}

/// What the generator of TypeScript reads of an operation.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub struct Operation {
    /// Its name in Rust.
    pub name: &'static str,
    /// Its documentation, a line each.
    pub docs: &'static [&'static str],
    /// The smallest build that has it.
    pub build: Build,
    /// After an abort, it completes what it is writing, and ends by itself.
    pub finishes: bool,
    /// The record of its arguments.
    pub takes: fn(&mut Types) -> Shape,
    /// The record of its answer.
    pub gives: fn(&mut Types) -> Shape,
}

macro_rules! table {
    ($($build:ident { $(
        $(#[doc = $doc:literal])* $name:ident($takes:ty) -> $gives:ty $(, $finishes:ident)?;
    )* })*) => {
        /// All operations, in the order of their numbers.
        #[cfg(not(target_arch = "wasm32"))]
        pub const OPERATIONS: &[Operation] = &[$($(Operation {
            name: stringify!($name),
            docs: &[$($doc),*],
            build: Build::$build,
            finishes: { let words: &[&str] = &[$(stringify!($finishes))?]; !words.is_empty() },
            takes: <$takes as Record>::shape,
            gives: <$gives as Record>::shape,
        },)*)*];

        /// The numbers of the operations.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Number { $($($name,)*)* }
    };
}

with_operations!(table);
