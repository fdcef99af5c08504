//! The data type `struct`: named fields, packed one after the other.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/struct>
//!
//! It also reads the legacy form `structured` (fields are pairs) and v2's lists of NumPy fields.
//! Those may be arrays, and their byte orders may differ. The padding of NumPy's aligned structs is
//! read as fields without names.

use super::{DataType, Endian, FillValue, ParseType, Run, base64, typestr};
use crate::error::{Error, Result};
use crate::format::json::text::string;
use crate::format::json::{Json, Object};
use crate::format::metadata::extension::{Extension, refuse_unknown};
use crate::limits;
use crate::quoted::quoted;
use crate::sorted::Map;

/// The fields of a struct, without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    fields: Vec<Field>,
    size: usize,
    runs: Vec<Run>,
    /// The numbers that v2 stores big-endian. Set where the fields have different byte orders.
    big_endian: Option<Vec<Run>>,
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, unique within the struct.
    pub name: String,
    /// The type of the field, or of the elements of its array.
    pub data_type: DataType,
    /// The shape of its array (v2 only). Empty for a single value.
    pub shape: Vec<u64>,
    /// The offset in the packed struct, in bytes.
    pub offset: usize,
}

/// A field without its offset, and its numbers that are stored big-endian.
struct FieldWithoutOffset {
    name: String,
    data_type: DataType,
    shape: Vec<u64>,
    big_endian: Vec<Run>,
}

impl Struct {
    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The size of one element in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The numbers in one element.
    pub(super) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The numbers that v2 stores big-endian. Set where the fields have different byte orders.
    pub fn mixed_byte_order(&self) -> Option<&[Run]> {
        self.big_endian.as_deref()
    }

    /// Whether a field is an array. v3 does not have such structs.
    fn has_arrays(&self) -> bool {
        self.fields.iter().any(|field| !field.shape.is_empty())
    }

    /// Gives the fields their offsets. Returns the struct and its numbers that are stored
    /// big-endian.
    fn lay_out(fields: Vec<FieldWithoutOffset>) -> Result<(Self, Vec<Run>)> {
        if fields.is_empty() {
            return Err(Error::format("the struct has no fields"));
        }
        let mut laid_out = Self { fields: Vec::new(), size: 0, runs: Vec::new(), big_endian: None };
        let (mut big_endian, mut names) = (Vec::new(), Map::new());
        for (idx, field) in fields.into_iter().enumerate() {
            let within = |error: Error| error.within_field(&format!("[{idx}]"));
            if names.insert(field.name.clone(), ()).is_some() {
                let error = Error::format("two fields of a struct have the same name");
                return Err(within(error.actual(quoted(&field.name))));
            }
            laid_out.push(field, &mut big_endian).map_err(within)?;
        }
        if laid_out.size == 0 {
            return Err(Error::format("the fields of the struct have no bytes"));
        }
        Ok((laid_out, big_endian))
    }

    fn push(&mut self, field: FieldWithoutOffset, big_endian: &mut Vec<Run>) -> Result<()> {
        let FieldWithoutOffset { name, data_type, shape, big_endian: field_big_endian } = field;
        let size = fixed_size(&data_type)?;
        let count = limits::product(shape.iter().copied(), "elements of a field")?;
        let len = limits::product([count, size as u64], "field")?;
        let end = limits::within(len.saturating_add(self.size as u64), limits::ELEMENT_BYTES, "element")?;
        let repeat = Repeat { offset: self.size, size, count };
        repeat.push_runs(&data_type.runs(), &mut self.runs)?;
        repeat.push_runs(&field_big_endian, big_endian)?;
        self.fields.push(Field { name, data_type, shape, offset: self.size });
        self.size = end;
        Ok(())
    }

    /// Writes the v3 configuration.
    pub(super) fn configuration(&self) -> Result<String> {
        if self.has_arrays() {
            return Err(Error::unsupported("Zarr v3 has no structs with arrays as fields"));
        }
        let fields = self.fields.iter().map(|field| {
            Ok(format!(
                "{{\"name\":{},\"data_type\":{}}}",
                string(&field.name),
                field.data_type.to_json_v3()?
            ))
        });
        Ok(format!("{{\"fields\":[{}]}}", fields.collect::<Result<Vec<_>>>()?.join(",")))
    }
}

