//! Floats as decimal text, both ways: a number's nearest float, and a float's shortest number
//! (RFC 8259 §6, IEEE 754 §5.12).
//!
//! Rust's own routines bring tables of 12 kB that no compression makes smaller to every program.
//! This one has none: numbers of up to fifteen digits need one operation on floats, others a
//! division of integers, long ones where it must be.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "the lengths are bounded by `MAX_DIGITS` and `HUGE`, and long integers have digits of 32 bits"
)]

use std::cmp::Ordering;

use crate::kernel::number::power_of_two;

/// Significant digits that are read. More of them decide at most about a tie, for which it is
/// enough to know that they are not all zero: a tie has fewer than 770 digits.
const MAX_DIGITS: i64 = 800;

/// Numbers of at least `10^HUGE` are infinite, and those below `10^-HUGE` are zero, in all floats.
const HUGE: i64 = 400;

/// As many digits are multiplied and added at once: those that fit into 32 bits.
const GROUP: u32 = 9;

/// The largest power of ten that is a double, and the integer from which on not all are.
const EXACT_POWER: i64 = 22;
const EXACT_INTEGER: u64 = 1 << 53;

/// A binary floating-point format.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    /// Bits of the significand, with the hidden one.
    precision: i32,
    /// The exponent of the smallest number above zero, which is a power of two.
    least_exponent: i32,
}

impl Binary {
    /// binary32.
    pub const SINGLE: Self = Self { precision: 24, least_exponent: -149 };
    /// binary64.
    pub const DOUBLE: Self = Self { precision: 53, least_exponent: -1074 };
}

/// A non-negative integer of any length: 32 bits each, the least first, without zeros at the end.
#[derive(Clone)]
struct Long(Vec<u32>);

impl Long {
    fn new(value: u64) -> Self {
        let mut long = Self(vec![value as u32, (value >> 32) as u32]);
        long.trim();
        long
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The integer, if it leaves a bit of 128 unused.
    fn short(&self) -> Option<u128> {
        let short = || self.0.iter().rev().fold(0, |all, word| all << 32 | u128::from(*word));
        (self.bits() < 128).then(short)
    }

    fn bits(&self) -> i32 {
        let unused = self.0.last().map_or(0, |last| last.leading_zeros());
        32 * self.0.len() as i32 - unused as i32
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(factor);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn multiply_by_power_of_ten(&mut self, exponent: i64) {
        let mut left = exponent.max(0);
        while left > 0 {
            let step = left.min(GROUP.into());
            self.multiply_add(10_u32.pow(step as u32), 0);
            left -= step;
        }
    }

    fn shift_left(&mut self, bits: i32) {
        if self.is_zero() {
            return;
        }
        self.multiply_add(1 << (bits % 32), 0);
        self.0.splice(0..0, vec![0; bits as usize / 32]);
    }

    fn compare(&self, other: &Self) -> Ordering {
        let words = || self.0.iter().rev().cmp(other.0.iter().rev());
        self.0.len().cmp(&other.0.len()).then_with(words)
    }

    /// Subtracts a number that is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        let others = other.0.iter().chain(std::iter::repeat(&0));
        for (word, other) in self.0.iter_mut().zip(others) {
            (*word, borrow) = word.borrowing_sub(*other, borrow);
        }
        self.trim();
    }
}

/// `significand · 2^exponent`, where the significand has 63 or 64 bits.
struct Quotient {
    significand: u64,
    exponent: i32,
    is_exact: bool,
}

impl Quotient {
    /// Divides integers above zero, bit by bit.
    fn new(mut rest: Long, mut divisor: Long) -> Self {
        let shift = rest.bits() - divisor.bits();
        divisor.shift_left(shift.max(0));
        rest.shift_left((-shift).max(0));
        let (significand, is_exact) = match (rest.short(), divisor.short()) {
            (Some(rest), Some(divisor)) => divide(rest, divisor),
            _ => divide_long(rest, &divisor),
        };
        Self { significand, exponent: shift - 63, is_exact }
    }

    /// The quotient of an integer above zero and 1: the integer's first 64 bits.
    fn of_integer(integer: &Long) -> Self {
        let (bits, words) = (integer.bits(), &integer.0);
        let (below, first) = words.split_at(words.len().saturating_sub(3));
        let first = first.iter().rev().fold(0_u128, |all, word| all << 32 | u128::from(*word));
        let aligned = first << first.leading_zeros();
        let is_exact = aligned as u64 == 0 && below.iter().all(|word| *word == 0);
        Self { significand: (aligned >> 64) as u64, exponent: bits - 64, is_exact }
    }

