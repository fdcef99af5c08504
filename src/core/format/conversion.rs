//! Conversions of elements on their way to the caller: numbers of another type, unpacked numbers,
//! colours, or a summary of all elements.
//!
//! This file decides which data types hold numbers, and encodes a conversion as 32-bit words for
//! the workers. The loops are in [`crate::kernel::convert`] and [`crate::kernel::summary`].
//!
//! This file does not read attributes. `convention::cf` finds out which values are missing and how
//! numbers are scaled. It is a wasm module of its own and produces the same words.

use crate::error::{Error, Result};
use crate::format::data_type::{DataType, widen};
use crate::format::json::decimal;
use crate::format::words::Words;
use crate::kernel::convert::convert;
pub use crate::kernel::convert::integer_key;
pub use crate::kernel::convert::labels::{Colour, LabelColours};
pub use crate::kernel::convert::{Missing, Shading, Target, Unpacking};
use crate::kernel::number::Number;
pub use crate::kernel::number::NumberType;
pub use crate::kernel::summary::Bins;
use crate::kernel::summary::{index, summarise};
use crate::limits;

/// The word of a target that is colours.
const COLOURS: u32 = 16;

/// The word of a target that is a summary.
const SUMMARY: u32 = 17;

/// The word of a target that is colours of labels.
const LABELS: u32 = 18;

/// What is added to the word of a type of numbers, where each has a mask behind it.
const MASKED: u32 = 32;

/// The most labels that a caller gives colours of their own: they go with every part of a read.
const MAX_LABELS: usize = 1 << 16;

/// The most bins that a summary may have.
const MAX_BINS: usize = 1 << 16;

const UNPACKED: u32 = 1;
const DOUBLE: u32 = 2;
const MISSING: u32 = 4;
const SCALED: u32 = 8;
const SHIFTED: u32 = 16;

/// A conversion of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// What they are taken for: of integers the sign may be another than the data type's.
    pub source: NumberType,
    /// What is done to them first.
    pub unpacking: Option<Unpacking>,
    /// What they become.
    pub target: Target,
    /// Instead of them a summary of all, as numbers in a row: see [`index`].
    pub summary: Option<Bins>,
}

/// What the elements of a data type are to arithmetic; floats of 8 bits and fewer, and `bfloat16`,
/// are singles there.
pub fn number_of(data_type: &DataType) -> Option<NumberType> {
    match data_type {
        DataType::Integer(integer) => {
            let bits = integer.bits().max(8);
            NumberType::of_layout(Number::Integer { bits, signed: integer.is_signed() })
        }
        DataType::Float(_) if is_widened(data_type) => Some(NumberType::F32),
        _ => data_type.number_type(),
    }
}

/// Whether the elements become singles before anything else is done.
fn is_widened(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float(float) if !float.is_in_numpy())
}

impl Conversion {
    /// Unpacked numbers.
    pub fn unpacked(source: NumberType, unpacking: Option<Unpacking>, to: NumberType) -> Self {
        Self { source, unpacking, target: Target::Number(to), summary: None }
    }

    /// Bytes of an element that is converted; `None` where there is a summary instead of elements.
    pub fn element_size(&self) -> Option<usize> {
        self.summary.is_none().then(|| self.target.size())
    }

    /// Numbers as they are.
    ///
    /// # Errors
    /// `Argument` for elements that are no real numbers.
    pub fn of(data_type: &DataType) -> Result<Self> {
        let source = number_of(data_type).ok_or_else(|| {
            Error::argument("only elements that are real numbers can be converted")
                .expected("a boolean, integer or float data type")
                .actual(data_type.name().into_owned())
        })?;
        Ok(Self::unpacked(source, None, source))
    }

    /// As numbers of the type of this name.
    ///
    /// # Errors
    /// `Argument` for a name of no such type.
    pub fn to(self, name: &str) -> Result<Self> {
        let is_meant = |number: &NumberType| number.name() == name && *number != NumberType::Bool;
        let number = NumberType::ALL.into_iter().find(is_meant).ok_or_else(|| {
            Error::argument("not a type that numbers can be converted to")
                .expected("int8 … int64, uint8 … uint64, float16, float32 or float64")
                .actual(name.to_owned())
        })?;
        Ok(Self { target: Target::Number(number), ..self })
    }

    /// With a mask behind each number; the table of shades has them already.
    #[must_use]
    pub fn masked(self) -> Self {
        match self.target {
            Target::Number(number) => Self { target: Target::Masked(number), ..self },
            _ => self,
        }
    }

