//! What JavaScript needs to know about a data type to create views of packed elements.

use super::{DataType, Float, Integer};
use crate::format::metadata::write::text::{ObjectText, list, string};

/// A data type as JavaScript sees it. Members that a type does not have are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The name in v3 metadata.
    pub name: String,
    /// The family.
    pub kind: Kind,
    /// The size of one element in bytes. Left out for types of variable length.
    pub size: Option<usize>,
    /// The number of numbers in one element: 2 for complex numbers, the code points of UTF-32 text.
    pub components: Option<usize>,
    /// The typed array whose elements are these numbers as in memory.
    pub view: Option<&'static str>,
    /// Whether `view` shows only the bits of the numbers, which can be converted to float32.
    pub widens: bool,
    /// The unit of a datetime or timedelta, in NumPy's spelling.
    pub unit: Option<&'static str>,
    /// The number of units that one count is.
    pub scale_factor: Option<u32>,
    /// The fields of a struct.
    pub fields: Option<Vec<FieldDescription>>,
    /// The type of the elements of a variable array, or of the value of an optional one (which
    /// starts at byte 1).
    pub inner: Option<Box<Description>>,
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDescription {
    /// The name.
    pub name: String,
    /// The offset in the element, in bytes.
    pub offset: usize,
    /// The shape of its array, which is in C order. Empty for a single value.
    pub shape: Vec<u32>,
    /// The type of the field, or of the elements of its array.
    pub data_type: Description,
}

/// The families of data types that JavaScript handles differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One byte, 0 or 1.
    Bool,
    /// Two's complement. Types of fewer than eight bits have one byte each.
    Integer,
    /// A floating-point number of any width.
    Float,
    /// The real and the imaginary part.
    Complex,
    /// A fixed number of bytes.
    Raw,
    /// Bytes, padded with zeros.
    NullTerminatedBytes,
    /// Code points, padded with zeros.
    Utf32,
    /// A 64-bit count from 1970. The smallest number is NaT.
    Datetime,
    /// A 64-bit count. The smallest number is NaT.
    Timedelta,
    /// Fields at offsets in the element.
    Struct,
    /// One byte that tells whether there is a value, then the value.
    Optional,
    /// UTF-8 text of any length.
    String,
    /// Bytes of any length.
    Bytes,
    /// A list of packed elements of the inner type.
    VariableArray,
    /// The text of a JSON value.
    Json,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Complex => "complex",
            Self::Raw => "raw",
            Self::NullTerminatedBytes => "null-terminated-bytes",
            Self::Utf32 => "utf32",
            Self::Datetime => "datetime",
            Self::Timedelta => "timedelta",
            Self::Struct => "struct",
            Self::Optional => "optional",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::VariableArray => "variable-array",
            Self::Json => "json",
        }
    }
}

impl Description {
    /// Describes a data type.
    pub fn of(data_type: &DataType) -> Self {
        let mut description = Self {
            name: data_type.name().into_owned(),
            kind: kind(data_type),
            size: data_type.size(),
            components: None,
            view: view(data_type),
            widens: false,
            unit: None,
            scale_factor: None,
            fields: None,
            inner: None,
        };
        match data_type {
            DataType::Float(part) => description.widens = part.size() <= 2,
            DataType::Complex(part) => {
                description.widens = part.size() <= 2;
                description.components = Some(2);
            }
            DataType::Utf32(len) => description.components = Some(*len),
            DataType::Time(time) => {
                description.unit = Some(time.unit.name());
                description.scale_factor = Some(time.scale_factor);
            }
            DataType::Struct(structure) => {
                description.fields = Some(structure.fields().iter().map(FieldDescription::of).collect());
            }
            DataType::Optional(inner) | DataType::VariableArray(inner) => {
                description.inner = Some(Box::new(Self::of(inner)));
            }
            _ => {}
        }
        description
    }
}

impl Description {
    /// Writes the description as JSON: `TypeDescription` of `ts/model/data_type.ts`.
    pub fn to_json(&self) -> String {
        let mut text =
            ObjectText::new().with("name", string(&self.name)).with("kind", string(self.kind.name()));
        let mut set = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                text.set(name, value);
            }
        };
        set("size", self.size.map(|size| size.to_string()));
        set("components", self.components.map(|count| count.to_string()));
        set("view", self.view.map(string));
        set("widens", self.widens.then(|| "true".to_owned()));
        set("unit", self.unit.map(string));
        set("scaleFactor", self.scale_factor.map(|factor| factor.to_string()));
        set("fields", self.fields.as_ref().map(|fields| list(fields.iter().map(FieldDescription::to_json))));
        set("inner", self.inner.as_ref().map(|inner| inner.to_json()));
        text.compact()
    }
}

impl FieldDescription {
    fn to_json(&self) -> String {
        ObjectText::new()
            .with("name", string(&self.name))
            .with("offset", self.offset.to_string())
            .with("shape", list(&self.shape))
            .with("type", self.data_type.to_json())
            .compact()
    }

    fn of(field: &super::structure::Field) -> Self {
        // The whole element is smaller than 2^32 bytes.
        let extents = field.shape.iter().map(|extent| u32::try_from(*extent).unwrap_or(u32::MAX));
        Self {
            name: field.name.clone(),
            offset: field.offset,
            shape: extents.collect(),
            data_type: Description::of(&field.data_type),
        }
    }
}

fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Bool => Kind::Bool,
        DataType::Integer(_) => Kind::Integer,
        DataType::Float(_) => Kind::Float,
        DataType::Complex(_) => Kind::Complex,
        DataType::Raw(_) => Kind::Raw,
        DataType::NullTerminatedBytes(_) => Kind::NullTerminatedBytes,
        DataType::Utf32(_) => Kind::Utf32,
        DataType::Time(time) if time.kind == super::TimeKind::Moment => Kind::Datetime,
        DataType::Time(_) => Kind::Timedelta,
        DataType::Struct(_) => Kind::Struct,
        DataType::Optional(_) => Kind::Optional,
        DataType::String => Kind::String,
        DataType::Bytes => Kind::Bytes,
        DataType::VariableArray(_) => Kind::VariableArray,
        DataType::Json => Kind::Json,
    }
}

/// The typed array of the numbers, or of their bits where JavaScript does not have the type.
fn view(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Bool | DataType::Raw(_) | DataType::NullTerminatedBytes(_) => "Uint8Array",
        DataType::Integer(integer) => match (integer.is_signed(), integer.size()) {
            (true, 1) => "Int8Array",
            (true, 2) => "Int16Array",
            (true, 4) => "Int32Array",
            (true, _) => "BigInt64Array",
            (false, 1) => "Uint8Array",
            (false, 2) => "Uint16Array",
            (false, 4) => "Uint32Array",
            (false, _) => "BigUint64Array",
        },
        DataType::Float(part) | DataType::Complex(part) => match part {
            Float::Float64 => "Float64Array",
            Float::Float32 => "Float32Array",
            Float::Float16 => "Float16Array",
            Float::Bfloat16 => "Uint16Array",
            _ => "Uint8Array",
        },
        DataType::Utf32(_) => "Uint32Array",
        DataType::Time(_) => view(&DataType::Integer(Integer::Int64))?,
        _ => return None,
    })
}
