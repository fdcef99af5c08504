//! Steps 5 and 6 for one part: decode the chunks that arrive, scatter their elements into the part's buffer. Runs in a worker.
//!
//! The buffer starts as fill value, so absent chunks need no word. A chunk that fills neighbouring bytes of the part is decoded
//! straight into them. Where elements are wanted as something else, that is done to the whole part at its end. Deliberately sync and without store: what is fetched comes in by [`Assembly::supply`].

use std::ops::Range;
use std::rc::Rc;

use crate::access::binding::{Binding, Level};
use crate::access::part_buffer::PartBuffer;
use crate::access::piece::{Header, Moved, MovedAxis, Piece, touched};
use crate::error::{Error, Result};
use crate::format::codec::pipeline::{Elements, Scratch};
use crate::format::codec::user::{CodecCall, CodecCalls, is_waiting};
use crate::format::conversion::Conversion;
use crate::limits;

/// A part in the making.
pub struct Assembly {
    binding: Rc<Binding>,
    /// Elements from one place to the next along each dimension of the part.
    strides: Vec<usize>,
    buffer: PartBuffer,
    conversion: Option<Conversion>,
    /// Pieces whose chunks wait for codecs of the user's.
    waiting: Vec<Waiting>,
    /// The number of the next request for one.
    next_request: u32,
}

/// A piece that was begun.
struct Waiting {
    piece: Piece,
    encoded: Vec<u8>,
    calls: CodecCalls,
}

impl Assembly {
    /// An empty part: all fill value. `spare` is memory that it may use, with anything in it.
    ///
    /// # Errors
    /// `Limit` when there is no memory for it, `Argument` for elements that cannot be what is wanted.
    pub fn begin(binding: &Rc<Binding>, header: &[u32], spare: Vec<u8>) -> Result<Self> {
        let header = Header::from_words(header)?;
        let shape: Vec<u64> = header.shape.iter().map(|extent| u64::from(*extent)).collect();
        let order: Vec<usize> = header.order.iter().map(|dimension| *dimension as usize).collect();
        let metadata = binding.metadata();
        let elements = limits::product(shape.iter().copied(), "part")?;
        let buffer = PartBuffer::new(elements, metadata.data_type.size(), &metadata.fill_value, spare)?;
        let strides = strides(&shape, &order)?;
        let conversion = match header.conversion.as_slice() {
            [] => None,
            words => Some(Conversion::from_words(words, &metadata.data_type)?),
        };
        let binding = binding.clone();
        Ok(Self { binding, strides, buffer, conversion, waiting: Vec::new(), next_request: 0 })
    }

    /// Decodes the pieces of a table, whose buffers are given by number, and scatters them.
    ///
    /// # Errors
    /// As the codecs: `Format` for corrupt bytes; the key is relative to the array.
    pub fn supply(&mut self, table: &[u32], buffers: &[&[u8]], scratch: &mut Scratch) -> Result<()> {
        let pieces = Piece::read_all(table)?;
        self.buffer.expect(pieces.iter().map(|piece| piece.moved.count()).sum());
        for piece in pieces {
            let buffer = buffers.get(piece.buffer as usize).ok_or_else(wrong_table)?;
            let start = limits::to_usize(piece.bytes.start, "buffer")?;
            let end = limits::to_usize(piece.bytes.end, "buffer")?;
            let encoded = buffer.get(start..end).ok_or_else(wrong_table)?;
            if self.binding.users().is_some() {
                let calls = CodecCalls::default();
                self.attempt(Waiting { piece, encoded: encoded.to_vec(), calls }, scratch)?;
            } else {
                let placed = self.place(&piece, encoded, scratch);
                placed.map_err(|error| error.at_key(self.key(&piece)))?;
            }
        }
        Ok(())
    }