    /// As colours of labels.
    ///
    /// # Errors
    /// `Argument` for elements that are no integers, or are unpacked; `Limit` for too many colours.
    pub fn labelled(self, own: Vec<(u64, Colour)>) -> Result<Self> {
        if self.source.is_float() {
            return Err(Error::argument("colours of labels are for integers").actual(self.source.name()));
        }
        if self.unpacking.is_some() {
            return Err(Error::argument("labels are no packed numbers, and have colours as they are"));
        }
        limits::within(own.len() as u64, MAX_LABELS as u64, "number of labels with colours of their own")?;
        Ok(Self { target: Target::Labels(LabelColours::new(own)), ..self })
    }

    /// As colours.
    ///
    /// # Errors
    /// `Argument` for a window that is not two finite numbers, a gamma that is not above zero, and
    /// a table that is not of whole colours.
    pub fn shaded(self, shading: Shading) -> Result<Self> {
        let Shading { low, high, gamma, width, table } = &shading;
        let whole = matches!(width, 1 | 2 | 4) && table.len().is_multiple_of(*width) && table.len() > *width;
        if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
            return Err(Error::argument("a window is two finite numbers").actual(format!(
                "[{}, {}]",
                decimal::text(*low),
                decimal::text(*high)
            )));
        }
        if !(gamma.is_finite() && *gamma > 0.0) {
            return Err(Error::argument("gamma is a number above zero").actual(decimal::text(*gamma)));
        }
        if !whole {
            return Err(Error::argument(
                "a table of colours is of whole colours, and one for what is missing",
            ));
        }
        Ok(Self { target: Target::Colours(shading), ..self })
    }

    /// A summary instead of numbers.
    ///
    /// # Errors
    /// `Argument` for bins that are not from one finite number up to another, or too many.
    pub fn summarised(self, bins: Bins) -> Result<Self> {
        let Bins { low, high, count } = bins;
        if !((high - low).is_finite() && low <= high) {
            return Err(Error::argument("bins reach from a finite number up to another").actual(format!(
                "[{}, {}]",
                decimal::text(low),
                decimal::text(high)
            )));
        }
        limits::within(count as u64, MAX_BINS as u64, "number of bins")?;
        Ok(Self { summary: Some(bins), ..self })
    }

    /// Converts packed elements of a data type.
    ///
    /// # Errors
    /// `Argument` for elements of another size than was said, `Limit` where there is no memory.
    pub fn apply(&self, data_type: &DataType, elements: &[u8]) -> Result<Vec<u8>> {
        let widened = if is_widened(data_type) { widen::widen(data_type, elements)? } else { None };
        let elements = widened.as_ref().map_or(elements, |(_, wide)| wide.as_slice());
        if !elements.len().is_multiple_of(self.source.size()) {
            return Err(malformed());
        }
        if let Some(bins) = self.summary {
            let mut numbers = vec![0.0; index::BINS.saturating_add(bins.count)];
            summarise(elements, self.source, self.unpacking.as_ref(), bins, &mut numbers);
            let mut bytes = Vec::with_capacity(numbers.len().saturating_mul(8));
            for number in numbers {
                bytes.extend(number.to_le_bytes());
            }
            return Ok(bytes);
        }
        let count = elements.len().checked_div(self.source.size()).unwrap_or(0);
        let len = limits::product([count as u64, self.target.size() as u64], "part")?;
        let mut converted = limits::zeroed(len, limits::CHUNK_BYTES, "part")?;
        convert(elements, self.source, &mut converted, self.unpacking.as_ref(), &self.target);
        Ok(converted)
    }

    /// As words.
    ///
    /// # Errors
    /// `Limit` for a table or list beyond 2^32.
    pub fn to_words(&self) -> Result<Vec<u32>> {
        let target = match &self.target {
            _ if self.summary.is_some() => SUMMARY,
            Target::Number(number) => code(*number),
            Target::Masked(number) => MASKED.saturating_add(code(*number)),
            Target::Colours(_) => COLOURS,
            Target::Labels(_) => LABELS,
        };
        let mut words = vec![code(self.source), target];
        write_unpacking(self.unpacking.as_ref(), &mut words)?;
        if let Some(Bins { low, high, count }) = self.summary {
            put_floats(&mut words, &[low, high]);
            words.push(length(count)?);
        } else if let Target::Labels(colours) = &self.target {
            words.push(length(colours.own().len())?);
            for (label, colour) in colours.own() {
                put(&mut words, *label);
                words.push(u32::from_le_bytes(*colour));
            }
        } else if let Target::Colours(Shading { low, high, gamma, width, table }) = &self.target {
            put_floats(&mut words, &[*low, *high, *gamma]);
            words.extend([length(*width)?, length(table.len())?]);
            put_bytes(&mut words, table);
        }
        Ok(words)
    }

    /// From words, for elements of a data type.
    ///
    /// # Errors
    /// `Argument` when they are not such words, or of numbers of another size.
    pub fn from_words(words: &[u32], data_type: &DataType) -> Result<Self> {
        let mut words = Words::new(words, malformed);
        let source = number(words.word()?)?;
        if Self::of(data_type)?.source.size() != source.size() {
            return Err(malformed());
        }
        let target = words.word()?;
        let unpacking = read_unpacking(&mut words, source)?;
        let plain = Self::unpacked(source, unpacking, source);
        let conversion = match target {
            SUMMARY => plain.summarised(read_bins(&mut words)?)?,
            COLOURS => plain.shaded(read_shading(&mut words)?)?,
            LABELS => plain.labelled(read_labels(&mut words)?)?,
            target => {
                let target = match target.checked_sub(MASKED) {
                    Some(masked) => Target::Masked(number(masked)?),
                    None => Target::Number(number(target)?),
                };
                Self { target, ..plain }
            }
        };
        if words.rest().is_empty() { Ok(conversion) } else { Err(malformed()) }
    }
}

