//! A naive twin of reductions for tests. It looks at one element after the other, and keeps the
//! members of each cell.

use crate::answer::{Answer, Question, Settings};
use crate::contract::Record;
use crate::error::ErrorKind;
use crate::kernel::cast::cast;
use crate::kernel::number::NumberType;
use crate::records::read;
use crate::request::{Along, Bound, NO_GROUP, Reduction, Spread};
use crate::session::{Part, Session};

/// An element: as a double, and as an integer if it is one.
#[derive(Clone, Copy, Debug)]
struct Element {
    value: f64,
    integer: i128,
}

impl Element {
    /// How far it is beyond a bound: exactly 0 at the bound alone.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    fn distance(self, bound: Bound, source: NumberType) -> f64 {
        if !source.is_float() && bound.nearest.fract() == 0.0 {
            (self.integer - bound.nearest as i128 - bound.rest as i128) as f64
        } else if self.value == bound.nearest {
            -bound.rest
        } else {
            self.value - bound.nearest
        }
    }
}

/// An element that belongs to a cell.
#[derive(Clone, Copy, Debug)]
struct Member {
    value: f64,
    integer: i128,
    weight: f64,
    index: u64,
}

/// The elements of a cell in C order, and how many are missing.
#[derive(Clone, Debug, Default)]
struct Members {
    used: Vec<Member>,
    missing: usize,
}

/// Visits the indices of the elements of a box in C order.
pub fn each_index(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        visit(&index);
        for (at, extent) in index.iter_mut().zip(shape).rev() {
            *at = (*at + 1) % extent;
            if *at > 0 {
                break;
            }
        }
    }
}

fn entry<T: Copy>(spread: &Spread<T>, index: &[usize], shape: &[usize]) -> T {
    let at = spread.dimensions.iter().fold(0, |at, dimension| at * shape[*dimension] + index[*dimension]);
    spread.values[at]
}

fn shape_of(reduction: &Reduction) -> Vec<usize> {
    reduction.dimensions.iter().map(|dimension| dimension.extent).collect()
}

/// Packed numbers in a type of eight bytes.
fn wide(bytes: &[u8], source: NumberType, to: NumberType) -> Vec<[u8; 8]> {
    let mut wide = vec![0; bytes.len() / source.size() * 8];
    cast(bytes, source, &mut wide, to);
    wide.as_chunks::<8>().0.to_vec()
}

/// Packed numbers as doubles.
pub fn floats(answer: &Answer) -> Vec<f64> {
    wide(&answer.bytes, answer.number, NumberType::F64).into_iter().map(f64::from_le_bytes).collect()
}

fn elements_of(bytes: &[u8], source: NumberType) -> Vec<Element> {
    let values = wide(bytes, source, NumberType::F64).into_iter().map(f64::from_le_bytes);
    let integers: Vec<i128> = match source {
        source if source.is_float() => values.clone().map(|_| 0).collect(),
        NumberType::U64 => {
            wide(bytes, source, source).into_iter().map(|it| u64::from_le_bytes(it).into()).collect()
        }
        _ => {
            wide(bytes, source, NumberType::I64).into_iter().map(|it| i64::from_le_bytes(it).into()).collect()
        }
    };
    values.zip(integers).map(|(value, integer)| Element { value, integer }).collect()
}

/// The cell of an element, if its group has one.
fn cell_of(reduction: &Reduction, index: &[usize], label: u32) -> usize {
    let (mut cell, mut has_group) = (0, false);
    for (dimension, place) in reduction.dimensions.iter().zip(index) {
        match dimension.along {
            Along::Keep => cell = cell * dimension.extent + place,
            Along::Blocks { size, phase } => {
                cell = cell * (dimension.extent + phase).div_ceil(size) + (place + phase) / size;
            }
            Along::Group if !has_group => {
                has_group = true;
                cell = cell * reduction.groups + label as usize;
            }
            Along::Group | Along::Reduce => {}
        }
    }
    cell
}

fn cells_of(reduction: &Reduction, bytes: &[u8]) -> Vec<Members> {
    let shape = shape_of(reduction);
    let mut cells = vec![Members::default(); reduction.grid().unwrap().count];
    let mut elements = elements_of(bytes, reduction.source).into_iter();
    each_index(&shape, |index| {
        let element = elements.next().unwrap();
        let Element { value, integer } = element;
        let label = reduction.labels.as_ref().map_or(0, |labels| entry(labels, index, &shape));
        let is_out = reduction.mask.as_ref().is_some_and(|mask| entry(mask, index, &shape) == 0);
        if label == NO_GROUP || is_out {
            return;
        }
        let members = &mut cells[cell_of(reduction, index, label)];
        if value.is_nan() {
            members.missing += 1;
        } else if reduction.range.is_none_or(|[low, high]| {
            element.distance(low, reduction.source) >= 0.0 && element.distance(high, reduction.source) <= 0.0
        }) {
            let weight = reduction.weights.iter().map(|weights| entry(weights, index, &shape)).product();
            let remembered = reduction.indices.as_ref().map_or(0, |(at, list)| list[index[*at]]);
            members.used.push(Member { value, integer, weight, index: remembered });
        }
    });
    cells
}

