//! Counts of time: `days since 2000-01-01 12:00`, in a calendar, as dates and back. CF 4.4,
//! <https://cfconventions.org>.
//!
//! All times are integer nanoseconds. A count that is a double is taken as an exact fraction and
//! rounded once, to the nearest nanosecond. Months and years are units only in calendars where they
//! have a fixed length.

use super::calendar::{Calendar, Day};
use crate::error::{Error, Result};
use crate::records::{self, DateParts, TimeAnswer, TimeQuestion};
use crate::value::Value;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// Units of a fixed length, in nanoseconds, with the spellings of UDUNITS and cftime.
const UNITS: [(&[&str], i128); 8] = [
    (&["nanosecond", "nanosec", "nsec", "ns"], 1),
    (&["microsecond", "microsec", "usec", "us"], 1000),
    (&["millisecond", "millisec", "msec", "ms"], 1_000_000),
    (&["second", "sec", "s"], SECOND),
    (&["minute", "min"], 60 * SECOND),
    (&["hour", "hr", "h"], 3600 * SECOND),
    (&["day", "d"], DAY),
    (&["week"], 7 * DAY),
];

/// A moment in a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its day.
    pub day: Day,
    /// From 0 to 23.
    pub hour: i64,
    /// From 0 to 59.
    pub minute: i64,
    /// From 0 to 59.
    pub second: i64,
    /// From 0 to 999 999 999.
    pub nanosecond: i64,
}

impl Moment {
    /// The moment of a request.
    fn of(parts: &DateParts) -> Self {
        let day = Day { year: parts.year, month: parts.month, day: parts.day };
        let [hour, minute, second, nanosecond] =
            [parts.hour, parts.minute, parts.second, parts.nanosecond].map(Option::unwrap_or_default);
        Self { day, hour, minute, second, nanosecond }
    }

    const fn record(self) -> records::Moment {
        let Self { day: Day { year, month, day }, hour, minute, second, nanosecond } = self;
        records::Moment { year, month, day, hour, minute, second, nanosecond }
    }
}

/// The meaning of time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeUnits {
    /// The calendar.
    pub calendar: Calendar,
    /// The nanoseconds of one count.
    unit: i128,
    /// Nanoseconds from day 0 of the calendar to the reference date.
    epoch: i128,
}

/// The unit and the date of `… since …`.
pub fn split_units(units: &str) -> Option<(&str, &str)> {
    let at = units.to_ascii_lowercase().find(" since ")?;
    let (unit, rest) = units.split_at_checked(at)?;
    Some((unit.trim(), rest.get(" since ".len()..)?.trim()))
}

fn same_word(word: &str, known: &str) -> bool {
    word == known || (known.len() > 1 && word.strip_suffix('s') == Some(known))
}

/// Nanoseconds of a unit.
fn length_of(unit: &str, calendar: Calendar) -> Option<i128> {
    let word = unit.to_ascii_lowercase();
    let known = UNITS.iter().find(|(names, _)| names.iter().any(|name| same_word(&word, name)));
    if let Some((_, length)) = known {
        return Some(*length);
    }
    match calendar {
        Calendar::Days360 if same_word(&word, "month") => Some(30 * DAY),
        Calendar::Days360 if same_word(&word, "year") => Some(360 * DAY),
        Calendar::NoLeap if same_word(&word, "common_year") => Some(365 * DAY),
        _ => None,
    }
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "nanoseconds of 64-bit milliseconds and of MAX_YEARS are far below 128 bits"
)]
impl TimeUnits {
    /// Parses the attributes `units` and `calendar`.
    ///
    /// # Errors
    /// `Format` for an invalid unit or date, `Unsupported` for calendars and units without a fixed
    /// length.
    pub fn parse(units: &str, calendar: Option<&str>) -> Result<Self> {
        let shown = |text: &str| text.chars().take(80).collect::<String>();
        let known = Calendar::of_name(calendar).ok_or_else(|| {
            Error::unsupported("dates of this calendar")
                .expected("standard, proleptic_gregorian, julian, noleap, all_leap or 360_day")
                .actual(shown(calendar.unwrap_or_default()))
        })?;
        let (unit, date) = split_units(units).ok_or_else(|| {
            Error::format("not units of time").expected("\"days since 2000-01-01\"").actual(shown(units))
        })?;
        let length = length_of(unit, known).ok_or_else(|| {
            let fixed = ["month", "year"].iter().any(|word| same_word(&unit.to_ascii_lowercase(), word));
            let error = if fixed {
                Error::unsupported("months and years as units: they have no fixed length in this calendar")
            } else {
                Error::format("not a unit of time")
            };
            error.expected("nanoseconds … weeks").actual(shown(unit))
        })?;
        let epoch = parse_date(date).and_then(|(moment, zone)| Some(nanoseconds(moment, known)? - zone));
        let epoch = epoch.ok_or_else(|| {
            Error::format("not a date of this calendar")
                .expected("\"2000-01-01 12:00:00\"")
                .actual(shown(date))
        })?;
        Ok(Self { calendar: known, unit: length, epoch })
    }

