//! Results of accumulators.

use crate::accumulators::{Accumulators, AnyAccumulators, with_each};
use crate::error::{Error, Result};
use crate::kernel::cast::cast;
use crate::kernel::number::NumberType;
use crate::kernel::reduce::cell::{Extreme, FloatSum};
use crate::kernel::reduce::value::Value;
use crate::quantiles::Sketch;

/// What is asked of each cell.
pub use zarr_wasm_contract::Question;

/// How questions are answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The type of the elements.
    pub source: NumberType,
    /// What the divisor of a variance is less than the sum of the weights.
    pub freedom: f64,
    /// Whether missing numbers are left out. If not, one makes the answer of its cell missing.
    pub skips_missing: bool,
    /// The share of a quantile.
    pub share: f64,
}

/// The answers for all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The type of the answers.
    pub number: NumberType,
    /// The answers, packed and little-endian, in C order of the cells.
    pub bytes: Vec<u8>,
}

impl Answer {
    fn of<const N: usize>(number: NumberType, answers: impl Iterator<Item = [u8; N]>) -> Self {
        let mut bytes = Vec::new();
        answers.for_each(|answer| bytes.extend(answer));
        Self { number, bytes }
    }

    fn floats(answers: impl Iterator<Item = f64>) -> Self {
        Self::of(NumberType::F64, answers.map(f64::to_le_bytes))
    }
}

impl AnyAccumulators {
    /// The answers to a question.
    ///
    /// # Errors
    /// `Limit` for a sum of integers that does not fit 64 bits; `Argument` for what was not
    /// remembered.
    pub fn answer(&self, question: Question, settings: Settings) -> Result<Answer> {
        with_each!(self, found => found.answer(question, settings))
    }
}

/// Counts are far below 2^53.
#[allow(clippy::cast_precision_loss)]
const fn float_of(count: u64) -> f64 {
    count as f64
}

impl<V: Value> Accumulators<V> {
    fn answer(&self, question: Question, settings: Settings) -> Result<Answer> {
        Ok(match question {
            Question::Count => Answer::floats(self.used.iter().map(|count| float_of(count.0))),
            Question::Sum => self.sum(settings)?,
            Question::Mean => self.mean(settings)?,
            Question::Min => self.extreme(&self.lowest, settings)?,
            Question::Max => self.extreme(&self.highest, settings)?,
            Question::Var => self.variance(settings, |variance| variance)?,
            Question::Std => self.variance(settings, f64::sqrt)?,
            Question::Any => self.truth(|nonzero, _| nonzero > 0)?,
            Question::All => self.truth(|nonzero, used| nonzero == used)?,
            Question::ArgMin => self.index(&self.lowest, settings)?,
            Question::ArgMax => self.index(&self.highest, settings)?,
            Question::Quantile => {
                self.is_remembered(&self.sketches)?;
                let found = self.sketches.iter().map(|sketch| sketch.quantile(settings.share));
                self.floats_of(settings, found)
            }
            Question::RankError => Answer::floats(self.sketches.iter().map(Sketch::rank_error)),
        })
    }

    /// Whether the answer of each cell is missing because a number is.
    fn spoilt(&self, settings: Settings) -> impl Iterator<Item = bool> {
        self.missing.iter().map(move |missing| !settings.skips_missing && missing.0 > 0)
    }

    /// Floats, where NaN stands for what is missing.
    fn floats_of(&self, settings: Settings, answers: impl Iterator<Item = f64>) -> Answer {
        let answers = answers.zip(self.spoilt(settings));
        Answer::floats(answers.map(|(answer, is_spoilt)| if is_spoilt { f64::NAN } else { answer }))
    }

    fn is_remembered<A>(&self, list: &[A]) -> Result<()> {
        if list.len() == self.used.len() {
            return Ok(());
        }
        let error = Error::argument("the reduction does not remember what is asked");
        Err(error.expected(format!("{} cells", self.used.len())).actual(list.len().to_string()))
    }

