//! `zfpy` of numcodecs: zfp's streams with a header that says what they hold and how.
//! <https://numcodecs.readthedocs.io/en/stable/compress/zfpy.html>
//!
//! A reader goes by the header. A parameter below zero means "none", and without one nothing is lost.

use super::zfp::{Mode, ZfpSpec, finite};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// Reads the configuration: `mode`, `tolerance`, `rate`, `precision`; `compression_kwargs` repeats one of them.
///
/// # Errors
/// `Format` for modes that zfpy does not have and for parameters that are no numbers.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    configuration.tolerate("compression_kwargs");
    // zfpy's own numbers: null, expert, fixed rate, precision, accuracy, reversible.
    let mode = configuration.integer("mode", 0..=5)?.unwrap_or(4);
    let (tolerance, rate, precision) = (
        parameter(configuration, "tolerance")?,
        parameter(configuration, "rate")?,
        parameter(configuration, "precision")?,
    );
    let mode = match mode {
        2 => rate.map(Mode::Rate),
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "zfp knows 64 bits at most"
        )]
        3 => precision.map(|precision| Mode::Precision(precision as u32)),
        4 => tolerance.map(Mode::Accuracy),
        _ => None,
    };
    Ok(Spec::ArrayToBytes(Box::new(ZfpSpec { mode: mode.unwrap_or(Mode::Reversible), has_header: true })))
}

fn parameter(configuration: &Configuration<'_>, field: &str) -> Result<Option<f64>> {
    Ok(configuration.read(field, finite)?.filter(|value| *value >= 0.0))
}
