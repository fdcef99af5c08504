//! `zfpy` of numcodecs: zfp's streams with a header that says what they hold and how.
//! <https://numcodecs.readthedocs.io/en/stable/compress/zfpy.html>
//!
//! A reader goes by the header. A parameter below zero means "none", and without one nothing is lost.

use super::zfp::{Mode, ZfpSpec, finite};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// Reads the configuration: `mode`, `tolerance`, `rate`, `precision`; `compression_kwargs` repeats one of them. A decoder has no
/// use for any.
///
/// # Errors
/// None: modes that zfpy does not have and parameters that are no numbers are an encoder's.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let mode = configuration.for_encoder(mode(configuration)).unwrap_or(Mode::Reversible);
    Ok(Spec::ArrayToBytes(Box::new(ZfpSpec { mode, has_header: true })))
}

fn mode(configuration: &Configuration<'_>) -> Result<Option<Mode>> {
    // An error must not leave fields behind that nobody has asked for: v3 refuses those.
    let fields = ["mode", "tolerance", "rate", "precision", "compression_kwargs"];
    fields.iter().for_each(|field| configuration.tolerate(field));
    // zfpy's own numbers: null, expert, fixed rate, precision, accuracy, reversible.
    let mode = configuration.integer("mode", 0..=5)?.unwrap_or(4);
    let (tolerance, rate, precision) = (
        parameter(configuration, "tolerance")?,
        parameter(configuration, "rate")?,
        parameter(configuration, "precision")?,
    );
    Ok(match mode {
        2 => rate.map(Mode::Rate),
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "zfp knows 64 bits at most"
        )]
        3 => precision.map(|precision| Mode::Precision(precision as u32)),
        4 => tolerance.map(Mode::Accuracy),
        _ => None,
    })
}

fn parameter(configuration: &Configuration<'_>, field: &str) -> Result<Option<f64>> {
    Ok(configuration.read(field, finite)?.filter(|value| *value >= 0.0))
}