fn write_unpacking(unpacking: Option<&Unpacking>, words: &mut Vec<u32>) -> Result<()> {
    let Some(Unpacking { is_double, missing, scale, offset }) = unpacking else {
        words.push(0);
        return Ok(());
    };
    let flag = |condition: bool, flag: u32| if condition { flag } else { 0 };
    words.push(
        UNPACKED
            | flag(*is_double, DOUBLE)
            | flag(missing.is_some(), MISSING)
            | flag(scale.is_some(), SCALED)
            | flag(offset.is_some(), SHIFTED),
    );
    if let Some(missing) = missing {
        match missing {
            Missing::Integers { low, high, values } => {
                words.push(length(values.len())?);
                for value in [low, high].into_iter().chain(values) {
                    put(words, value.cast_unsigned());
                }
            }
            Missing::Floats { low, high, values } => {
                words.push(length(values.len())?);
                put_floats(words, &[*low, *high]);
                put_floats(words, values);
            }
        }
    }
    for number in [scale, offset].into_iter().flatten() {
        put(words, number.to_bits());
    }
    Ok(())
}

fn read_unpacking(words: &mut Words<'_, u32>, source: NumberType) -> Result<Option<Unpacking>> {
    let flags = words.word()?;
    if flags & UNPACKED == 0 {
        return Ok(None);
    }
    let missing = match flags & MISSING {
        0 => None,
        _ => Some(read_missing(words, source)?),
    };
    let mut optional = |flag: u32| match flags & flag {
        0 => Ok(None),
        _ => words.long().map(|bits| Some(f64::from_bits(bits))),
    };
    let (scale, offset) = (optional(SCALED)?, optional(SHIFTED)?);
    Ok(Some(Unpacking { is_double: flags & DOUBLE != 0, missing, scale, offset }))
}

fn read_missing(words: &mut Words<'_, u32>, source: NumberType) -> Result<Missing> {
    let count = words.word()?;
    let (low, high) = (words.long()?, words.long()?);
    if source.is_float() {
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(f64::from_bits(words.long()?));
        }
        return Ok(Missing::Floats { values, low: f64::from_bits(low), high: f64::from_bits(high) });
    }
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(words.long()?.cast_signed());
    }
    Ok(Missing::Integers { values, low: low.cast_signed(), high: high.cast_signed() })
}

fn read_bins(words: &mut Words<'_, u32>) -> Result<Bins> {
    let (low, high) = (f64::from_bits(words.long()?), f64::from_bits(words.long()?));
    Ok(Bins { low, high, count: limits::to_usize(u64::from(words.word()?), "number of bins")? })
}

fn read_shading(words: &mut Words<'_, u32>) -> Result<Shading> {
    let mut float = || words.long().map(f64::from_bits);
    let (low, high, gamma) = (float()?, float()?, float()?);
    let width = limits::to_usize(u64::from(words.word()?), "colour")?;
    let len = limits::to_usize(u64::from(words.word()?), "table of colours")?;
    let packed = words.take(len.div_ceil(4))?;
    let mut table = Vec::new();
    for word in packed {
        table.extend(word.to_le_bytes());
    }
    table.truncate(len);
    Ok(Shading { low, high, gamma, width, table })
}

