//! The coordinate reference system. The first of these that has one gives it: the array, the group
//! of the level, the group of the pyramid (`proj:`), CF's grid mapping, GDAL's `_CRS`, the
//! convention of the levels.

use super::levels::FoundLevel;
use super::source::Source;
use super::{Wants, no_path};
use crate::finding::Report;
use crate::format::json;
use crate::node::{Node, Nodes};
use crate::path::{self, join, parent};
use crate::value::{Map, Value};

/// A reference system, and the affine transformation that GDAL wrote with it, if any.
#[derive(Clone, Debug)]
pub struct Reference {
    /// `{code, wkt2, projjson, source}`.
    pub crs: Value,
    /// The affine transformation, of corners.
    pub plane: Option<[f64; 6]>,
}

/// A search for the reference system.
pub struct Search<'a> {
    /// The known nodes.
    pub nodes: &'a Nodes,
    /// Gets a grid mapping that is not known yet.
    pub wants: &'a mut Wants,
    /// Gets what is wrong.
    pub report: &'a mut Report,
}

impl Search<'_> {
    /// Finds the reference system of a level.
    pub fn find(&mut self, root: &str, level: &FoundLevel<'_>, source: &Source<'_>) -> Option<Reference> {
        let group = self.nodes.get(root).and_then(Option::as_ref);
        let own = [Some(level.node), level.group, group].into_iter().flatten().find_map(of_proj);
        let mapping = self.mapping_of(level).map(of_mapping);
        let plane = mapping.as_ref().and_then(|mapping| mapping.plane);
        if let Some(crs) = own {
            return Some(Reference { crs, plane });
        }
        let gdal = || of_gdal(level.node).map(|crs| Reference { crs, plane: None });
        let stated = || source.crs.as_ref().and_then(stated).map(|crs| Reference { crs, plane: None });
        mapping.filter(|mapping| !mapping.crs.is_null()).or_else(gdal).or_else(stated).or_else(|| {
            // A grid mapping without a name still says where the level is.
            plane.map(|plane| Reference { crs: Value::Null, plane: Some(plane) })
        })
    }

    /// The variable that `grid_mapping` names; its longer form is `name: coordinates …`. A name
    /// without a slash is searched for in the level's group and in those above it (CF 1.8, 2.7).
    fn mapping_of(&mut self, level: &FoundLevel<'_>) -> Option<&Node> {
        let written = level.node.get("grid_mapping")?;
        let text = path::text_of(Some(written)).map(|text| text.replace('\\', "/"));
        let name = text.as_ref().map(|text| text.split([':', ' ']).next().unwrap_or_default());
        let name = name.map_err(|why| why.clone());
        let mut base = parent(&level.path);
        let path = name.and_then(|name| Ok((name, path::of_reference(&base, name)?)));
        let (name, mut path) = match path {
            Ok(("", _)) => return None,
            Ok(found) => found,
            Err(why) => {
                no_path(self.report, &level.path, "/grid_mapping", &why);
                return None;
            }
        };
        loop {
            match self.nodes.get(&path) {
                None => {
                    self.wants.array(path);
                    return None;
                }
                Some(Some(mapping)) => return Some(mapping),
                Some(None) if name.contains('/') || base == "/" => return None,
                Some(None) => base = parent(&base),
            }
            path = join(&base, name);
        }
    }
}

fn of_proj(node: &Node) -> Option<Value> {
    let mut crs = Map::default();
    for (key, name) in [("proj:code", "code"), ("proj:wkt2", "wkt2"), ("proj:projjson", "projjson")] {
        match node.get(key) {
            Some(value @ Value::Object(_)) if name == "projjson" => crs.insert(name, value.clone()),
            Some(value @ Value::String(_)) if name != "projjson" => crs.insert(name, value.clone()),
            _ => {}
        }
    }
    if crs.is_empty()
        && let Some(number) = node.get("proj:epsg").and_then(Value::as_u64)
    {
        crs.insert("code", Value::String(format!("EPSG:{number}")));
    }
    if crs.is_empty() {
        return None;
    }
    crs.insert("source", "proj".into());
    Some(Value::Object(crs))
}

/// The reference system of a grid mapping variable.
fn of_mapping(mapping: &Node) -> Reference {
    let wkt = mapping.text("crs_wkt").or_else(|| mapping.text("spatial_ref"));
    let name = mapping.text("grid_mapping_name");
    let crs = match (wkt, name) {
        (Some(wkt), _) => Value::object(&[("wkt2", wkt.into()), ("source", "grid_mapping".into())]),
        (None, Some(name)) => {
            Value::object(&[("gridMapping", name.into()), ("source", "grid_mapping".into())])
        }
        (None, None) => Value::Null,
    };
    Reference { crs, plane: mapping.text("GeoTransform").and_then(geo_transform) }
}

/// GDAL's order is c, a, b, f, d, e.
fn geo_transform(text: &str) -> Option<[f64; 6]> {
    let number = |word: &str| json::read(word, |json| json.f64()).ok();
    let numbers: Vec<f64> = text.split([' ', ',']).filter_map(number).collect();
    match numbers.as_slice() {
        [c, a, b, f, d, e] if numbers.iter().all(|number| number.is_finite()) => {
            Some([*a, *b, *c, *d, *e, *f])
        }
        _ => None,
    }
}

/// `_CRS`: a URL, WKT and PROJJSON at once.
fn of_gdal(node: &Node) -> Option<Value> {
    let crs = node.get("_CRS")?.as_object()?;
    let mut found = Map::default();
    if let Some(url) = crs.get("url").and_then(Value::as_str) {
        found.insert("code", Value::String(code_of_url(url)?));
    }
    for (key, name) in [("wkt", "wkt2"), ("projjson", "projjson")] {
        if let Some(value) = crs.get(key) {
            found.insert(name, value.clone());
        }
    }
    found.insert("source", "_CRS".into());
    Some(Value::Object(found))
}

/// `http://www.opengis.net/def/crs/EPSG/0/4326`, or `urn:ogc:def:crs:EPSG::4326`, as `EPSG:4326`.
fn code_of_url(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("def/crs/").or_else(|| url.split_once("def:crs:"))?;
    let parts: Vec<&str> = rest.split(['/', ':']).collect();
    Some(format!("{}:{}", parts.first()?, parts.last()?))
}

/// The reference system of a tile matrix set or of ndpyramid: a code, a URL, WKT, or an object with
/// one.
fn stated(value: &Value) -> Option<Value> {
    if let Some(object) = value.as_object() {
        let inner = object.get("uri").or_else(|| object.get("wkt"))?;
        return match inner {
            Value::Object(_) => Some(of_levels("projjson", inner.clone())),
            _ => stated(inner),
        };
    }
    let text = value.as_str()?;
    if let Some(code) = code_of_url(text) {
        return Some(of_levels("code", Value::String(code)));
    }
    Some(of_levels(if text.contains('[') { "wkt2" } else { "code" }, text.into()))
}

fn of_levels(key: &str, value: Value) -> Value {
    Value::object(&[(key, value), ("source", "levels".into())])
}
