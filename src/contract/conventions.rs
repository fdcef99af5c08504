//! The questions to the conventions' module and their answers. They are JSON, because attributes
//! are: this table has the names of their members. The module makes its Rust types of it
//! (`src/conventions/rust/records.rs`), and TypeScript's are generated from it.

/// Passes the records to a macro: what is asked, what is answered, and choices of texts. Each
/// member has its name in Rust and in JSON. `Named` has things by names; a `Dictionary` is one that
/// may be missing from a question, as a `List` is a `Vec` and a `Flag` a `bool` that may.
#[macro_export]
macro_rules! with_convention_records {
    ($with:ident) => {
        $with! {
            /// What a finding means: `"error"` breaks a "must" of the convention, `"warning"`
            /// breaks a "should" or is ambiguous, `"info"` is a note.
            choice Severity {
                /// Nothing is wrong.
                Info = "info",
                /// Breaks a "should", or can only be read by a guess.
                Warning = "warning",
                /// Breaks a "must".
                Error = "error",
            }

            /// A mistake in attributes, or a note about them.
            answer Finding {
                /// A stable identifier, such as `multiscales/asset-path`. Messages may change; this
                /// does not.
                rule "rule": String,
                /// JSON pointer (RFC 6901) into the attributes; `""` is all attributes.
                path "path": String,
                /// How serious it is.
                severity "severity": Severity,
                /// What was found, as a sentence.
                message "message": String,
            }

            /// The format of a declaration: `"current"` is that of 2026, `"early"` the draft
            /// before.
            choice DeclarationForm {
                /// `uuid`, `schema_url`, `spec_url`.
                Current = "current",
                /// `schema`, `spec`.
                Early = "early",
            }

            /// What a descendant of a group is.
            choice MemberKind {
                /// An array.
                Array = "array",
                /// A group.
                Group = "group",
            }

            /// A descendant of a node.
            ask ChildFact {
                /// Path relative to the node.
                path "path": String,
                /// What it is.
                kind "kind": MemberKind,
            }

            /// A node: its attributes, and the few facts of its metadata that conventions use.
            ask NodeFacts {
                /// What it is.
                kind "kind": MemberKind,
                /// The attributes, which may be any JSON value.
                attributes "attributes": Value,
                /// The shape of an array.
                shape "shape": List<f64>,
                /// The data type of an array, if it has a name.
                data_type "dataType": Option<String>,
                /// The dimension names of an array, if the metadata have them.
                named_dimensions "dimensionNames": Option<Vec<Option<String>>>,
                /// The descendants that are known. Missing if they have not been listed.
                children "children": Option<Vec<ChildFact>>,
            }

            /// How a convention of the user is recognised.
            ask RegisteredMarks {
                /// Its UUID.
                uuid "uuid": Option<String>,
                /// The URL of its schema.
                schema_url "schemaUrl": Option<String>,
                /// The URL of its specification.
                spec_url "specUrl": Option<String>,
                /// Prefix of the names of its attributes.
                prefix "prefix": Option<String>,
                /// Name of the attribute that holds all its properties.
                key "key": Option<String>,
            }

            /// A node to examine.
            ask ExamineQuestion {
                /// The node.
                node "node": NodeFacts,
                /// The user's conventions.
                registered "registered": List<RegisteredMarks>,
            }

            /// A convention of a node.
            answer FoundConvention {
                /// Its UUID, else the URL of its schema, else the URL of its specification.
                id "id": String,
                /// Its name, or its identifier if it has no name. Names need not be unique.
                label "label": String,
                /// The id, if this package implements it.
                known "known": Option<ConventionId>,
                /// The index in the list of registered conventions.
                registered "registered": Option<usize>,
                /// Its version, from the URL, the declaration or the metadata.
                version "version": Option<String>,
                /// Whether `zarr_conventions` lists it. Otherwise it was recognised by its
                /// attributes.
                declared "declared": bool,
                /// The version of the declaration's format.
                form "form": Option<DeclarationForm>,
                /// Of the declaration.
                uuid "uuid": Option<String>,
                /// Of the declaration.
                schema_url "schemaUrl": Option<String>,
                /// Of the declaration.
                spec_url "specUrl": Option<String>,
                /// Of the declaration.
                name "name": Option<String>,
                /// Of the declaration.
                description "description": Option<String>,
                /// The names of the attributes that belong to it.
                keys "keys": Vec<String>,
                /// JSON pointers into the attributes: the objects of other conventions that it
                /// extends.
                extends "extends": Vec<String>,
                /// What is wrong with it.
                findings "findings": Vec<Finding>,
            }

            /// All conventions of a node.
            answer Examination {
                /// Declared conventions come first, in their order.
                conventions "conventions": Vec<FoundConvention>,
                /// Findings about the list of declarations.
                findings "findings": Vec<Finding>,
            }

            /// A convention to declare.
            ask NewDeclaration {
                /// The id of a convention of this package, which gives identifiers, name and
                /// description.
                known "known": Option<String>,
                /// Its UUID.
                uuid "uuid": Option<String>,
                /// The URL of its schema.
                schema_url "schemaUrl": Option<String>,
                /// The URL of its specification.
                spec_url "specUrl": Option<String>,
                /// Its name.
                name "name": Option<String>,
                /// Its description.
                description "description": Option<String>,
                /// The version of the declaration's format. Default: `"current"`.
                form "form": Option<DeclarationForm>,
                /// The attributes that the convention defines.
                properties "properties": Dictionary<Value>,
                /// Whether to replace existing attributes.
                overwrite "overwrite": Flag,
            }

            /// A declaration to add to attributes.
            ask DeclareQuestion {
                /// The attributes.
                attributes "attributes": Value,
                /// What to declare.
                convention "convention": NewDeclaration,
            }

            /// How a caller wants packed elements.
            ask PackingOptions {
                /// The data type's name in v3 metadata.
                data_type "dataType": String,
                /// Zarr's fill value, if it serves as `_FillValue` (Zarr v2).
                fill_value "fillValue": Option<Value>,
                /// Whether to keep values outside of `valid_min`, `valid_max` and `valid_range`, as
                /// xarray does.
                ignore_valid "ignoreValid": Flag,
            }

            /// An array whose elements may be packed.
            ask PackingQuestion {
                /// What is wanted.
                wanted "wanted": PackingOptions,
                /// The array.
                node "node": NodeFacts,
            }

            /// How to unpack elements.
            answer Packing {
                /// Words for the engine.
                words "words": Vec<u32>,
                /// The data type to which elements are converted.
                to "to": NumberName,
            }

            /// A point in time in a calendar. Some calendars have a 30 February.
            answer Moment {
                /// The year, which may be negative.
                year "year": i64,
                /// From 1 to 12.
                month "month": i64,
                /// From 1 to 31.
                day "day": i64,
                /// From 0 to 23.
                hour "hour": i64,
                /// From 0 to 59.
                minute "minute": i64,
                /// From 0 to 59.
                second "second": i64,
                /// From 0 to 999 999 999.
                nanosecond "nanosecond": i64,
            }

            /// The parts of a date. Those of its time that are missing are zero.
            ask DateParts {
                /// The year, which may be negative.
                year "year": i64,
                /// From 1 to 12.
                month "month": i64,
                /// From 1 to 31.
                day "day": i64,
                /// From 0 to 23.
                hour "hour": Option<i64>,
                /// From 0 to 59.
                minute "minute": Option<i64>,
                /// From 0 to 59.
                second "second": Option<i64>,
                /// From 0 to 999 999 999.
                nanosecond "nanosecond": Option<i64>,
            }

            /// Counts of time and dates to convert.
            ask TimeQuestion {
                /// The unit and the first moment, such as `days since 2000-01-01`.
                units "units": String,
                /// The calendar. Default: the standard one.
                calendar "calendar": Option<String>,
                /// Counts to convert to moments.
                counts "counts": List<Value>,
                /// Dates to convert to counts: texts, `DateParts`, or milliseconds since 1970.
                dates "dates": List<Value>,
            }

            /// Converted counts and dates.
            answer TimeAnswer {
                /// Whether the days of the calendar are those of real time.
                is_real "isReal": bool,
                /// The moment of each count; null if it has none.
                moments "moments": Vec<Option<Moment>>,
                /// Milliseconds since 1970 of each count, rounded; null if the days of the calendar
                /// are not those of real time.
                milliseconds "milliseconds": Vec<Option<i64>>,
                /// The count of each date, rounded to the nearest double.
                counts "counts": Vec<f64>,
            }

            /// Why a node could not be opened.
            ask Refusal {
                /// The `code` of the error.
                code "code": String,
                /// The message of the error.
                message "message": String,
            }

            /// A node whose pyramid is wanted, and all nodes that are known.
            ask PyramidQuestion {
                /// The path of the group or array.
                root "root": String,
                /// The nodes that are known, by path; null for a path without a usable node.
                nodes "nodes": Named<Option<NodeFacts>>,
                /// The nodes that exist and could not be opened, by path.
                refused "refused": Dictionary<Refusal>,
                /// The image, if the group has several.
                image "image": Option<Choice>,
                /// Whether only the group's own images count, and none is described.
                own "own": Flag,
                /// The name of the array in each level, if levels are groups.
                variable "variable": Option<String>,
            }

            /// The paths of nodes that are needed next.
            answer PyramidNeeds {
                /// Arrays or groups.
                nodes "nodes": Vec<String>,
                /// Nodes that are only used if they are arrays.
                arrays "arrays": Vec<String>,
                /// Groups that may be missing.
                optional "optional": Vec<String>,
                /// Groups to list.
                listings "listings": Vec<String>,
            }

            /// An image of a group.
            answer PyramidImage {
                /// Its index in `series`.
                index "index": usize,
                /// The path of its group.
                path "path": String,
                /// Known for the first 32, and for the image that is shown; so is the shape.
                name "name": Option<String>,
                /// The shape of its finest level.
                shape "shape": Option<Vec<f64>>,
            }

            /// What the indices along an axis mean.
            choice AxisRole {
                /// From left to right.
                X = "x",
                /// From top to bottom.
                Y = "y",
                /// In depth.
                Z = "z",
                /// In time.
                T = "t",
                /// Channels.
                C = "c",
                /// Anything else.
                Other = "other",
            }

            /// An axis of the arrays.
            answer PyramidAxis {
                /// Name in the metadata; `dim_0` and so on if it has none.
                name "name": String,
                /// What it is for.
                role "role": AxisRole,
                /// OME's type: `space`, `time`, `channel` or another text.
                kind "type": Option<String>,
                /// The unit as written.
                unit "unit": Option<String>,
            }

            /// A level.
            answer LevelFacts {
                /// The array's path.
                path "path": String,
                /// Its name in the metadata.
                asset "asset": String,
                /// World units per index step, one number per axis.
                scale "scale": Vec<f64>,
                /// World coordinate of the centre of the first element, one number per axis.
                translation "translation": Vec<f64>,
                /// For rotated or sheared axes: `x = a·column + b·row + c`, `y = d·column + e·row +
                /// f`, of centres.
                affine "affine": Option<[f64; 6]>,
                /// Whether attributes unpack its elements or mark missing ones.
                packed "packed": bool,
            }

            /// A transformation that cannot be used.
            answer IgnoredTransformation {
                /// Its JSON pointer.
                path "path": String,
                /// Its type.
                kind "type": String,
            }

            /// A pyramid.
            answer PyramidFacts['a] {
                /// The id of the convention it was read from, or `array`.
                convention "convention": &'static str,
                /// The version of the convention; empty if it has none.
                version "version": String,
                /// The image's name.
                name "name": Option<String>,
                /// The number of images in the image's own group.
                images "images": usize,
                /// The images of the group that was asked for, in order.
                series "series": Vec<PyramidImage>,
                /// The index of this image among them.
                image "image": usize,
                /// The axes, in the order of the arrays.
                axes "axes": Vec<PyramidAxis>,
                /// The coordinate reference system, in all forms that the metadata gives.
                crs "crs": Option<Value>,
                /// The levels, finest first.
                levels "levels": Vec<LevelFacts>,
                /// OME's channels, else the colours of a pixel.
                channels "channels": Channels<'a>,
                /// Paths of label images.
                labels "labels": Vec<String>,
                /// The names of the arrays of a level, if levels are groups.
                variables "variables": Vec<String>,
                /// The chosen one of them.
                variable "variable": Option<String>,
                /// Whether positions are world coordinates. Otherwise they count elements of the
                /// finest level.
                placed "placed": bool,
                /// Whether `spatial:` of the group gives the positions of x and y.
                spatial "spatial": bool,
                /// Transformations that cannot be used.
                ignored "ignored": Vec<IgnoredTransformation>,
                /// Findings about the levels.
                findings "findings": Vec<Finding>,
            }
        }
    };
}

/// Passes the questions to a macro: the name, what is asked, and the possible answers.
#[macro_export]
macro_rules! with_convention_questions {
    ($with:ident) => {
        $with! {
            /// Finds and checks the conventions of a node.
            Examine "examine"(ExamineQuestion) -> Examination;
            /// The attributes that change when a convention is declared.
            Declare "declare"(DeclareQuestion) -> Named<Value>;
            /// How to unpack the elements of an array; null if its attributes do not say so.
            Packing "packing"(PackingQuestion) -> Packing | Null;
            /// Converts counts of time to dates, and dates to counts.
            Time "time"(TimeQuestion) -> TimeAnswer;
            /// The next step to a pyramid: the nodes that are needed, or the pyramid.
            Pyramid "pyramid"(PyramidQuestion) -> PyramidNeeds | PyramidFacts;
        }
    };
}