    /// The quotient without this many bits at the end, and whether the integer above is nearer. Of
    /// two that are as near, that is the even one.
    fn rounded(&self, dropped: u32) -> (u64, bool) {
        if dropped > u64::BITS {
            return (0, false);
        }
        let below = self.significand.unbounded_shr(dropped);
        let rest = self.significand & !u64::MAX.unbounded_shl(dropped);
        let is_above = match rest.cmp(&(1 << (dropped - 1))) {
            Ordering::Less => false,
            Ordering::Equal => !self.is_exact || below % 2 == 1,
            Ordering::Greater => true,
        };
        (below, is_above)
    }

    /// The nearest number of the format. Of two, that with an even significand.
    #[allow(clippy::cast_precision_loss, reason = "the significand has been rounded to 53 bits")]
    fn nearest(&self, format: Binary) -> f64 {
        let end = self.exponent + (u64::BITS - self.significand.leading_zeros()) as i32;
        if end > f64::MAX_EXP {
            return f64::INFINITY;
        }
        let last = (end - format.precision).max(format.least_exponent);
        let (below, is_above) = self.rounded((last - self.exponent) as u32);
        (below + u64::from(is_above)) as f64 * power_of_two(last)
    }
}

/// 64 bits of a quotient between a half and two, and whether there are no more.
fn divide(mut rest: u128, divisor: u128) -> (u64, bool) {
    let mut quotient = 0;
    for _ in 0..u64::BITS {
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
        rest <<= 1;
    }
    (quotient, rest == 0)
}

fn divide_long(mut rest: Long, divisor: &Long) -> (u64, bool) {
    let mut quotient = 0;
    for _ in 0..u64::BITS {
        quotient <<= 1;
        if rest.compare(divisor).is_ge() {
            rest.subtract(divisor);
            quotient |= 1;
        }
        rest.shift_left(1);
    }
    (quotient, rest.is_zero())
}

/// `digits · 10^exponent`, without its sign.
struct Decimal {
    digits: Long,
    exponent: i64,
    /// The number of digits, without zeros at the beginning.
    count: i64,
    /// Whether digits that are not zero have been left out at the end.
    is_cut: bool,
    /// The last digits, which are not in `digits` yet, and their number.
    group: (u32, u32),
}

impl Decimal {
    /// `None` if the text is not a number. Accepts what JSON does not have: zeros at the beginning,
    /// and a point at an end.
    fn read(text: &str) -> Option<Self> {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let exponent = read_exponent(exponent)? - fraction.len() as i64;
        let mut decimal = Self { digits: Long::new(0), exponent, count: 0, is_cut: false, group: (0, 0) };
        for byte in whole.bytes().chain(fraction.bytes()) {
            decimal.append(char::from(byte).to_digit(10)?);
        }
        decimal.take_group();
        (!whole.is_empty() || !fraction.is_empty()).then_some(decimal)
    }

    fn append(&mut self, digit: u32) {
        if self.count == MAX_DIGITS {
            self.exponent += 1;
            self.is_cut |= digit > 0;
        } else if self.count > 0 || digit > 0 {
            self.group = (self.group.0 * 10 + digit, self.group.1 + 1);
            self.count += 1;
            if self.group.1 == GROUP {
                self.take_group();
            }
        }
    }

    fn take_group(&mut self) {
        let (digits, count) = std::mem::take(&mut self.group);
        self.digits.multiply_add(10_u32.pow(count), digits);
    }

    /// The nearest double, where one operation on doubles that are exact finds it.
    #[allow(clippy::cast_precision_loss)] // it is exact
    fn quick(&self) -> Option<f64> {
        let digits = u64::try_from(self.digits.short()?).ok().filter(|digits| *digits <= EXACT_INTEGER)?;
        if self.exponent.abs() > EXACT_POWER {
            return None;
        }
        let mut power = 1.0;
        for _ in 0..self.exponent.abs() {
            power *= 10.0;
        }
        Some(if self.exponent < 0 { digits as f64 / power } else { digits as f64 * power })
    }