/// As NumPy interpolates between two elements, and beside infinite ones as its median does.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn quantile(members: &[Member], share: f64) -> f64 {
    let mut sorted: Vec<f64> = members.iter().map(|member| member.value).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let rank = share * last as f64;
    let (low, between) = (sorted[rank as usize], rank.fract());
    let high = sorted[(rank as usize + 1).min(last)];
    match between {
        0.0 => low,
        _ if !(high - low).is_finite() => low * (1.0 - between) + high * between,
        0.5.. => high - (high - low) * (1.0 - between),
        _ => low + (high - low) * between,
    }
}

/// The first of the best.
fn best(members: &[Member], is_better: fn(&Member, &Member) -> bool) -> Option<&Member> {
    members.iter().reduce(|best, other| if is_better(other, best) { other } else { best })
}

/// By the integers, where there are any: doubles of large ones may be equal.
fn is_below(one: &Member, other: &Member) -> bool {
    one.integer < other.integer || (one.integer == other.integer && one.value < other.value)
}

#[allow(clippy::cast_precision_loss)]
fn variance(members: &[Member], freedom: f64) -> f64 {
    let weights: f64 = members.iter().map(|member| member.weight).sum();
    let sum: f64 = members.iter().map(|member| member.value * member.weight).sum();
    let squares: f64 =
        members.iter().map(|member| member.weight * (member.value - sum / weights).powi(2)).sum();
    if weights > freedom { squares / (weights - freedom) } else { f64::NAN }
}

/// What the twin answers for a cell, as a double.
#[allow(clippy::cast_precision_loss)]
fn wanted(
    question: Question,
    Members { used, missing }: &Members,
    settings: Settings,
    is_weighted: bool,
) -> f64 {
    let is_spoilt = !settings.skips_missing && *missing > 0;
    let sum = || used.iter().map(|member| member.value * member.weight).sum::<f64>();
    let truth = |is_true: bool| f64::from(u8::from(is_true));
    let lowest = || best(used, is_below);
    let highest = || best(used, |one, other| is_below(other, one));
    let index =
        |member: Option<&Member>| member.filter(|_| !is_spoilt).map_or(-1.0, |member| member.index as f64);
    let none = if settings.source.is_float() { f64::NAN } else { 0.0 };
    let answer = match question {
        Question::Count => return used.len() as f64,
        Question::RankError => return 0.0,
        Question::Any => return truth(used.iter().any(|member| member.value != 0.0)),
        Question::All => return truth(used.iter().all(|member| member.value != 0.0)),
        Question::ArgMin => return index(lowest()),
        Question::ArgMax => return index(highest()),
        Question::Sum => sum(),
        Question::Mean if is_weighted => sum() / used.iter().map(|member| member.weight).sum::<f64>(),
        Question::Mean => sum() / used.len() as f64,
        Question::Min => lowest().map_or(none, |member| member.value),
        Question::Max => highest().map_or(none, |member| member.value),
        Question::Var => variance(used, settings.freedom),
        Question::Std => variance(used, settings.freedom).sqrt(),
        Question::Quantile => quantile(used, settings.share),
    };
    if is_spoilt { f64::NAN } else { answer }
}

/// How large the numbers are that an answer was made of.
fn scale_of(members: &[Member]) -> f64 {
    let finite = members.iter().filter(|member| member.value.is_finite());
    finite
        .map(|member| (member.value * member.value).max(member.value.abs()) * member.weight.abs().max(1.0))
        .sum()
}

fn is_near(found: f64, wanted: f64, scale: f64) -> bool {
    found == wanted || (found.is_nan() && wanted.is_nan()) || (found - wanted).abs() <= 1e-12 * scale.max(1.0)
}

/// Whether this is the index of an extreme. Which of equals is the first is known only where one
/// dimension goes.
#[allow(clippy::cast_precision_loss)]
fn is_among_equals(found: f64, wanted: f64, members: &[Member]) -> bool {
    let of = |index: f64| members.iter().filter(move |member| member.index as f64 == index);
    of(found).any(|one| of(wanted).any(|other| one.value == other.value && one.integer == other.integer))
}

fn is_right(question: Question, found: f64, wanted: f64, members: &[Member]) -> bool {
    let scale = scale_of(members);
    match question {
        // A root makes small errors large.
        Question::Std => is_near(found * found, wanted * wanted, scale),
        Question::ArgMin | Question::ArgMax => found == wanted || is_among_equals(found, wanted, members),
        _ => is_near(found, wanted, scale),
    }
}