/// The elements of a field: their offset, their size and their number.
struct Repeat {
    offset: usize,
    size: usize,
    count: u64,
}

impl Repeat {
    /// Appends the numbers of every element. An array of numbers becomes one run.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`Struct::push` has checked that the field ends within ELEMENT_BYTES"
    )]
    fn push_runs(&self, runs: &[Run], all: &mut Vec<Run>) -> Result<()> {
        let count = limits::to_usize(self.count, "field")?;
        if let [run] = runs
            && run.offset == 0
            && run.width * run.count == self.size
        {
            all.push(Run { offset: self.offset, count: run.count * count, ..*run });
        } else {
            limits::within(
                (runs.len() as u64).saturating_mul(self.count),
                limits::STRUCT_RUNS,
                "fields of a struct",
            )?;
            for element in 0..count {
                let offset = self.offset + element * self.size;
                for run in runs {
                    all.push(Run { offset: offset + run.offset, ..*run });
                }
            }
        }
        limits::within(all.len() as u64, limits::STRUCT_RUNS, "fields of a struct")?;
        Ok(())
    }
}

fn fixed_size(data_type: &DataType) -> Result<usize> {
    let size = match data_type {
        DataType::Optional(_) => None,
        _ => data_type.size(),
    };
    size.ok_or_else(|| {
        let error = Error::format("a field of a struct must have a fixed size");
        error.actual(quoted(&data_type.name()))
    })
}

/// Parses a v3 configuration: `fields`, a list of objects or (legacy) pairs.
pub(super) fn parse(configuration: &Object<'_>, parse_type: ParseType) -> Result<Struct> {
    let field = |json| field(json, parse_type);
    let laid_out = configuration.require("fields", |json| Struct::lay_out(json.list(field)?))?;
    Ok(laid_out.0)
}

fn field(json: Json<'_>, parse_type: ParseType) -> Result<FieldWithoutOffset> {
    let (name, data_type) = if json.kind_name() == "an array" {
        let [name, data_type] = json.array()?[..] else { return Err(json.unexpected("[name, data type]")) };
        (name.str()?, parse_type(&Extension::parse(data_type)?)?)
    } else {
        let object = json.object()?;
        let data_type = object.require("data_type", |json| parse_type(&Extension::parse(json)?))?;
        let name = object.require("name", Json::str)?;
        refuse_unknown(object, &["name", "data_type"])?;
        (name, data_type)
    };
    if name.is_empty() {
        return Err(Error::format("a field of the struct has no name"));
    }
    Ok(FieldWithoutOffset { name: name.into_owned(), data_type, shape: Vec::new(), big_endian: Vec::new() })
}

/// Parses v2's list of fields. The byte order is `None` where the fields have different ones.
///
/// # Errors
/// `Format` for anything but a list of fields, `Unsupported` for an unknown type.
pub fn parse_v2(json: Json<'_>) -> Result<(DataType, Option<Endian>)> {
    parse_draft(json, &typestr::parse)
}

/// As [`parse_v2`]. `scalar` parses the names of the fields' types: the drafts have other names
/// than NumPy.
///
/// # Errors
/// As [`parse_v2`].
pub fn parse_draft(json: Json<'_>, scalar: &Scalar<'_>) -> Result<(DataType, Option<Endian>)> {
    let (mut structure, big_endian) = lay_out_v2(json, scalar)?;
    let wide = structure.runs.iter().filter(|run| run.width > 1).count();
    let endian = match big_endian.len() {
        0 => Some(Endian::Little),
        big if big == wide => Some(Endian::Big),
        _ => {
            structure.big_endian = Some(big_endian);
            None
        }
    };
    Ok((DataType::Struct(Box::new(structure)), endian))
}

/// Parses the name of a scalar type. Returns the type and its byte order.
pub type Scalar<'a> = dyn Fn(&str) -> Result<(DataType, Endian)> + 'a;

