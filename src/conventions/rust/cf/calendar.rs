//! Calendars of CF: day numbers to dates and back, in integers. CF 4.4.1,
//! <https://cfconventions.org>.
//!
//! Day 0 is 1970-01-01 of each calendar. For the Julian and the standard calendar it is the day
//! with this date in the Gregorian calendar, so that all three number days equally. `utc` and `tai`
//! need leap seconds, and `none` has no dates: they are not supported.

/// A calendar that has dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calendar {
    /// Julian up to 4 October 1582. The next day is 15 October in the Gregorian calendar.
    Standard,
    /// Gregorian at all times.
    ProlepticGregorian,
    /// Julian at all times.
    Julian,
    /// Years of 365 days.
    NoLeap,
    /// Years of 366 days.
    AllLeap,
    /// Months of 30 days.
    Days360,
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The year. The standard and the Julian calendar have no year 0: year −1 precedes year 1.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
}

/// The largest year. All arithmetic in this file then fits 64 bits.
const MAX_YEAR: i64 = 1_000_000_000;

/// The days of the year before each month.
const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
const BEFORE_LEAP: [i64; 13] = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366];

/// 15 October 1582, the first day of the Gregorian calendar.
const REFORM: i64 = -141_427;

#[allow(
    clippy::arithmetic_side_effects,
    reason = "all years are within MAX_YEAR of 0: `number_of` and `day_of` check them"
)]
impl Calendar {
    /// The calendar with this CF name, in upper or lower case. The standard calendar without a
    /// name.
    pub fn of_name(name: Option<&str>) -> Option<Self> {
        Some(match name.unwrap_or("standard").trim().to_ascii_lowercase().as_str() {
            "standard" | "gregorian" | "" => Self::Standard,
            "proleptic_gregorian" => Self::ProlepticGregorian,
            "julian" => Self::Julian,
            "noleap" | "365_day" => Self::NoLeap,
            "all_leap" | "366_day" => Self::AllLeap,
            "360_day" | "360" => Self::Days360,
            _ => return None,
        })
    }

    /// Whether its days are those of real time.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Standard | Self::ProlepticGregorian | Self::Julian)
    }

    /// The days from the start of a month to the end of the year.
    fn before(self, leap: bool) -> &'static [i64; 13] {
        match self {
            Self::AllLeap => &BEFORE_LEAP,
            Self::NoLeap => &BEFORE,
            _ if leap => &BEFORE_LEAP,
            _ => &BEFORE,
        }
    }

    /// The number of a day; `None` if the calendar does not have it.
    pub fn number_of(self, Day { year, month, day }: Day) -> Option<i64> {
        if !(-MAX_YEAR..=MAX_YEAR).contains(&year) || !(1..=12).contains(&month) || day < 1 {
            return None;
        }
        match self {
            Self::Days360 => (day <= 30).then(|| (year - 1970) * 360 + (month - 1) * 30 + day - 1),
            Self::NoLeap => Some((year - 1970) * 365 + self.in_year(false, month, day)?),
            Self::AllLeap => Some((year - 1970) * 366 + self.in_year(true, month, day)?),
            Self::ProlepticGregorian => self.gregorian(year, month, day),
            Self::Julian => self.julian(astronomical(year)?, month, day),
            Self::Standard => {
                let year = astronomical(year)?;
                let new = self.gregorian(year, month, day).filter(|number| *number >= REFORM);
                new.or_else(|| self.julian(year, month, day).filter(|number| *number < REFORM))
            }
        }
    }

    /// The day with this number; `None` beyond a thousand million years.
    pub fn day_of(self, number: i64) -> Option<Day> {
        if !(-MAX_YEAR * 366..=MAX_YEAR * 366).contains(&number) {
            return None;
        }
        match self {
            Self::Days360 => {
                let (year, rest) = (number.div_euclid(360), number.rem_euclid(360));
                Some(Day { year: year + 1970, month: rest / 30 + 1, day: rest % 30 + 1 })
            }
            Self::NoLeap => self.split(number.div_euclid(365) + 1970, false, number.rem_euclid(365)),
            Self::AllLeap => self.split(number.div_euclid(366) + 1970, true, number.rem_euclid(366)),
            Self::ProlepticGregorian => self.of_gregorian(number),
            Self::Standard if number >= REFORM => self.of_gregorian(number),
            Self::Standard | Self::Julian => {
                let day = self.of_julian(number)?;
                Some(Day { year: if day.year <= 0 { day.year - 1 } else { day.year }, ..day })
            }
        }
    }

    /// The position of the day in its year, from 0.
    fn in_year(self, leap: bool, month: i64, day: i64) -> Option<i64> {
        let before = self.before(leap);
        let month = usize::try_from(month).ok()?;
        let (start, end) = (*before.get(month - 1)?, *before.get(month)?);
        (day <= end - start).then_some(start + day - 1)
    }

    fn split(self, year: i64, leap: bool, in_year: i64) -> Option<Day> {
        let before = self.before(leap);
        let month = before.iter().rposition(|start| *start <= in_year)?;
        Some(Day { year, month: i64::try_from(month).ok()? + 1, day: in_year - before.get(month)? + 1 })
    }

    fn gregorian(self, year: i64, month: i64, day: i64) -> Option<i64> {
        let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
        Some(gregorian_new_year(year) + self.in_year(leap, month, day)?)
    }

    fn of_gregorian(self, number: i64) -> Option<Day> {
        // 400 years are 146 097 days. The guess is right or one too high.
        let mut year = 1970 + (number * 400).div_euclid(146_097);
        while gregorian_new_year(year) > number {
            year -= 1;
        }
        while gregorian_new_year(year + 1) <= number {
            year += 1;
        }
        let (start, end) = (gregorian_new_year(year), gregorian_new_year(year + 1));
        self.split(year, end - start == 366, number - start)
    }

    fn julian(self, year: i64, month: i64, day: i64) -> Option<i64> {
        Some(julian_new_year(year) + self.in_year(year.rem_euclid(4) == 0, month, day)?)
    }

    fn of_julian(self, number: i64) -> Option<Day> {
        let mut year = 1970 + (number * 4).div_euclid(1461);
        while julian_new_year(year) > number {
            year -= 1;
        }
        while julian_new_year(year + 1) <= number {
            year += 1;
        }
        let (start, end) = (julian_new_year(year), julian_new_year(year + 1));
        self.split(year, end - start == 366, number - start)
    }
}

