//! The bytes of an object, or of a part of it.
//!
//! The bytes are in a vector, or in memory of the host that the program cannot address. Most code
//! only passes them on, so bytes of the host go from the network to their decoder without a copy.
//! Bytes that this program reads itself are copied first.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::limits;

/// Bytes that the host holds.
#[allow(clippy::len_without_is_empty, reason = "nothing asks whether it is empty")]
pub trait HostBytes {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// Copies `output.len()` bytes from `offset` on. The caller stays within [`len`](Self::len).
    fn copy_to(&self, offset: u64, output: &mut [u8]);

    /// The concrete type, for the code that created it.
    fn as_any(&self) -> &dyn Any;
}

/// A range of a shared buffer. Cloning and slicing copy nothing.
#[derive(Clone)]
pub struct Value {
    bytes: Bytes,
    range: Range<u64>,
}

#[derive(Clone)]
enum Bytes {
    Owned(Rc<Vec<u8>>),
    Host(Rc<dyn HostBytes>),
}

impl Value {
    /// A value of bytes that the host holds.
    pub fn from_host(bytes: Rc<dyn HostBytes>) -> Self {
        let range = 0..bytes.len();
        Self { bytes: Bytes::Host(bytes), range }
    }

    /// A part of a buffer that others hold, too. The part is within the buffer.
    pub fn shared(bytes: Rc<Vec<u8>>, part: Range<usize>) -> Self {
        Self { bytes: Bytes::Owned(bytes), range: part.start as u64..part.end as u64 }
    }

    /// Number of bytes.
    #[allow(clippy::len_without_is_empty, reason = "nothing asks whether it is empty")]
    pub fn len(&self) -> u64 {
        len_of(&self.range)
    }

    /// A range of these bytes.
    ///
    /// # Errors
    /// `Format` if it extends past the end.
    #[allow(clippy::arithmetic_side_effects, reason = "the range was just found to be inside of these bytes")]
    pub fn slice(&self, range: Range<u64>) -> Result<Self> {
        if range.start > range.end || range.end > self.len() {
            return Err(Error::format("a byte range extends past the end of its value")
                .expected(format!("at most {} bytes", self.len()))
                .actual(format!("bytes {}..{}", range.start, range.end)));
        }
        let start = self.range.start;
        Ok(Self { bytes: self.bytes.clone(), range: start + range.start..start + range.end })
    }

    /// Offset of these bytes in their buffer.
    pub fn offset(&self) -> u64 {
        self.range.start
    }

    /// The range of the buffer from the first to the last byte of two values. `None` if the values
    /// have different buffers or more than `gap` bytes between them.
    pub fn joined(&self, other: &Self, gap: u64) -> Option<Self> {
        let is_one_buffer = match (&self.bytes, &other.bytes) {
            (Bytes::Owned(one), Bytes::Owned(other)) => Rc::ptr_eq(one, other),
            (Bytes::Host(one), Bytes::Host(other)) => Rc::ptr_eq(one, other),
            _ => false,
        };
        let (one, other) = (&self.range, &other.range);
        let between = one.start.max(other.start).saturating_sub(one.end.min(other.end));
        let range = one.start.min(other.start)..one.end.max(other.end);
        (is_one_buffer && between <= gap).then(|| Self { bytes: self.bytes.clone(), range })
    }

    /// An identifier of the buffer, which is valid while one of its values lives, and its length in
    /// bytes.
    pub fn buffer(&self) -> (u64, u64) {
        match &self.bytes {
            Bytes::Owned(bytes) => (Rc::as_ptr(bytes).addr() as u64, bytes.len() as u64),
            Bytes::Host(bytes) => (Rc::as_ptr(bytes).addr() as u64, bytes.len()),
        }
    }

    /// Copies the bytes into the core's memory.
    ///
    /// # Errors
    /// `Limit` if there are more than `limit` bytes.
    pub fn to_vec(&self, limit: u64, what: &str) -> Result<Vec<u8>> {
        let mut output = limits::zeroed(self.len(), limit, what)?;
        match &self.bytes {
            Bytes::Owned(bytes) => output.copy_from_slice(self.owned_part(bytes)),
            Bytes::Host(bytes) => bytes.copy_to(self.range.start, &mut output),
        }
        Ok(output)
    }

    /// Copies `output.len()` bytes from `offset` on into the core's memory.
    ///
    /// # Errors
    /// `Format` if there are fewer bytes.
    pub fn copy_to(&self, offset: u64, output: &mut [u8]) -> Result<()> {
        let part = self.slice(offset..offset.saturating_add(output.len() as u64))?;
        match &part.bytes {
            Bytes::Owned(bytes) => output.copy_from_slice(part.owned_part(bytes)),
            Bytes::Host(bytes) => bytes.copy_to(part.range.start, output),
        }
        Ok(())
    }

    /// The bytes, if the core owns them.
    pub fn as_slice(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Owned(bytes) => Some(self.owned_part(bytes)),
            Bytes::Host(_) => None,
        }
    }

    /// The host's buffer and the range of it, if the host owns it.
    pub fn as_host(&self) -> Option<(&Rc<dyn HostBytes>, Range<u64>)> {
        match &self.bytes {
            Bytes::Host(bytes) => Some((bytes, self.range.clone())),
            Bytes::Owned(_) => None,
        }
    }

    // `from` and `slice` keep the range within the vector, so it fits into usize.
    #[allow(clippy::cast_possible_truncation)]
    fn owned_part<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.range.start as usize..self.range.end as usize).unwrap_or_default()
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len() as u64;
        Self { bytes: Bytes::Owned(Rc::new(bytes)), range }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({} bytes)", self.len())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_slices_are_bounded() {
        let value = Value::from(vec![0, 1, 2, 3, 4]);
        let part = value.slice(1..4).unwrap().slice(1..3).unwrap();
        assert_eq!(part.to_vec(10, "test").unwrap(), [2, 3]);
        assert!(part.slice(0..3).is_err());
        let mut output = [0; 2];
        value.slice(1..4).unwrap().copy_to(1, &mut output).unwrap();
        assert_eq!(output, [2, 3]);
        assert!(part.copy_to(1, &mut output).is_err());
        assert!(part.to_vec(1, "test").is_err());
    }

    #[test]
    fn parts_of_one_buffer_join_over_small_gaps() {
        let value = Value::from(vec![0, 1, 2, 3, 4, 5, 6]);
        let (first, second) = (value.slice(1..2).unwrap(), value.slice(4..6).unwrap());
        assert!(first.joined(&second, 1).is_none());
        for joined in [first.joined(&second, 2), second.joined(&first, 2)] {
            let joined = joined.unwrap();
            assert_eq!(joined.offset(), 1);
            assert_eq!(joined.to_vec(10, "test").unwrap(), [1, 2, 3, 4, 5]);
        }
        assert!(value.joined(&Value::from(vec![0, 1, 2, 3, 4, 5, 6]), 10).is_none());
    }
}