fn lay_out_v2(json: Json<'_>, scalar: &Scalar<'_>) -> Result<(Struct, Vec<Run>)> {
    let mut fields = json.list(|json| v2_field(json, scalar))?;
    // NumPy names fields without a name like this.
    let unnamed = fields.iter_mut().enumerate().filter(|(_, field)| field.name.is_empty());
    unnamed.for_each(|(idx, field)| field.name = format!("f{idx}"));
    Struct::lay_out(fields)
}

/// Parses `[name, type]` or `[name, type, shape]`. The type is a string or a list of fields.
fn v2_field(json: Json<'_>, scalar: &Scalar<'_>) -> Result<FieldWithoutOffset> {
    let expected = || json.unexpected("[name, type] or [name, type, shape]");
    let (name, of_type, shape) = match json.array()?[..] {
        [name, of_type] => (name, of_type, Vec::new()),
        [name, of_type, shape] if shape.kind_name() == "an array" => (name, of_type, shape.u64_list()?),
        [name, of_type, len] => (name, of_type, vec![len.u64()?]),
        _ => return Err(expected()),
    };
    limits::within(shape.len() as u64, limits::DIMENSIONS as u64, "number of dimensions")?;
    let (data_type, big_endian) = match of_type.kind_name() {
        "an array" => {
            let (structure, big_endian) = lay_out_v2(of_type, scalar)?;
            (DataType::Struct(Box::new(structure)), big_endian)
        }
        _ => {
            let (data_type, endian) = scalar(&of_type.str()?)?;
            let big_endian = if endian == Endian::Big { data_type.swap_runs() } else { Vec::new() };
            (data_type, big_endian)
        }
    };
    Ok(FieldWithoutOffset { name: name.str()?.into_owned(), data_type, shape, big_endian })
}

/// [`FillValue::of_null`] of each field.
pub(super) fn fill_of_null(structure: &Struct) -> FillValue {
    let mut fill = vec![0; structure.size];
    for field in &structure.fields {
        let element = FillValue::of_null(&field.data_type).0;
        let count = field.shape.iter().product::<u64>();
        let targets = fill.get_mut(field.offset..).unwrap_or_default();
        for (target, _) in targets.chunks_exact_mut(element.len().max(1)).zip(0..count) {
            target.copy_from_slice(&element);
        }
    }
    FillValue(fill)
}

/// Parses an object with a value for every field.
pub(super) fn parse_fill(structure: &Struct, json: Json<'_>) -> Result<FillValue> {
    if structure.has_arrays() {
        return Err(json.unexpected("base64 of the packed struct"));
    }
    let values = json.object()?;
    let mut packed = Vec::new();
    for field in &structure.fields {
        let fill = values.require(&field.name, |json| FillValue::parse_v3(&field.data_type, json))?;
        packed.extend_from_slice(&fill.0);
    }
    let unknown = values.iter().find(|(name, _)| structure.fields.iter().all(|field| field.name != *name));
    if let Some((name, _)) = unknown {
        return Err(
            Error::format("the fill value has a field that the struct does not have").in_field(name.as_ref())
        );
    }
    Ok(FillValue(packed))
}

/// Parses base64 of the packed struct. The numbers of `big_endian` are stored big-endian.
pub(super) fn parse_packed_fill(structure: &Struct, big_endian: &[Run], json: Json<'_>) -> Result<FillValue> {
    let mut packed = base64::decode(json)?;
    if packed.len() != structure.size {
        return Err(json.unexpected(&format!("base64 of {} bytes", structure.size)));
    }
    big_endian.iter().for_each(|run| run.swap(&mut packed));
    Ok(FillValue(packed))
}

/// Writes an object with a value for every field.
pub(super) fn fill_to_json(structure: &Struct, fill: &[u8]) -> Result<String> {
    if structure.has_arrays() {
        return Err(Error::unsupported("Zarr v3 has no structs with arrays as fields"));
    }
    let values = structure.fields.iter().map(|field| {
        let size = field.data_type.size().unwrap_or(0);
        let value = fill.get(field.offset..).and_then(|rest| rest.get(..size));
        let packed = FillValue(value.unwrap_or_default().to_vec());
        Ok(format!("{}:{}", string(&field.name), packed.to_json_v3(&field.data_type)?))
    });
    Ok(format!("{{{}}}", values.collect::<Result<Vec<_>>>()?.join(",")))
}
