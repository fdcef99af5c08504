//! Grids at even distances on a conformal map: Mercator (template 3.10), polar stereographic (3.20)
//! and Lambert (3.30), on a sphere or an ellipsoid. J. P. Snyder, "Map Projections: A Working
//! Manual", <https://doi.org/10.3133/pp1395>.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use crate::bits::{i32_at, u8_at, u32_at};
use crate::error::{Result, unsupported};

/// How often a latitude on an ellipsoid is refined.
const ROUNDS: usize = 15;

/// The earth: half its axis at the equator in metres, and its eccentricity.
struct Earth {
    axis: f64,
    eccentricity: f64,
}

impl Earth {
    /// Reads the shape of the earth (code table 3.2).
    fn read(section: &[u8]) -> Result<Self> {
        let scaled = |at: usize| -> Result<f64> {
            Ok(f64::from(u32_at(section, at.saturating_add(1))?)
                / 10_f64.powi(i32::from(u8_at(section, at)?.cast_signed())))
        };
        let (axis, polar) = match u8_at(section, 14)? {
            0 => (6_367_470.0, 6_367_470.0),
            1 => (scaled(15)?, scaled(15)?),
            2 => (6_378_160.0, 6_356_775.0),
            3 => (scaled(20)? * 1e3, scaled(25)? * 1e3),
            4 => (6_378_137.0, 6_356_752.314),
            5 => (6_378_137.0, 6_356_752.314_2),
            6 => (6_371_229.0, 6_371_229.0),
            7 => (scaled(20)?, scaled(25)?),
            8 => (6_371_200.0, 6_371_200.0),
            9 => (6_377_563.396, 6_356_256.909),
            other => return Err(unsupported("the shape of the earth", other)),
        };
        let ratio = polar / axis;
        Ok(Self { axis, eccentricity: (1.0 - ratio * ratio).max(0.0).sqrt() })
    }

    /// The radius of the circle of a latitude, for an axis of 1.
    fn circle(&self, latitude: f64) -> f64 {
        let sine = self.eccentricity * latitude.sin();
        latitude.cos() / (1.0 - sine * sine).sqrt()
    }

    fn flattening(&self, latitude: f64) -> f64 {
        let sine = self.eccentricity * latitude.sin();
        ((1.0 - sine) / (1.0 + sine)).powf(self.eccentricity / 2.0)
    }

    /// Snyder's *t*: the tangent of half the conformal distance to the north pole.
    fn tangent(&self, latitude: f64) -> f64 {
        (FRAC_PI_4 - latitude / 2.0).tan() / self.flattening(latitude)
    }

    /// The latitude of such a tangent.
    fn latitude(&self, tangent: f64) -> f64 {
        let mut latitude = FRAC_PI_2 - 2.0 * tangent.atan();
        if self.eccentricity > 0.0 {
            for _ in 0..ROUNDS {
                latitude = FRAC_PI_2 - 2.0 * (tangent * self.flattening(latitude)).atan();
            }
        }
        latitude
    }
}

/// The map: angles around the pole are multiplied by `cone`, which is 0 for Mercator.
struct Map {
    earth: Earth,
    cone: f64,
    scale: f64,
    /// The longitude that goes straight up.
    middle: f64,
}

impl Map {
    /// A map that keeps distances at one or two latitudes.
    fn new(earth: Earth, cone: f64, latitude: f64, middle: f64) -> Self {
        let circle = earth.axis * earth.circle(latitude);
        let scale = if cone == 0.0 { circle } else { circle / (cone * earth.tangent(latitude).powf(cone)) };
        Self { earth, cone, scale, middle }
    }

    fn forward(&self, latitude: f64, longitude: f64) -> (f64, f64) {
        let mut angle = longitude - self.middle;
        angle -= std::f64::consts::TAU * (angle / std::f64::consts::TAU).round();
        let tangent = self.earth.tangent(latitude);
        if self.cone == 0.0 {
            return (self.scale * angle, -self.scale * tangent.ln());
        }
        let radius = self.scale * tangent.powf(self.cone);
        (radius * (self.cone * angle).sin(), -radius * (self.cone * angle).cos())
    }

    fn inverse(&self, x: f64, y: f64) -> (f64, f64) {
        if self.cone == 0.0 {
            return (self.earth.latitude((-y / self.scale).exp()), self.middle + x / self.scale);
        }
        let sign = self.cone.signum();
        let tangent = (x.hypot(y) / self.scale.abs()).powf(1.0 / self.cone);
        (self.earth.latitude(tangent), self.middle + (sign * x).atan2(-sign * y) / self.cone)
    }
}

/// A grid on a map: the first point, and the steps, in metres.
pub struct Projected {
    map: Map,
    first: (f64, f64),
    step: (f64, f64),
}

impl Projected {
    /// Reads section 3, which has one of the three templates.
    ///
    /// # Errors
    /// `Format` for a section that is too short, `Unsupported` for another shape of the earth.
    pub fn read(section: &[u8], template: u16, (goes_west, goes_north): (bool, bool)) -> Result<Self> {
        let angle = |at| -> Result<f64> { Ok((f64::from(i32_at(section, at)?) * 1e-6).to_radians()) };
        let earth = Earth::read(section)?;
        let map = match template {
            // The grid of Mercator begins at its first longitude.
            10 => Map::new(earth, 0.0, angle(47)?, angle(42)?),
            20 => {
                let cone = if u8_at(section, 63)? & 0x80 == 0 { 1.0 } else { -1.0 };
                polar(earth, cone, angle(47)?, angle(51)?)
            }
            _ => lambert(earth, angle(65)?, angle(69)?, angle(51)?),
        };
        let (x_at, y_at) = if template == 10 { (64, 68) } else { (55, 59) };
        let length = |at| -> Result<f64> { Ok(f64::from(u32_at(section, at)?) * 1e-3) };
        let (x, y) = (length(x_at)?, length(y_at)?);
        let first = map.forward(angle(38)?, angle(42)?);
        let step = (if goes_west { -x } else { x }, if goes_north { y } else { -y });
        Ok(Self { map, first, step })
    }

    /// The latitude and the longitude of a point in degrees.
    #[allow(clippy::cast_precision_loss, reason = "columns and rows have 32 bits")]
    pub fn coordinates(&self, column: usize, row: usize) -> (f64, f64) {
        let (x, y) = (self.first.0 + self.step.0 * column as f64, self.first.1 + self.step.1 * row as f64);
        let (latitude, longitude) = self.map.inverse(x, y);
        (latitude.to_degrees(), longitude.to_degrees())
    }
}

/// A plane that touches the earth at a pole, or cuts it at a latitude.
fn polar(earth: Earth, cone: f64, latitude: f64, middle: f64) -> Map {
    // At the pole the circle and the tangent are both 0; close to it their ratio is the limit's.
    let latitude = latitude.abs().min(FRAC_PI_2 - 1e-7) * cone;
    Map::new(earth, cone, latitude, middle)
}

fn lambert(earth: Earth, one: f64, other: f64, middle: f64) -> Map {
    let cone = if (one - other).abs() < 1e-10 {
        one.sin()
    } else {
        let circles = earth.circle(one).ln() - earth.circle(other).ln();
        circles / (earth.tangent(one).ln() - earth.tangent(other).ln())
    };
    Map::new(earth, cone, one, middle)
}
