//! Channels of `omero` as people write them, in the form that a reader of them needs: a colour of
//! six hexadecimal digits, a window of four numbers, a label that is a text. What cannot be
//! understood is left out, so that a reader takes its own default.

use crate::pointer::integer_of;
use crate::records::Channels;
use crate::value::{Map, Number, Value};

/// Names of colours. `green` is the pure one, as channels have it, not that of CSS.
const NAMES: [(&str, u32); 24] = [
    ("red", 0x00FF_0000),
    ("green", 0x0000_FF00),
    ("blue", 0x0000_00FF),
    ("cyan", 0x0000_FFFF),
    ("magenta", 0x00FF_00FF),
    ("yellow", 0x00FF_FF00),
    ("white", 0x00FF_FFFF),
    ("gray", 0x00FF_FFFF),
    ("grey", 0x00FF_FFFF),
    ("grays", 0x00FF_FFFF),
    ("greys", 0x00FF_FFFF),
    ("lime", 0x0000_FF00),
    ("aqua", 0x0000_FFFF),
    ("fuchsia", 0x00FF_00FF),
    ("orange", 0x00FF_A500),
    ("gold", 0x00FF_D700),
    ("pink", 0x00FF_C0CB),
    ("purple", 0x0080_0080),
    ("violet", 0x00EE_82EE),
    ("teal", 0x0000_8080),
    ("brown", 0x00A5_2A2A),
    ("maroon", 0x0080_0000),
    ("olive", 0x0080_8000),
    ("navy", 0x0000_0080),
];

/// The channels of a picture without OME's metadata, in the order of a pixel's bytes.
const PIXEL: [(&str, &str); 4] =
    [("Red", "FF0000"), ("Green", "00FF00"), ("Blue", "0000FF"), ("Alpha", "FFFFFF")];

/// The channels of an image, as readers need them: OME's, as they are written, or else the first
/// `count` bytes of a pixel.
pub fn channels(written: &[Value], count: usize) -> Channels<'_> {
    Channels { written, read, others: colors_of_pixels(count) }
}

/// The JSON of the channels of a pixel's first `count` bytes, without brackets. Alpha is no light,
/// so it is not drawn.
fn colors_of_pixels(count: usize) -> String {
    let channels = PIXEL.iter().take(count).map(|(label, color)| {
        let active = *label != "Alpha";
        let window = r#"{"start":0,"end":255,"min":0,"max":255}"#;
        format!(r#"{{"label":"{label}","color":"{color}","active":{active},"window":{window}}}"#)
    });
    channels.collect::<Vec<_>>().join(",")
}

/// Whether a text is a colour as the specification has it: six hexadecimal digits.
pub fn is_plain_color(text: &str) -> bool {
    text.len() == 6 && is_hexadecimal(text)
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The channel, as a reader needs it. A text instead of a channel is its label.
fn read(written: &Value) -> Map {
    let mut channel = match written {
        Value::Object(channel) => channel.clone(),
        Value::String(_) => Map::of(vec![("label".to_owned(), written.clone())]),
        _ => Map::default(),
    };
    let read = [
        ("label", channel.get("label").and_then(label)),
        ("color", channel.get("color").and_then(color).map(Value::String)),
        ("window", channel.get("window").and_then(window)),
        ("active", channel.get("active").filter(|active| active.as_bool().is_some()).cloned()),
    ];
    for (key, value) in read {
        match value {
            Some(value) => channel.insert(key, value),
            None => channel.remove(key),
        }
    }
    channel
}

fn label(label: &Value) -> Option<Value> {
    match label {
        Value::String(text) => Some(Value::String(text.trim().to_owned())),
        Value::Number(_) => Some(Value::String(label.text())),
        _ => None,
    }
}

/// Six hexadecimal digits for a colour: a text of 3, 4, 6 or 8 digits, a name, a list of three or
/// four numbers, or an integer.
pub fn color(color: &Value) -> Option<String> {
    match color {
        Value::String(text) => of_text(text.trim()),
        Value::Array(parts) if parts.len() == 3 || parts.len() == 4 => {
            of_parts(&parts.iter().map(Value::as_f64).collect::<Option<Vec<_>>>()?)
        }
        other => of_integer(integer_of(other)?),
    }
}

fn of_text(text: &str) -> Option<String> {
    let digits = text.strip_prefix('#').or_else(|| text.strip_prefix("0x")).unwrap_or(text);
    if digits.is_ascii() && is_hexadecimal(digits) {
        return match digits.len() {
            6 => Some(digits.to_owned()),
            3 | 4 => Some(digits.chars().take(3).flat_map(|digit| [digit, digit]).collect()),
            8 => of_eight(digits),
            _ => None,
        };
    }
    let name = text.to_ascii_lowercase();
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, color)| format!("{color:06X}"))
}

/// Eight digits have the opacity at their end, as in CSS and OMERO. If that were nothing and the
/// first two digits are `FF`, these are the opacity, as in Java: no channel is invisible.
fn of_eight(digits: &str) -> Option<String> {
    let is_first = digits.get(..2)?.eq_ignore_ascii_case("ff") && digits.get(6..)? == "00";
    Some(if is_first { digits.get(2..)? } else { digits.get(..6)? }.to_owned())
}

/// Red, green and blue from 0 to 255, or from 0 to 1 if none is greater.
fn of_parts(parts: &[f64]) -> Option<String> {
    if !parts.iter().all(|part| (0.0..=255.0).contains(part)) {
        return None;
    }
    let unit = if parts.iter().all(|part| *part <= 1.0) { 255.0 } else { 1.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to 255
    let byte = |part: &f64| format!("{:02X}", (part * unit).round() as u8);
    Some(parts.iter().take(3).map(byte).collect())
}

/// An integer is red, green and blue; beyond these 24 bits, or below zero, with the opacity behind
/// them, as in OME-XML.
fn of_integer(integer: i64) -> Option<String> {
    let rgb = match integer {
        0..=0x00FF_FFFF => integer,
        0x0100_0000..=0xFFFF_FFFF => integer >> 8,
        -0x8000_0000..=-1 => (integer & 0xFFFF_FFFF) >> 8,
        _ => return None,
    };
    Some(format!("{rgb:06X}"))
}

/// A window whose start is not above its end; they are equal if all elements are. Its range holds
/// it; without one, the range is the window.
fn window(window: &Value) -> Option<Value> {
    let number = |key: &str| window.get(key).and_then(Value::as_f64).filter(|number| number.is_finite());
    let (start, end) = (number("start")?, number("end")?);
    if start > end {
        return None;
    }
    let range = number("min").zip(number("max")).filter(|(min, max)| min < max);
    let (min, max) = range.map_or((start, end), |(min, max)| (min.min(start), max.max(end)));
    let mut read = window.as_object()?.clone();
    for (key, bound) in [("min", min), ("max", max)] {
        if read.get(key).and_then(Value::as_f64) != Some(bound) {
            read.insert(key, Value::Number(Number::Float(bound)));
        }
    }
    Some(Value::Object(read))
}
