//! Nodes that are created, changed and erased.

use crate::encoding::Bytes;

records! {
    /// What to erase.
    struct EraseArguments {
        /// The store.
        store: u32,
        /// Absolute path of the node.
        path: String,
        /// Whether a draft's parent group that would vanish gets a document.
        reify: bool,
    }

    /// New attributes of a node.
    struct AttributeUpdate {
        /// The store.
        store: u32,
        /// Absolute path of the node.
        path: String,
        /// JSON of an object.
        text: String,
        /// Whether they replace the others. Otherwise they are merged into them.
        replace: bool,
    }

    /// A draft's hierarchy.
    struct NewHierarchy {
        /// The store.
        store: u32,
        /// The name of the draft.
        format: String,
        /// What the names of its documents end with.
        suffix: Option<String>,
        /// JSON of a list.
        extensions: Option<String>,
    }

    /// A group to create.
    struct NewGroup {
        /// The store.
        store: u32,
        /// Absolute path.
        path: String,
        /// The name of the format, or its number.
        format: String,
        /// The attributes: JSON of an object.
        text: String,
        /// Whether it replaces what is there.
        overwrite: bool,
    }

    /// An array to create.
    struct NewArray {
        /// The store.
        store: u32,
        /// Absolute path.
        path: String,
        /// JSON of its options (`ArrayOptions::from_json`).
        text: String,
        /// One packed element, which replaces the fill value of the options.
        fill: Option<Bytes>,
        /// An array whose metadata provide all missing options.
        like: Option<u32>,
        /// What is known of the user codecs; empty if there are none.
        codecs: String,
        /// Whether it replaces what is there.
        overwrite: bool,
    }

    /// The name of a data type, or the data type of an array.
    struct TypeName {
        /// JSON of the name. Empty: the data type of `like`.
        text: String,
        /// An array.
        like: Option<u32>,
    }

    /// The name of an extension.
    struct ExtensionName {
        /// Its URI.
        extension: String,
    }

    /// An array that is to be created, with user codecs.
    struct NewCodecQuestion {
        /// JSON of its options.
        options: String,
        /// An array whose metadata provide all missing options.
        like: Option<u32>,
        /// What is known of the user codecs; empty if there are none.
        codecs: String,
    }
}