/// Whether the reduction remembers what answers a question.
fn is_remembered(question: Question, reduction: &Reduction) -> bool {
    let measures = reduction.measures;
    match question {
        Question::Count | Question::RankError => true,
        Question::Sum | Question::Mean => measures.sum,
        Question::Min | Question::ArgMin => measures.lowest,
        Question::Max | Question::ArgMax => measures.highest,
        Question::Var | Question::Std => measures.moments,
        Question::Any | Question::All => measures.nonzero,
        Question::Quantile => measures.sketch > 0,
    }
}

/// The exact sums of integers. A sum that does not fit 64 bits is an error.
fn compare_sums(session: &Session, cells: &[Members], settings: Settings) -> Result<(), String> {
    let sums = || cells.iter().map(|cell| cell.used.iter().map(|member| member.integer).sum::<i128>());
    let is_unsigned =
        matches!(settings.source, NumberType::U8 | NumberType::U16 | NumberType::U32 | NumberType::U64);
    let fits = |sum: i128| if is_unsigned { u64::try_from(sum).is_ok() } else { i64::try_from(sum).is_ok() };
    match session.answer(Question::Sum, settings) {
        Err(error) if error.kind() == ErrorKind::Limit && !sums().all(fits) => Ok(()),
        Ok(answer) if elements_of(&answer.bytes, answer.number).iter().map(|sum| sum.integer).eq(sums()) => {
            Ok(())
        }
        other => Err(format!("{other:?} are not the sums {:?}", sums().collect::<Vec<_>>())),
    }
}

/// The extremes of integers, of which a double may have lost some digits.
fn compare_extremes(answer: &Answer, question: Question, cells: &[Members]) -> Result<(), String> {
    let is_better = if question == Question::Min {
        is_below
    } else {
        |one: &Member, other: &Member| is_below(other, one)
    };
    let wanted = cells.iter().map(|cell| best(&cell.used, is_better).map_or(0, |member| member.integer));
    let found = elements_of(&answer.bytes, answer.number);
    if found.iter().map(|element| element.integer).eq(wanted.clone()) {
        return Ok(());
    }
    Err(format!("{found:?} are not {:?}", wanted.collect::<Vec<_>>()))
}

/// Compares all answers with those of the twin. `bytes` are the elements.
pub fn compare(
    session: &Session,
    reduction: &Reduction,
    bytes: &[u8],
    settings: Settings,
) -> Result<(), String> {
    let cells = cells_of(reduction, bytes);
    let is_weighted = !reduction.weights.is_empty();
    let is_integer = !reduction.source.is_float();
    for &question in Question::ALL {
        // Without cells there is nothing to remember.
        if !is_remembered(question, reduction) && !cells.is_empty() {
            match session.answer(question, settings) {
                Err(error) if error.kind() == ErrorKind::Argument => continue,
                other => return Err(format!("{question:?} was not remembered: {other:?}")),
            }
        }
        if question == Question::Sum && is_integer && !is_weighted {
            compare_sums(session, &cells, settings)?;
            continue;
        }
        let answer = session.answer(question, settings).map_err(|error| format!("{question:?}: {error}"))?;
        if is_integer && matches!(question, Question::Min | Question::Max) {
            compare_extremes(&answer, question, &cells)?;
        }
        let found = floats(&answer);
        let count =
            if question == Question::RankError && reduction.measures.sketch == 0 { 0 } else { cells.len() };
        if found.len() != count {
            return Err(format!("{question:?}: {} answers for {count} cells", found.len()));
        }
        for (found, cell) in found.into_iter().zip(&cells) {
            let wanted = wanted(question, cell, settings, is_weighted);
            if !is_right(question, found, wanted, &cell.used) {
                return Err(format!("{question:?}: {found} is not {wanted}, of {cell:?}"));
            }
        }
    }
    Ok(())
}

/// The bytes of a part's elements.
fn elements_within(part: &Part, shape: &[usize], bytes: &[u8], size: usize) -> Vec<u8> {
    let mut own = Vec::new();
    each_index(&part.shape, |index| {
        let along = index.iter().zip(&part.start).zip(shape);
        let at = along.fold(0, |at, ((place, start), extent)| at * extent + place + start);
        own.extend_from_slice(&bytes[at * size..(at + 1) * size]);
    });
    own
}

/// Reduces elements by parts, which arrive in this order of their numbers in the plan.
pub fn by_parts(reduction: &Reduction, bytes: &[u8], parts: &[Part], order: &[usize]) -> Session {
    let shape = shape_of(reduction);
    let mut session = Session::new(reduction.clone(), u64::MAX).unwrap();
    for number in order {
        let part = parts[*number].clone();
        let own = elements_within(&part, &shape, bytes, reduction.source.size());
        // As a worker has it: by way of bytes.
        let within = session.within(&part).unwrap().record().to_bytes();
        let within = Reduction::of(read(&within).unwrap()).unwrap();
        let words = within.add(&own).unwrap().to_words(&within).unwrap();
        session.take(*number as u64, part, &words).unwrap();
    }
    session
}