    /// Nanoseconds from day 0 of the calendar to a count; `None` for NaN and the infinities.
    pub fn instant(&self, count: &Value) -> Option<i128> {
        let count = count.as_number()?;
        let since = match count.whole() {
            Some(whole) => whole.checked_mul(self.unit)?,
            None => times(count.float(), self.unit)?,
        };
        since.checked_add(self.epoch)
    }

    /// The count of a moment, rounded to the nearest double.
    pub fn count(&self, instant: i128) -> f64 {
        quotient(instant - self.epoch, self.unit)
    }

    /// The instant of a date in text or numbers.
    ///
    /// # Errors
    /// `Argument` for a date that the calendar does not have.
    pub fn instant_of(&self, date: &Value) -> Result<i128> {
        let parsed = match date {
            Value::String(text) => {
                parse_date(text).and_then(|(moment, zone)| Some(nanoseconds(moment, self.calendar)? - zone))
            }
            // Milliseconds since 1970 in real time.
            Value::Number(milliseconds) if self.calendar.is_real() => {
                milliseconds.whole().map(|milliseconds| milliseconds * 1_000_000)
            }
            Value::Object(_) => {
                let parts: Option<DateParts> = records::read(date.clone(), "dates").ok();
                parts.and_then(|parts| nanoseconds(Moment::of(&parts), self.calendar))
            }
            _ => None,
        };
        parsed.ok_or_else(|| {
            Error::argument("not a date of this calendar")
                .expected("\"2000-01-01T12:00\", or { year, month, day, … }")
                .actual(date.shown())
        })
    }
}

