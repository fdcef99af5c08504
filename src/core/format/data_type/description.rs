//! What the host needs to know about a data type to create views of packed elements.

use super::structure::Field;
use super::{DataType, Float, Integer, TimeKind};
use crate::format::json::text::{ObjectText, list, string};

/// A data type as the host sees it: JSON text with the members of the host's `TypeDescription`.
/// Those that a type does not have are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description(String);

impl Description {
    /// Describes a data type.
    pub fn of(data_type: &DataType) -> Self {
        Self(described(data_type))
    }

    /// The JSON text.
    pub fn to_json(&self) -> String {
        self.0.clone()
    }
}

fn described(data_type: &DataType) -> String {
    let mut object =
        ObjectText::new().with("name", string(&data_type.name())).with("kind", string(kind(data_type)));
    if let Some(size) = data_type.size() {
        object.set("size", size.to_string());
    }
    match data_type {
        DataType::Complex(_) => object.set("components", "2"),
        DataType::Utf32(len) => object.set("components", len.to_string()),
        _ => {}
    }
    if let Some(view) = view(data_type) {
        object.set("view", string(view));
    }
    match data_type {
        DataType::Float(part) | DataType::Complex(part) if part.size() <= 2 => object.set("widens", "true"),
        DataType::Time(time) => {
            object.set("unit", string(time.unit.name()));
            object.set("scaleFactor", time.scale_factor.to_string());
        }
        DataType::Struct(structure) => object.set("fields", list(structure.fields().iter().map(field))),
        DataType::Optional(inner) | DataType::VariableArray(inner) => object.set("inner", described(inner)),
        _ => {}
    }
    object.compact()
}

fn field(field: &Field) -> String {
    ObjectText::new()
        .with("name", string(&field.name))
        .with("offset", field.offset.to_string())
        .with("shape", list(&field.shape))
        .with("type", described(&field.data_type))
        .compact()
}

/// The family: types of one family are the same to the host.
fn kind(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Bool => "bool",
        DataType::Integer(_) => "integer",
        DataType::Float(_) => "float",
        DataType::Complex(_) => "complex",
        DataType::Raw(_) => "raw",
        DataType::NullTerminatedBytes(_) => "null-terminated-bytes",
        DataType::Utf32(_) => "utf32",
        DataType::Time(time) if time.kind == TimeKind::Moment => "datetime",
        DataType::Time(_) => "timedelta",
        DataType::Struct(_) => "struct",
        DataType::Optional(_) => "optional",
        DataType::String => "string",
        DataType::Bytes => "bytes",
        DataType::VariableArray(_) => "variable-array",
        DataType::Json => "json",
    }
}

/// The typed array of the numbers, or of their bits where hosts do not have the type.
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
