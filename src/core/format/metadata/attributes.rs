//! What the core reads of user attributes: that they are an object, and the names of dimensions
//! that xarray and netCDF-C store there. `convention` interprets the rest.

use crate::error::{Error, Result};
use crate::format::json::{Json, Object};
use crate::format::tolerated::Form;

/// The attribute in which xarray stores the names of dimensions where the Zarr format has no field
/// for them.
pub(super) const ARRAY_DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// The names under which netCDF-C stores its own metadata of an array.
const NCZARR_ARRAY: [&str; 3] = ["_nczarr_array", "_NCZARR_ARRAY", "_NCZARRAY"];

/// All attributes that the core reads.
pub(super) const READ: [&str; 4] = [ARRAY_DIMENSIONS, NCZARR_ARRAY[0], NCZARR_ARRAY[1], NCZARR_ARRAY[2]];

/// The attributes of a node without attributes.
pub(super) const NONE: &str = "{}";

/// The text of a JSON object as written.
pub(super) fn text(json: Json<'_>) -> Result<String> {
    match json.kind_name() {
        "an object" => Ok(json.original_text().into_owned()),
        _ => Err(json.unexpected("an object")),
    }
}

/// Parses the names of an array's dimensions. `null` means no name.
pub(super) fn dimension_names(json: Json<'_>, rank: usize) -> Result<Vec<Option<String>>> {
    let name = |json: Json<'_>| {
        if json.is_null() { Ok(None) } else { json.str().map(|name| Some(name.into_owned())) }
    };
    let names = json.list(name)?;
    if names.len() == rank {
        return Ok(names);
    }
    let error = Error::format("the number of dimension names is not the number of dimensions");
    Err(error.expected(format!("{rank} names")).actual(format!("{} names", names.len())))
}

/// Parses xarray's names of dimensions. Attributes belong to the user, so invalid names give a
/// warning.
pub(super) fn xarray_dimension_names(
    attributes: &Object<'_>,
    rank: usize,
    warnings: &mut Vec<String>,
) -> Option<Vec<Option<String>>> {
    let read = attributes.read(ARRAY_DIMENSIONS, |json| dimension_names(json, rank));
    read.unwrap_or_else(|error| {
        warnings.push(Form::DimensionAttribute.warning(error));
        None
    })
}

/// Parses netCDF-C's names of dimensions. They are paths, in the array's document or (since 4.9.3)
/// in its attributes, under a name that differs between releases. `None` where there are none that
/// fit: netCDF-C usually also writes xarray's.
pub(super) fn nczarr_dimension_names(members: &Object<'_>, rank: usize) -> Option<Vec<Option<String>>> {
    let array = NCZARR_ARRAY.iter().find_map(|key| members.get(key))?;
    let array = array.object().ok()?;
    let paths = ["dimension_references", "dimrefs"].iter().find_map(|key| array.get(key))?;
    let paths = paths.list(|json| Ok(json.str()?.into_owned())).ok()?;
    let mut names = Vec::with_capacity(rank);
    for path in &paths {
        let name = path.rsplit('/').next().unwrap_or_default();
        // netCDF-C invents these names for dimensions without a name.
        let is_named = !name.is_empty() && !name.starts_with("_Anonymous_Dim") && !name.starts_with("_zdim");
        names.push(is_named.then(|| name.to_owned()));
    }
    (names.len() == rank).then_some(names)
}