/// Multiplies a double by an integer of about 50 bits at most, and rounds to the nearest integer,
/// halves to even.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "a mantissa has 53 bits and a unit 55; shifts are 1 to 120"
)]
fn times(number: f64, by: i128) -> Option<i128> {
    if !number.is_finite() || number.abs() >= 1e20 {
        return None;
    }
    let bits = number.to_bits();
    let exponent = i32::try_from(bits >> 52 & 0x7ff).ok()?;
    let fraction = i128::from(bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let product = mantissa * by;
    let shift = exponent.max(1) - 1075;
    let magnitude = match u32::try_from(-shift) {
        // Below 2^67, for numbers below 10^20.
        Err(_) | Ok(0) => product.checked_shl(u32::try_from(shift).ok()?)?,
        Ok(right) if right > 120 => 0,
        Ok(right) => {
            let (whole, rest) = (product >> right, product & ((1 << right) - 1));
            let half = 1 << (right - 1);
            whole + i128::from(rest > half || (rest == half && whole & 1 == 1))
        }
    };
    Some(if number.is_sign_negative() { -magnitude } else { magnitude })
}

/// The double nearest to a fraction.
#[allow(clippy::cast_precision_loss)] // rounded once, with a sticky last bit
#[allow(clippy::arithmetic_side_effects, reason = "`by` is at least 1")]
fn quotient(number: i128, by: i128) -> f64 {
    let (magnitude, by) = (number.unsigned_abs(), by.unsigned_abs().max(1));
    let (whole, rest) = (magnitude / by, magnitude % by);
    // 66 bits of the fraction are enough for rounding, wherever its first set bit is.
    let scaled = (rest << 66) / by;
    let is_cut = !(rest << 66).is_multiple_of(by);
    let value = if whole < 1 << 60 {
        (whole << 66 | scaled | u128::from(is_cut)) as f64 * 2_f64.powi(-66)
    } else {
        whole as f64
    };
    if number < 0 { -value } else { value }
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "the parts of a time are checked first, and a day is within MAX_YEARS of 0"
)]
fn nanoseconds(Moment { day, hour, minute, second, nanosecond }: Moment, calendar: Calendar) -> Option<i128> {
    let inside = (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..60).contains(&second)
        && (0..1_000_000_000).contains(&nanosecond);
    if !inside {
        return None;
    }
    let days = i128::from(calendar.number_of(day)?);
    let seconds = i128::from((hour * 60 + minute) * 60 + second);
    Some(days * DAY + seconds * SECOND + i128::from(nanosecond))
}

/// The moment of an instant.
pub fn moment_of(instant: i128, calendar: Calendar) -> Option<Moment> {
    let day = calendar.day_of(i64::try_from(instant.div_euclid(DAY)).ok()?)?;
    let rest = i64::try_from(instant.rem_euclid(DAY)).ok()?;
    let (seconds, nanosecond) = (rest / 1_000_000_000, rest % 1_000_000_000);
    Some(Moment { day, hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60, nanosecond })
}

/// Splits a number off the start of a text.
fn digits(text: &str, most: usize) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text.get(..end).filter(|digits| (1..=most).contains(&digits.len()))?;
    Some((number.parse().ok()?, text.get(end..)?))
}

/// Parses `2000-1-1 12:00:00.5 +1:00` in all forms of UDUNITS, cftime and ISO 8601. Also returns
/// the nanoseconds from UTC to its time zone.
#[allow(clippy::arithmetic_side_effects, reason = "a year of 9 digits")]
fn parse_date(text: &str) -> Option<(Moment, i128)> {
    let text = text.trim();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (year, rest) = digits(text, 9)?;
    let mut day = Day { year: sign * year, month: 1, day: 1 };
    let mut rest = rest;
    if let Some(text) = rest.strip_prefix('-') {
        (day.month, rest) = digits(text, 2)?;
    }
    if let Some(text) = rest.strip_prefix('-') {
        (day.day, rest) = digits(text, 2)?;
    }
    let mut moment = Moment { day, hour: 0, minute: 0, second: 0, nanosecond: 0 };
    let after = rest.strip_prefix(['T', 't']).unwrap_or(rest).trim_start();
    let rest = if after.starts_with(|c: char| c.is_ascii_digit()) && after.len() < rest.len() {
        parse_clock(after, &mut moment)?
    } else {
        rest
    };
    Some((moment, parse_zone(rest.trim())?))
}

fn parse_clock<'a>(text: &'a str, moment: &mut Moment) -> Option<&'a str> {
    let (hour, mut rest) = digits(text, 2)?;
    moment.hour = hour;
    if let Some(text) = rest.strip_prefix(':') {
        (moment.minute, rest) = digits(text, 2)?;
    }
    if let Some(text) = rest.strip_prefix(':') {
        (moment.second, rest) = digits(text, 2)?;
    }
    if let Some(text) = rest.strip_prefix('.') {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        // Writers also write "0."; digits beyond nanoseconds are cut off.
        let fraction: String = text.chars().take(end).chain("000000000".chars()).take(9).collect();
        moment.nanosecond = fraction.parse().ok()?;
        rest = text.get(end..)?;
    }
    Some(rest)
}