    /// Hands out what the user's codecs are to do: each request once, with the chunk's key.
    pub fn requests(&mut self, mut take: impl FnMut(&str, CodecCall<'_>)) {
        let binding = self.binding.clone();
        for Waiting { piece, calls, .. } in &mut self.waiting {
            let key = key_of(&binding, piece);
            calls.hand_out(|request| take(&key, request));
        }
    }

    /// Takes what a codec of the user's has made for a request.
    ///
    /// # Errors
    /// `Format` for elements that are not as many as the chunk's.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        for waiting in &mut self.waiting {
            let answered = waiting.calls.answer(id, output);
            if answered.map_err(|error| error.at_key(key_of(&self.binding, &waiting.piece)))? {
                return Ok(());
            }
        }
        Err(Error::argument("an answer to what was not asked"))
    }

    /// Goes on with every piece that has all of its answers.
    ///
    /// # Errors
    /// As [`supply`](Self::supply).
    pub fn resume(&mut self, scratch: &mut Scratch) -> Result<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.calls.is_answered() {
                self.attempt(waiting, scratch)?;
            } else {
                self.waiting.push(waiting);
            }
        }
        Ok(())
    }

    /// Whether a piece waits for a codec of the user's.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Places a piece, as far as it goes without codecs that have not answered.
    fn attempt(&mut self, mut waiting: Waiting, scratch: &mut Scratch) -> Result<()> {
        let users = self.binding.users().clone();
        let exchange = |calls: &mut CodecCalls| users.iter().for_each(|users| users.swap_calls(calls));
        waiting.calls.continue_at(self.next_request);
        exchange(&mut waiting.calls);
        let placed = self.place(&waiting.piece, &waiting.encoded, scratch);
        exchange(&mut waiting.calls);
        self.next_request = waiting.calls.next();
        match placed {
            Err(error) if is_waiting(&error) => self.waiting.push(waiting),
            placed => placed.map_err(|error| error.at_key(self.key(&waiting.piece)))?,
        }
        Ok(())
    }

    fn key(&self, piece: &Piece) -> String {
        key_of(&self.binding, piece)
    }

    /// The finished part, in the order of the header: packed elements, or offsets and bytes where elements have lengths of their
    /// own.
    ///
    /// # Errors
    /// `Limit` for elements that take too much memory.
    pub fn finish(self) -> Result<Vec<u8>> {
        if self.is_waiting() {
            return Err(Error::argument("a part cannot end while it waits for codecs of the user's"));
        }
        let elements = self.buffer.finish()?;
        match &self.conversion {
            Some(conversion) => conversion.apply(&self.binding.metadata().data_type, &elements),
            None => Ok(elements),
        }
    }

    fn place(&mut self, piece: &Piece, encoded: &[u8], scratch: &mut Scratch) -> Result<()> {
        let chain = self.binding.chain_of(&piece.chunk)?;
        let level = chain.level(piece.level as usize).ok_or_else(wrong_table)?;
        if let Some(range) = self.contiguous(level, &piece.moved)
            && let Some(output) = self.buffer.fixed_bytes(range)
            && let Some(decoded) = level.pipeline.decode_into(encoded, output, scratch)
        {
            return decoded;
        }
        let wanted = wanted_box(level, &piece.moved)?;
        let decoded = level.pipeline.decode(encoded, &wanted, scratch)?;
        let src = in_array_order(&decoded.strides, &level.axes);
        match decoded.elements {
            Elements::Fixed(elements) => self.buffer.put_fixed(elements, &src, &self.strides, &piece.moved),
            Elements::Variable(elements) => {
                self.buffer.put_variable(&elements, &src, &self.strides, &piece.moved)
            }
        }
    }

    /// Which neighbouring places the whole chunk lands in, when all of it is wanted, and it lands in such, in the order in which it
    /// is stored.
    fn contiguous(&self, level: &Level, moved: &Moved) -> Option<Range<usize>> {
        let Moved::Orthogonal(axes) = moved else { return None };
        let (mut start, mut packed) = (0, 1);
        for stored in level.pipeline.axes().iter().rev() {
            let dimension = *level.axes.get(*stored)?;
            let MovedAxis::Range { first: 0, step, count, place } = axes.get(dimension)? else { return None };
            let (count, stride) = (u64::from(*count), *self.strides.get(dimension)?);
            let whole = count == *level.shape.get(dimension)? && (*step == 1 || count == 1);
            if !whole || (count > 1 && stride != packed) {
                return None;
            }
            start += *place as usize * stride;
            packed *= usize::try_from(count).ok()?;
        }
        Some(start..start + packed)
    }
}

/// Relative to the array.
fn key_of(binding: &Binding, piece: &Piece) -> String {
    binding.metadata().chunk_key_encoding.encode(&piece.chunk)
}

/// The box of the chunk, in the level's own order of dimensions, that a move takes elements from.
fn wanted_box(level: &Level, moved: &Moved) -> Result<Vec<Range<u64>>> {
    let in_array_order: Vec<Range<u64>> = match moved {
        Moved::Orthogonal(axes) => axes.iter().map(MovedAxis::touched).collect(),
        Moved::Points { indices, .. } => indices.iter().map(|list| touched(list)).collect(),
    };
    let wanted: Option<Vec<_>> = level.axes.iter().map(|axis| in_array_order.get(*axis).cloned()).collect();
    let inside = |wanted: &Vec<Range<u64>>| {
        wanted.iter().zip(&level.pipeline.decoded().shape).all(|(range, extent)| range.end <= *extent)
    };
    wanted.filter(inside).ok_or_else(wrong_table)
}

/// A level's strides in the array's order of dimensions.
fn in_array_order(strides: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut ordered = vec![0; strides.len()];
    for (axis, stride) in axes.iter().zip(strides) {
        if let Some(place) = ordered.get_mut(*axis) {
            *place = *stride;
        }
    }
    ordered
}

/// Elements from one place to the next along each dimension of a part.
fn strides(shape: &[u64], order: &[usize]) -> Result<Vec<usize>> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1_u64;
    for dimension in order.iter().rev() {
        if let (Some(stride), Some(extent)) = (strides.get_mut(*dimension), shape.get(*dimension)) {
            *stride = limits::to_usize(step, "part")?;
            step = step.saturating_mul(*extent);
        }
    }
    Ok(strides)
}

fn wrong_table() -> Error {
    Error::argument("a table of pieces does not fit its array or its buffers")
}
