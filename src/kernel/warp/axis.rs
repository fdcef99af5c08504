//! From a coordinate to an index, where columns or rows have a coordinate each.

use super::position::WHOLE_TURN;

/// Degrees.
const POLE: f64 = 90.0;

/// What the coordinates count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Length,
    Longitude,
    Latitude,
}

/// The coordinates of elements in a row, which rise or fall, two at least.
#[derive(Clone, Debug)]
pub struct Axis {
    values: Values,
    count: usize,
    kind: Kind,
    /// Half an element before the first one, and behind the last.
    edges: [f64; 2],
}

#[derive(Clone, Debug)]
enum Values {
    /// The first, and from each to the next.
    Even(f64, f64),
    Listed(Vec<f64>),
}

impl Axis {
    /// Coordinates at even distances.
    #[allow(clippy::cast_precision_loss)] // a count of elements
    pub fn even(first: f64, step: f64, count: usize) -> Self {
        let edges = [first - step / 2.0, first + step * (count as f64 - 0.5)];
        Self { values: Values::Even(first, step), count, kind: Kind::Length, edges }
    }

    /// Coordinates one by one; `None` unless they are two or more, and rise or fall all along.
    pub fn listed(values: Vec<f64>) -> Option<Self> {
        let [first, second, ..] = *values.as_slice() else { return None };
        let [.., before, last] = *values.as_slice() else { return None };
        let rises = second > first;
        if !values.is_sorted_by(|a, b| if rises { a < b } else { a > b }) {
            return None;
        }
        let edges = [first - (second - first) / 2.0, last + (last - before) / 2.0];
        Some(Self { count: values.len(), values: Values::Listed(values), kind: Kind::Length, edges })
    }

    /// The same as longitudes: a point is the same after a whole turn.
    #[must_use]
    pub fn of_longitude(self) -> Self {
        Self { kind: Kind::Longitude, ..self }
    }

    /// The same as latitudes: the last element before a pole reaches as far as the pole.
    #[must_use]
    pub fn of_latitude(self) -> Self {
        Self { kind: Kind::Latitude, ..self }
    }

    fn at(&self, element: usize) -> f64 {
        match &self.values {
            #[allow(clippy::cast_precision_loss)] // a count of elements
            Values::Even(first, step) => first + step * element as f64,
            Values::Listed(values) => values[element],
        }
    }

    /// How far it is from an element at an end to the next.
    fn end_steps(&self) -> [f64; 2] {
        let last = self.count.saturating_sub(1);
        match &self.values {
            Values::Even(_, step) => [step.abs(); 2],
            Values::Listed(_) => [(self.at(1) - self.at(0)).abs(), (self.at(last) - self.at(last - 1)).abs()],
        }
    }

    /// Whether the first element follows on the last one, around the globe.
    pub fn wraps(&self) -> bool {
        let span = (self.edges[1] - self.edges[0]).abs();
        let [step, _] = self.end_steps();
        self.kind == Kind::Longitude && (span - WHOLE_TURN).abs() < step / 4.0
    }

    /// The same longitude, where this axis has it.
    fn wrapped(&self, longitude: f64) -> f64 {
        let [first, last] = self.edges;
        let span = (last - first).abs();
        // More than a whole turn has columns twice: those between centres are whole.
        let is_more = span > WHOLE_TURN && !self.wraps();
        let centres = self.at(0).min(self.at(self.count - 1));
        let west = if is_more { centres } else { first.min(last) };
        west + (longitude - west).rem_euclid(WHOLE_TURN)
    }

    /// The index of a coordinate, a fraction between centres; `None` beyond the edges.
    #[allow(clippy::cast_precision_loss)] // a count of elements
    pub fn index(&self, coordinate: f64) -> Option<f64> {
        if coordinate.is_nan() {
            return None;
        }
        let coordinate = match self.kind {
            Kind::Longitude => self.wrapped(coordinate),
            Kind::Latitude => self.before_pole(coordinate),
            Kind::Length => coordinate,
        };
        let [low, high] =
            if self.edges[0] < self.edges[1] { self.edges } else { [self.edges[1], self.edges[0]] };
        if coordinate < low || coordinate > high {
            return None;
        }
        let index = match &self.values {
            Values::Even(first, step) => (coordinate - first) / step,
            Values::Listed(values) => between(values, coordinate),
        };
        // Not `clamp`, which writes its bounds in a panic: that would be 15 kB of code.
        let last = self.count as f64 - 0.5;
        Some(if index < -0.5 {
            -0.5
        } else if index > last {
            last
        } else {
            index
        })
    }

    /// A latitude beyond the last edge, but before the pole, at that edge.
    fn before_pole(&self, latitude: f64) -> f64 {
        if latitude.abs() > POLE {
            return latitude;
        }
        for (edge, step) in self.edges.into_iter().zip(self.end_steps()) {
            let is_beyond = latitude.abs() > edge.abs() && latitude * edge > 0.0;
            if is_beyond && POLE - edge.abs() <= step {
                return edge;
            }
        }
        latitude
    }
}

/// The index of a coordinate among those that rise or fall; beyond the ends it continues as between
/// the last two.
#[allow(clippy::cast_precision_loss)] // a count of elements
fn between(values: &[f64], coordinate: f64) -> f64 {
    let rises = values[1] > values[0];
    let after =
        values.partition_point(|value| if rises { *value <= coordinate } else { *value >= coordinate });
    let before = after.clamp(1, values.len() - 1) - 1;
    before as f64 + (coordinate - values[before]) / (values[before + 1] - values[before])
}
