//! When to retry a request: exponential back-off with jitter, limited in number and in time.

/// Maximum of the first pause.
const FIRST_MS: u32 = 300;

/// Maximum of the sum of all pauses. If a server demands more, the request is not retried.
const MAX_PAUSES_MS: u32 = 30_000;

/// The failed tries of one request.
#[derive(Debug, Default)]
pub struct Retries {
    failed: u32,
    waited_ms: u32,
}

impl Retries {
    /// The pause before the next try in milliseconds; `None` to give up. `most` is the maximum
    /// number of retries, `told` the server's `Retry-After` in seconds, `random` a number in 0..1.
    pub fn next(&mut self, most: u32, told: Option<u32>, random: f64) -> Option<u32> {
        let before = self.failed;
        self.failed = before.saturating_add(1);
        if self.failed > most {
            return None;
        }
        let pause = FIRST_MS.saturating_mul(1 << before.min(8));
        let told = told.map_or(0, |seconds| seconds.saturating_mul(1000));
        // At least half of the pause, plus a random part, so that clients that failed together do
        // not retry together.
        let pause = told.saturating_add(pause / 2).saturating_add(scaled(pause / 2, random));
        self.waited_ms = self.waited_ms.saturating_add(pause);
        (self.waited_ms <= MAX_PAUSES_MS).then_some(pause)
    }

    /// Number of failed tries.
    pub fn tries(&self) -> u32 {
        self.failed
    }
}

// The product with a number in 0..1 fits.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn scaled(pause: u32, random: f64) -> u32 {
    (f64::from(pause) * random.clamp(0.0, 1.0)) as u32
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_until_the_retries_end() {
        let mut retries = Retries::default();
        assert_eq!(retries.next(3, None, 1.0), Some(300));
        assert_eq!(retries.next(3, None, 0.0), Some(300));
        assert_eq!(retries.next(3, None, 0.5), Some(900));
        assert_eq!(retries.next(3, None, 0.5), None);
        assert_eq!(retries.tries(), 4);
    }

    #[test]
    fn retry_after_is_obeyed_within_limits() {
        let mut retries = Retries::default();
        assert_eq!(retries.next(3, Some(20), 1.0), Some(20_300));
        assert_eq!(retries.next(3, Some(20), 1.0), None);
        assert_eq!(Retries::default().next(3, Some(u32::MAX), 0.0), None);
    }
}
