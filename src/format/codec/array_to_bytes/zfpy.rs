//! numcodecs' `zfpy`: zfp's streams with a header that tells their content and mode.
//! <https://numcodecs.readthedocs.io/en/stable/compress/zfpy.html>
//!
//! The decoder uses the header only. A negative parameter means "none"; without a parameter the
//! encoder loses nothing.

use super::zfp::{Mode, ZfpSpec, finite};
use crate::error::Result;
use crate::format::codec::Spec;
use crate::format::codec::configuration::Configuration;

/// Parses the configuration: `mode`, `tolerance`, `rate`, `precision`; `compression_kwargs` repeats
/// one of them. Only encoding needs them.
///
/// # Errors
/// None: only encoding needs valid values.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let mode = configuration.for_encoder(mode(configuration)).unwrap_or(Mode::Reversible);
    Ok(Spec::ArrayToBytes(Box::new(ZfpSpec { mode, has_header: true })))
}

fn mode(configuration: &Configuration<'_>) -> Result<Option<Mode>> {
    // After an error some fields would stay unread, and v3 refuses unread fields.
    let fields = ["mode", "tolerance", "rate", "precision", "compression_kwargs"];
    fields.iter().for_each(|field| configuration.tolerate(field));
    // The numbers of zfpy's modes: null, expert, fixed rate, precision, accuracy, reversible.
    let mode = configuration.integer("mode", 0..=5)?.unwrap_or(4);
    let (tolerance, rate, precision) = (
        parameter(configuration, "tolerance")?,
        parameter(configuration, "rate")?,
        parameter(configuration, "precision")?,
    );
    Ok(match mode {
        2 => rate.map(Mode::Rate),
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "zfp has at most 64 bits")]
        3 => precision.map(|precision| Mode::Precision(precision as u32)),
        4 => tolerance.map(Mode::Accuracy),
        _ => None,
    })
}

fn parameter(configuration: &Configuration<'_>, field: &str) -> Result<Option<f64>> {
    Ok(configuration.read(field, finite)?.filter(|value| *value >= 0.0))
}