/// Converts a year of a calendar without a year 0 to a count that has one.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "all years are within MAX_YEAR of 0: `number_of` and `day_of` check them"
)]
fn astronomical(year: i64) -> Option<i64> {
    match year {
        0 => None,
        year if year < 0 => Some(year + 1),
        year => Some(year),
    }
}

/// The number of 1 January.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "all years are within MAX_YEAR of 0: `number_of` and `day_of` check them"
)]
fn gregorian_new_year(year: i64) -> i64 {
    let before = year - 1;
    before * 365 + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) - 719_162
}

/// The number of 1 January of the Julian calendar, which is 13 days after that of the Gregorian one
/// in 1970.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "all years are within MAX_YEAR of 0: `number_of` and `day_of` check them"
)]
fn julian_new_year(year: i64) -> i64 {
    let before = year - 1;
    before * 365 + before.div_euclid(4) - 719_164
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_days_are_inverse_in_every_calendar() {
        use Calendar::{AllLeap, Days360, Julian, NoLeap, ProlepticGregorian, Standard};
        for calendar in [Standard, ProlepticGregorian, Julian, NoLeap, AllLeap, Days360] {
            let around = [-800_000, -719_500, REFORM, 0, 11_000, 40_000_000_000_i64];
            for number in around.into_iter().flat_map(|start| start - 400..start + 1200) {
                let day = calendar.day_of(number).unwrap();
                assert_eq!(calendar.number_of(day), Some(number), "{calendar:?} {day:?}");
            }
        }
    }

    #[test]
    fn days_and_years_at_the_ends_of_64_bits_are_none() {
        use Calendar::{AllLeap, Days360, Julian, NoLeap, ProlepticGregorian, Standard};
        for calendar in [Standard, ProlepticGregorian, Julian, NoLeap, AllLeap, Days360] {
            for end in [i64::MIN, i64::MAX] {
                assert_eq!(calendar.day_of(end), None, "{calendar:?}");
                assert_eq!(calendar.number_of(Day { year: end, month: 1, day: 1 }), None, "{calendar:?}");
            }
        }
    }

    #[test]
    fn the_reform_and_the_missing_year() {
        let day = |year, month, day| Day { year, month, day };
        let standard = Calendar::Standard;
        assert_eq!(standard.day_of(REFORM), Some(day(1582, 10, 15)));
        assert_eq!(standard.day_of(REFORM - 1), Some(day(1582, 10, 4)));
        assert_eq!(standard.number_of(day(1582, 10, 10)), None);
        assert_eq!(standard.number_of(day(0, 1, 1)), None);
        let first = standard.number_of(day(1, 1, 1)).unwrap();
        assert_eq!(standard.day_of(first - 1), Some(day(-1, 12, 31)));
        assert_eq!(Calendar::ProlepticGregorian.number_of(day(1970, 1, 1)), Some(0));
        assert_eq!(Calendar::NoLeap.number_of(day(2000, 2, 29)), None);
        assert_eq!(Calendar::Days360.number_of(day(2000, 2, 30)), Some(30 * 360 + 59));
    }
}
