//! User attributes, as far as the core looks into them: that they are an object, and the names of dimensions
//! that xarray and netCDF-C keep there.
//!
//! What attributes mean is the business of `convention`. They stay text.

use super::json::{Json, Object};
use crate::error::{Error, Result};
use crate::format::tolerated::Form;

/// Under which xarray keeps the names of dimensions where the format has no place for them.
pub(super) const ARRAY_DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// Of a node that has none.
pub(super) const NONE: &str = "{}";

/// The text of an object, as its writer wrote it.
pub(super) fn text(json: Json<'_>) -> Result<String> {
    match json.kind_name() {
        "an object" => Ok(json.original_text().into_owned()),
        _ => Err(json.unexpected("an object")),
    }
}

/// The names of an array's dimensions, `null` for one without.
pub(super) fn dimension_names(json: Json<'_>, rank: usize) -> Result<Vec<Option<String>>> {
    let name = |json: Json<'_>| {
        if json.is_null() { Ok(None) } else { json.str().map(|name| Some(name.into_owned())) }
    };
    let names = json.list(name)?;
    if names.len() == rank {
        return Ok(names);
    }
    let error = Error::format("there is not one name for each dimension");
    Err(error.expected(format!("{rank} names")).actual(format!("{} names", names.len())))
}

/// xarray's names of dimensions. Attributes are the user's, so what does not fit is a warning.
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

/// netCDF-C's names of dimensions: paths, in the array's document or (since 4.9.3) among its attributes, under a spelling of each
/// release. `None` where there are none that fit: netCDF-C writes xarray's beside them as a rule.
pub(super) fn nczarr_dimension_names(members: &Object<'_>, rank: usize) -> Option<Vec<Option<String>>> {
    let array = ["_nczarr_array", "_NCZARR_ARRAY", "_NCZARRAY"].iter().find_map(|key| members.get(key))?;
    let array = array.object().ok()?;
    let paths = ["dimension_references", "dimrefs"].iter().find_map(|key| array.get(key))?;
    let paths = paths.list(|json| Ok(json.str()?.into_owned())).ok()?;
    let name = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        // What netCDF-C makes up for a dimension that has no name.
        let is_named = !name.is_empty() && !name.starts_with("_Anonymous_Dim") && !name.starts_with("_zdim");
        is_named.then(|| name.to_owned())
    };
    (paths.len() == rank).then(|| paths.iter().map(name).collect())
}