    fn sum(&self, settings: Settings) -> Result<Answer> {
        if self.is_weighted {
            self.is_remembered(&self.weighted)?;
            let sums = self.weighted.iter().map(|sum| sum.products.total());
            return Ok(self.floats_of(settings, sums));
        }
        if V::TYPE == NumberType::F64 {
            self.is_remembered(&self.floats)?;
            return Ok(self.floats_of(settings, self.floats.iter().map(|sum| FloatSum::total(*sum))));
        }
        self.is_remembered(&self.integers)?;
        let mut bytes = Vec::new();
        for sum in &self.integers {
            let fits = match V::TYPE {
                NumberType::U64 => u64::try_from(sum.0).map(u64::to_le_bytes),
                _ => i64::try_from(sum.0).map(i64::to_le_bytes),
            };
            bytes.extend(fits.map_err(|_| too_large(sum.0, V::TYPE))?);
        }
        Ok(Answer { number: V::TYPE, bytes })
    }

    #[allow(clippy::cast_precision_loss, reason = "the nearest double")]
    fn mean(&self, settings: Settings) -> Result<Answer> {
        if self.is_weighted {
            self.is_remembered(&self.weighted)?;
            let means = self.weighted.iter().map(|sum| sum.products.total() / sum.weights.total());
            return Ok(self.floats_of(settings, means));
        }
        let counts = self.used.iter().map(|count| float_of(count.0));
        if V::TYPE == NumberType::F64 {
            self.is_remembered(&self.floats)?;
            let means = self.floats.iter().zip(counts).map(|(sum, count)| sum.total() / count);
            return Ok(self.floats_of(settings, means));
        }
        self.is_remembered(&self.integers)?;
        Ok(Answer::floats(self.integers.iter().zip(counts).map(|(sum, count)| sum.0 as f64 / count)))
    }

    /// The extremes in the type of the elements; NaN, or 0 for integers, of nothing.
    fn extreme<const HIGHEST: bool>(
        &self,
        extremes: &[Extreme<V, HIGHEST>],
        settings: Settings,
    ) -> Result<Answer> {
        self.is_remembered(extremes)?;
        let mut wide = Vec::with_capacity(extremes.len().saturating_mul(8));
        for (extreme, is_spoilt) in extremes.iter().zip(self.spoilt(settings)) {
            let is_none = is_spoilt || !extreme.is_some;
            let bits = match (is_none, V::TYPE) {
                (false, _) => extreme.value.to_bits(),
                (true, NumberType::F64) => f64::NAN.to_bits(),
                (true, _) => 0,
            };
            wide.extend(bits.to_le_bytes());
        }
        let number = settings.source;
        let mut bytes = vec![0; extremes.len().saturating_mul(number.size())];
        cast(&wide, V::TYPE, &mut bytes, number);
        Ok(Answer { number, bytes })
    }

    fn index<const HIGHEST: bool>(
        &self,
        extremes: &[Extreme<V, HIGHEST>],
        settings: Settings,
    ) -> Result<Answer> {
        self.is_remembered(extremes)?;
        let all = extremes.iter().zip(self.spoilt(settings));
        let indices = all.map(|(extreme, is_spoilt)| match i64::try_from(extreme.at) {
            Ok(at) if extreme.is_some && !is_spoilt => at,
            _ => -1,
        });
        Ok(Answer::of(NumberType::I64, indices.map(i64::to_le_bytes)))
    }

    fn variance(&self, settings: Settings, made: impl Fn(f64) -> f64) -> Result<Answer> {
        self.is_remembered(&self.moments)?;
        let variances = self.moments.iter().map(|moments| {
            let divisor = moments.weight - settings.freedom;
            // From an infinite mean there are no differences.
            let is_some = divisor > 0.0 && moments.mean().is_finite();
            if is_some { made(moments.squares / divisor) } else { f64::NAN }
        });
        Ok(self.floats_of(settings, variances))
    }

    fn truth(&self, is_true: impl Fn(u64, u64) -> bool) -> Result<Answer> {
        self.is_remembered(&self.nonzero)?;
        let all = self.nonzero.iter().zip(&self.used);
        Ok(Answer::of(NumberType::U8, all.map(|(nonzero, used)| [u8::from(is_true(nonzero.0, used.0))])))
    }
}

/// The error for a sum that does not fit.
fn too_large(sum: i128, number: NumberType) -> Error {
    Error::limit("the sum of integers does not fit 64 bits: with decode: \"cf\" it is a float64")
        .expected(number.name())
        .actual(sum.to_string())
}
