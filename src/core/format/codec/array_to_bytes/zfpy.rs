//! numcodecs' `zfpy`: zfp's streams with a header that tells their content and mode.
//! <https://numcodecs.readthedocs.io/en/stable/compress/zfpy.html>
//!
//! The decoder uses the header only. A negative parameter means "none"; without a parameter the
//! encoder loses nothing.

use super::zfp::{Mode, finite, zfp};
use crate::error::Result;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};

/// Binds the codec. Its configuration: `mode`, `tolerance`, `rate`, `precision`;
/// `compression_kwargs` repeats one of them. Only encoding needs them.
///
/// # Errors
/// As `zfp`, without the errors of the mode.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let mode = configuration.for_encoder(mode(configuration)).unwrap_or(Mode::Reversible);
    zfp(mode, true, decoded)
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