fn read_labels(words: &mut Words<'_, u32>) -> Result<Vec<(u64, Colour)>> {
    let count = words.word()?;
    let mut labels = Vec::new();
    for _ in 0..count {
        labels.push((words.long()?, words.word()?.to_le_bytes()));
    }
    Ok(labels)
}

#[allow(clippy::cast_possible_truncation)] // the halves of a number are what is wanted
fn put(words: &mut Vec<u32>, bits: u64) {
    words.extend([bits as u32, (bits >> 32) as u32]);
}

fn put_floats(words: &mut Vec<u32>, numbers: &[f64]) {
    for number in numbers {
        put(words, number.to_bits());
    }
}

/// Four bytes a word; the last word is filled with zeros.
fn put_bytes(words: &mut Vec<u32>, bytes: &[u8]) {
    for four in bytes.chunks(4) {
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(four) {
            *to = *from;
        }
        words.push(u32::from_le_bytes(word));
    }
}

fn length(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| malformed())
}

/// The word of a type: its index among all.
fn code(number: NumberType) -> u32 {
    number as u32
}

fn number(code: u32) -> Result<NumberType> {
    NumberType::ALL.get(code as usize).copied().ok_or_else(malformed)
}

fn malformed() -> Error {
    Error::argument("the words of a conversion do not fit the elements")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::data_type::{Float, Integer};

    fn shading() -> Shading {
        Shading { low: -1.5, high: 2.0, gamma: 0.5, width: 1, table: vec![1, 2, 3, 4, 5] }
    }

    #[test]
    fn words_round_trip() {
        let int16 = DataType::Integer(Integer::Int16);
        let missing = Missing::Integers { values: vec![-1, i64::MIN], low: -5, high: 9 };
        let unpacking = Unpacking { is_double: true, missing: Some(missing), scale: Some(0.1), offset: None };
        let plain = Conversion::of(&int16).unwrap();
        let all = [
            plain.clone(),
            Conversion { unpacking: Some(unpacking), ..plain.clone() },
            Conversion { source: NumberType::U16, ..plain.clone() }.shaded(shading()).unwrap(),
            plain.clone().to("float32").unwrap(),
            plain.clone().to("float32").unwrap().masked(),
            plain.clone().masked(),
            plain.clone().labelled(vec![(u64::MAX, [1, 2, 3, 4]), (5, [9; 4])]).unwrap(),
            plain.clone().shaded(Shading { width: 2, table: vec![1; 8], ..shading() }).unwrap(),
            plain.summarised(Bins { low: -1.0, high: 2.5, count: 3 }).unwrap(),
        ];
        for conversion in all {
            let words = conversion.to_words().unwrap();
            assert_eq!(Conversion::from_words(&words, &int16).unwrap(), conversion);
            (0..words.len()).for_each(|end| assert!(Conversion::from_words(&words[..end], &int16).is_err()));
            assert!(Conversion::from_words(&words, &DataType::Bool).is_err());
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert!(Conversion::of(&DataType::String).is_err());
        assert!(Conversion::of(&DataType::Complex(Float::Float32)).is_err());
        let bool = Conversion::of(&DataType::Bool).unwrap();
        assert!(bool.clone().to("bool").is_err());
        assert!(bool.clone().to("complex64").is_err());
        assert!(bool.clone().labelled(vec![(0, [0; 4]); MAX_LABELS + 1]).is_err());
        assert!(Conversion::of(&DataType::Float(Float::Float32)).unwrap().labelled(Vec::new()).is_err());
        assert!(bool.clone().shaded(Shading { gamma: 0.0, ..shading() }).is_err());
        assert!(bool.clone().shaded(Shading { high: f64::NAN, ..shading() }).is_err());
        assert!(bool.clone().shaded(Shading { table: vec![1], ..shading() }).is_err());
        assert!(bool.shaded(Shading { width: 4, ..shading() }).is_err());
    }

    #[test]
    fn narrow_floats_are_widened_first() {
        let bfloat = DataType::Float(Float::Bfloat16);
        let doubles = Conversion::of(&bfloat).unwrap().to("float64").unwrap();
        let words = doubles.to_words().unwrap();
        let doubles = Conversion::from_words(&words, &bfloat).unwrap();
        assert_eq!(doubles.apply(&bfloat, &[0xc0, 0x3f]).unwrap(), 1.5_f64.to_le_bytes());
    }
}