    fn nearest(mut self, format: Binary) -> f64 {
        if format.precision == Binary::DOUBLE.precision
            && let Some(value) = self.quick()
        {
            return value;
        }
        let magnitude = self.exponent + self.count;
        if self.digits.is_zero() || magnitude < -HUGE {
            return 0.0;
        }
        if magnitude > HUGE {
            return f64::INFINITY;
        }
        self.digits.multiply_by_power_of_ten(self.exponent);
        let quotient = if self.exponent < 0 {
            let mut divisor = Long::new(1);
            divisor.multiply_by_power_of_ten(-self.exponent);
            Quotient::new(self.digits, divisor)
        } else {
            Quotient::of_integer(&self.digits)
        };
        Quotient { is_exact: quotient.is_exact && !self.is_cut, ..quotient }.nearest(format)
    }
}

/// An exponent of at most ten digits. Those with more are out of every range.
fn read_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut exponent = 0_i64;
    for byte in digits.bytes() {
        exponent = (exponent * 10 + i64::from(char::from(byte).to_digit(10)?)).min(9_999_999_999);
    }
    (!digits.is_empty()).then_some(if text.starts_with('-') { -exponent } else { exponent })
}

/// The nearest number of a format to a number of JSON. Halfway between two, that with an even
/// significand. Infinite beyond the largest of 64 bits; `None` for other text.
pub fn parse(text: &str, format: Binary) -> Option<f64> {
    let value = Decimal::read(text.strip_prefix('-').unwrap_or(text))?.nearest(format);
    Some(if text.starts_with('-') { -value } else { value })
}

/// The shortest number that is parsed to this value, as JSON. For those that JSON does not have,
/// their names.
pub fn text(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        format!("{sign}Infinity")
    } else if value == 0.0 {
        format!("{sign}0.0")
    } else {
        let (digits, exponent) = shortest(value.abs());
        sign.to_owned() + &notation(&digits.to_string(), exponent)
    }
}

/// The integer with the fewest digits, and the exponent of a power of ten, whose product is parsed
/// to a finite value above zero. Of several, the nearest to it.
fn shortest(value: f64) -> (u64, i32) {
    if let Some(short) = short(value) {
        return short;
    }
    let (significand, exponent) = binary_parts(value);
    let bits = exponent + (u64::BITS - significand.leading_zeros()) as i32;
    // The logarithm is about bits · log10(2). Each round has one more digit; 17 are always enough.
    let most = ((bits * 1233) >> 12) + 1;
    let first = if SHORT.contains(&value) { most - 15 } else { most };
    for last in (most - 19..=first).rev() {
        for digits in multiples_near(value, last) {
            let count = i64::from(digits.checked_ilog10().unwrap_or(0)) + 1;
            let (digits_of, exponent) = (Long::new(digits), last.into());
            let decimal = Decimal { digits: digits_of, exponent, count, is_cut: false, group: (0, 0) };
            if decimal.nearest(Binary::DOUBLE) == value {
                return (digits, last);
            }
        }
    }
    (0, 0)
}

/// Values of which [`short`] finds all that have at most fifteen digits.
const SHORT: std::ops::Range<f64> = 1e-7..1e15;

/// As [`shortest`], if at most fifteen digits are enough. No two such numbers are parsed to one
/// value.
#[allow(clippy::cast_sign_loss)] // values are above zero
fn short(value: f64) -> Option<(u64, i32)> {
    let mut power = 1.0;
    for decimals in 0..=EXACT_POWER {
        let digits = (value * power).round_ties_even();
        if digits >= 1e15 {
            return None;
        }
        // Both are exact, so that this is how the number is parsed.
        if digits / power == value {
            return Some((digits as u64, -(decimals as i32)));
        }
        power *= 10.0;
    }
    None
}

/// The significand and the exponent of a finite value above zero.
fn binary_parts(value: f64) -> (u64, i32) {
    let (exponent, fraction) = ((value.to_bits() >> 52) as i32, value.to_bits() & ((1 << 52) - 1));
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}

/// The factors of the two multiples of `10^last` next to a value, the nearer first.
fn multiples_near(value: f64, last: i32) -> [u64; 2] {
    let (significand, exponent) = binary_parts(value);
    let (mut dividend, mut divisor) = (Long::new(significand), Long::new(1));
    dividend.shift_left(exponent.max(0));
    divisor.shift_left((-exponent).max(0));
    dividend.multiply_by_power_of_ten((-last).into());
    divisor.multiply_by_power_of_ten(last.into());
    let quotient = Quotient::new(dividend, divisor);
    // Less than 10^19, so the last bits are a fraction.
    let (below, is_above) = quotient.rounded(quotient.exponent.unsigned_abs());
    if is_above { [below + 1, below] } else { [below, below + 1] }
}