#[allow(clippy::arithmetic_side_effects, reason = "hours of 4 digits, minutes of 2")]
fn parse_zone(text: &str) -> Option<i128> {
    if text.is_empty() || ["z", "utc", "gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
        return Some(0);
    }
    let text = text.strip_prefix("UTC").unwrap_or(text).trim_start();
    let (sign, text) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(rest), _) => (-1, rest),
        (_, Some(rest)) => (1, rest),
        _ => return None,
    };
    let (first, rest) = digits(text, 4)?;
    let (hours, minutes) = match rest.strip_prefix(':') {
        Some(rest) => match digits(rest, 2)? {
            (minutes, "") => (first, minutes),
            _ => return None,
        },
        None if !rest.is_empty() => return None,
        None if first > 24 => (first / 100, first % 100),
        None => (first, 0),
    };
    (hours <= 24 && minutes < 60).then(|| i128::from(sign * (hours * 60 + minutes)) * 60 * SECOND)
}

/// The most milliseconds from 1970 of a date of JavaScript.
const LATEST: u64 = 8_640_000_000_000_000;

/// Converts counts and dates.
///
/// # Errors
/// As [`TimeUnits::parse`], and `Argument` for an invalid date.
#[allow(clippy::arithmetic_side_effects, reason = "an instant is below 2^120")]
pub fn answer(question: &TimeQuestion) -> Result<TimeAnswer> {
    let units = TimeUnits::parse(&question.units, question.calendar.as_deref())?;
    let instants: Vec<Option<i128>> = question.counts.iter().map(|count| units.instant(count)).collect();
    let is_real = units.calendar.is_real();
    let milliseconds = |instant: &Option<i128>| {
        let milliseconds = (instant.filter(|_| is_real)? + 500_000).div_euclid(1_000_000);
        i64::try_from(milliseconds).ok().filter(|milliseconds| milliseconds.unsigned_abs() <= LATEST)
    };
    let dates = question.dates.iter().map(|date| Ok(units.count(units.instant_of(date)?)));
    let moment = |instant: &Option<i128>| moment_of((*instant)?, units.calendar).map(Moment::record);
    Ok(TimeAnswer {
        is_real,
        milliseconds: instants.iter().map(milliseconds).collect(),
        moments: instants.iter().map(moment).collect(),
        counts: dates.collect::<Result<_>>()?,
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use crate::error::{ErrorKind, Result};

    fn answer_of(mut question: Value) -> Result<Value> {
        question["operation"] = "time".into();
        crate::answer(&question.to_string()).map(|answer| serde_json::from_str(&answer).unwrap())
    }

    #[test]
    fn the_not_a_time_of_numpy_has_no_date() {
        for unit in ["days", "milliseconds"] {
            let units = format!("{unit} since 1970-01-01");
            let answer = answer_of(json!({ "units": units, "counts": [i64::MIN, 1] })).unwrap();
            assert_eq!(answer["milliseconds"][0], Value::Null, "{unit}");
            assert!(answer["milliseconds"][1].is_i64(), "{unit}");
        }
        let days = answer_of(json!({ "units": "days since 1970-01-01", "counts": [i64::MIN] })).unwrap();
        assert_eq!(days["moments"][0], Value::Null);
    }

    #[test]
    fn parts_of_a_date_outside_of_their_range_are_refused() {
        let units = "seconds since 1970-01-01";
        for (part, wrong) in [("hour", 24), ("hour", i64::MAX), ("second", i64::MIN), ("year", i64::MIN)] {
            let mut date = json!({ "year": 1970, "month": 1, "day": 1, "hour": 23 });
            assert_eq!(answer_of(json!({ "units": units, "dates": [date] })).unwrap()["counts"][0], 82_800.0);
            date[part] = wrong.into();
            let refused = answer_of(json!({ "units": units, "dates": [date] })).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Argument, "{part} {wrong}");
        }
    }
}
