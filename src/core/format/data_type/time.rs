//! The data types `numpy.datetime64` and `numpy.timedelta64`, v2's `<M8[25s]` and `<m8[ns]`: 64-bit
//! counts of a unit times a factor.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/data-types/numpy.datetime64>
//!
//! The smallest number is NaT, "not a time". There is no calendar here: the host has one.

use super::{FillValue, Integer};
use crate::error::{Error, Result};
use crate::format::json::{Json, Object};

/// A datetime or timedelta type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// Whether elements are moments or durations.
    pub kind: TimeKind,
    /// The unit.
    pub unit: TimeUnit,
    /// The number of units that one count is: 1 to 2^31 − 1.
    pub scale_factor: u32,
}

/// Moments or durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeKind {
    /// Moments: counts from the start of 1970, UTC.
    Moment,
    /// Durations.
    Duration,
}

/// NumPy's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TimeUnit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Picosecond,
    Femtosecond,
    Attosecond,
    /// No unit: only NaT and plain counts have a meaning.
    Generic,
}

/// All units and their names.
const UNITS: [(TimeUnit, &str); 14] = [
    (TimeUnit::Year, "Y"),
    (TimeUnit::Month, "M"),
    (TimeUnit::Week, "W"),
    (TimeUnit::Day, "D"),
    (TimeUnit::Hour, "h"),
    (TimeUnit::Minute, "m"),
    (TimeUnit::Second, "s"),
    (TimeUnit::Millisecond, "ms"),
    (TimeUnit::Microsecond, "us"),
    (TimeUnit::Nanosecond, "ns"),
    (TimeUnit::Picosecond, "ps"),
    (TimeUnit::Femtosecond, "fs"),
    (TimeUnit::Attosecond, "as"),
    (TimeUnit::Generic, "generic"),
];

const NAT: [u8; 8] = i64::MIN.to_le_bytes();

impl TimeKind {
    /// The name in v3 metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moment => "numpy.datetime64",
            Self::Duration => "numpy.timedelta64",
        }
    }

    /// The kind with this name in v3 metadata.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        [Self::Moment, Self::Duration].into_iter().find(|kind| kind.name() == name)
    }
}

impl TimeUnit {
    /// The name in NumPy and in v3 metadata.
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(unit, _)| *unit == self).map_or("generic", |(_, name)| name)
    }

    /// The unit with this name. NumPy also accepts Unicode's two micro signs.
    fn of_name(name: &str) -> Option<Self> {
        let name = if matches!(name, "μs" | "µs") { "us" } else { name };
        UNITS.iter().find(|(_, spelled)| *spelled == name).map(|(unit, _)| *unit)
    }
}

impl Time {
    /// Parses a v3 configuration: `unit` and `scale_factor`.
    pub(super) fn parse(kind: TimeKind, configuration: &Object<'_>) -> Result<Self> {
        let unit = configuration.require("unit", |json| {
            TimeUnit::of_name(&json.str()?).ok_or_else(|| json.unexpected("a unit of NumPy, such as \"ns\""))
        })?;
        let scale_factor = configuration.require("scale_factor", |json| {
            let factor = json.u64().ok().and_then(checked_factor);
            factor.ok_or_else(|| json.unexpected("an integer from 1 to 2147483647"))
        })?;
        Ok(Self { kind, unit, scale_factor })
    }

    /// Parses the end of a type string, after `M8` or `m8`: `[ns]`, `[25s]` or nothing.
    pub(super) fn parse_typestr(kind: TimeKind, rest: &str) -> Option<Self> {
        if rest.is_empty() {
            return Some(Self { kind, unit: TimeUnit::Generic, scale_factor: 1 });
        }
        let inner = rest.strip_prefix('[')?.strip_suffix(']')?;
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let (factor, unit) = inner.split_at_checked(digits)?;
        let scale_factor = if factor.is_empty() { 1 } else { checked_factor(factor.parse().ok()?)? };
        Some(Self { kind, unit: TimeUnit::of_name(unit)?, scale_factor })
    }

    /// Writes the v3 configuration.
    pub(super) fn configuration(self) -> String {
        format!("{{\"unit\":\"{}\",\"scale_factor\":{}}}", self.unit.name(), self.scale_factor)
    }
}

fn checked_factor(factor: u64) -> Option<u32> {
    u32::try_from(factor).ok().filter(|factor| (1..=0x7fff_ffff).contains(factor))
}

/// The element NaT.
pub(super) fn not_a_time() -> FillValue {
    FillValue(NAT.to_vec())
}

/// Parses an integer or `"NaT"`.
pub(super) fn parse_fill(json: Json<'_>) -> Result<FillValue> {
    if json.str().is_ok_and(|text| text == "NaT") {
        return Ok(not_a_time());
    }
    Integer::Int64.parse_fill(json).map_err(|_| unexpected(json))
}

/// Parses the forms of v2 writers, which also include an integer with a fraction of zero.
pub(super) fn parse_v2_fill(json: Json<'_>) -> Result<FillValue> {
    parse_fill(json).or_else(|error| Integer::Int64.parse_fraction_fill(json).ok_or(error))
}

/// Writes an integer or `"NaT"`.
pub(super) fn fill_to_json(fill: &[u8]) -> String {
    if fill == NAT { "\"NaT\"".to_owned() } else { Integer::Int64.fill_to_json(fill) }
}

fn unexpected(json: Json<'_>) -> Error {
    json.unexpected("a 64-bit integer or \"NaT\"")
}