/// Writes `digits · 10^exponent` with a point where that is short, else with an exponent.
fn notation(digits: &str, exponent: i32) -> String {
    let zeros = |count: i32| "0".repeat(count as usize);
    let count = digits.len() as i32;
    // Digits before the point.
    let whole = count + exponent;
    match whole {
        1..=16 if exponent >= 0 => format!("{digits}{}.0", zeros(exponent)),
        1..=16 => with_point(digits, whole),
        -4..=0 => format!("0.{}{digits}", zeros(-whole)),
        _ => {
            let significand = if count == 1 { digits.to_owned() } else { with_point(digits, 1) };
            let sign = if whole > 0 { "+" } else { "" };
            format!("{significand}e{sign}{}", whole - 1)
        }
    }
}

fn with_point(digits: &str, whole: i32) -> String {
    let (before, after) = digits.split_at_checked(whole as usize).unwrap_or((digits, "0"));
    format!("{before}.{after}")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks both formats against Rust's own parser, with a sign and without.
    fn check(unsigned: &str) {
        for text in [unsigned.to_owned(), format!("-{unsigned}")] {
            let [double, single] =
                [Binary::DOUBLE, Binary::SINGLE].map(|format| parse(&text, format).unwrap());
            assert_eq!(double.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
            assert_eq!((single as f32).to_bits(), text.parse::<f32>().unwrap().to_bits(), "{text}");
        }
    }

    #[test]
    fn limits_and_ties_are_parsed_as_by_rust() {
        for text in [
            "0",
            "0.0",
            "0e9",
            "1",
            "1e0",
            "0.1",
            "1E5",
            "1e+5",
            "9007199254740993",
            "9007199254740992.999",
            "16777217",
            "16777216.99999999999999",
            "1.00000005960464477539062",
            "1.000000059604644775390626",
            "5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "7.006492321624085e-46",
            "7.1e-46",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "1.1754942e-38",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "3.4028235677973366e38",
            "3.4028235e38",
            "1e309",
            "1e-400",
            "1e400",
            "1.",
            ".5",
            "007",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0e99999999999999999999",
        ] {
            check(text);
        }
    }

    #[test]
    fn all_digits_count() {
        // Halfway between 2^53 and the next number, and a little more than that.
        let zeros = "0".repeat(5000);
        for text in [
            format!("9007199254740993.{zeros}"),
            format!("9007199254740993.{zeros}1"),
            format!("0.{zeros}90071992547409930{zeros}1e5017"),
            format!("1{zeros}e-5000"),
            format!("{zeros}1"),
        ] {
            check(&text);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "-", "+1", "e5", "1e", "1e+", "1.2.3", "1e5e5", "NaN", "inf", "0x10", ".", "--1", " 1", "1_0",
        ] {
            assert_eq!(parse(text, Binary::DOUBLE), None, "{text}");
        }
    }

    #[test]
    fn powers_of_two_and_names_are_written() {
        for exponent in -1074..1024 {
            let value = power_of_two(exponent);
            assert_eq!(text(value), serde_json::to_string(&value).unwrap());
        }
        let names = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0].map(text);
        assert_eq!(names, ["NaN", "Infinity", "-Infinity", "0.0", "-0.0"]);
    }

    proptest! {
        #[test]
        fn numbers_are_parsed_as_by_rust(digits in "[0-9]{1,40}", fraction in "[0-9]{1,40}", exponent in -360..330) {
            check(&format!("{digits}.{fraction}e{exponent}"));
        }

        #[test]
        fn ties_of_singles_are_rounded_as_by_rust(bits in 0..f32::MAX.to_bits()) {
            let [below, above] = [bits, bits + 1].map(|bits| f64::from(f32::from_bits(bits)));
            // All digits of the number in the middle, and of one that is a little larger.
            let middle = format!("{:.160}", f64::midpoint(below, above));
            check(&middle);
            check(&format!("{middle}1"));
        }

        #[test]
        fn all_digits_of_doubles_are_read(bits in 0..f64::MAX.to_bits()) {
            check(&format!("{:.1080}", f64::from_bits(bits)));
        }

        #[test]
        fn numbers_are_written_as_by_serde_json(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(text(value), serde_json::to_string(&value).unwrap());
        }

        #[test]
        fn short_numbers_are_written_as_by_serde_json(digits in -99_999_999_i64..100_000_000, exponent in -20..20) {
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            prop_assert_eq!(text(value), serde_json::to_string(&value).unwrap());
        }

        #[test]
        fn one_digit_too_many_for_one_operation(digits in 1_u64 << 49..1 << 57, exponent in -24..3) {
            let number = format!("{digits}e{exponent}");
            check(&number);
            let value: f64 = number.parse().unwrap();
            prop_assert_eq!(text(value), serde_json::to_string(&value).unwrap());
        }
    }
}
