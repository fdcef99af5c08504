//! Writes flatbuffers in which several offsets lead to one object. An offset leads forwards, so
//! what is shared comes after all that share it.

/// A buffer that is written from its beginning.
pub struct Flatbuffer {
    bytes: Vec<u8>,
}

/// How the fields of a table lie.
pub struct Layout {
    /// The offset of the list of fields.
    list: usize,
    /// The offset of each field in its table.
    offsets: Vec<usize>,
    size: usize,
}

/// The size of an offset.
const WORD: usize = 4;
/// A field of a layout that is an offset.
pub const OFFSET: usize = WORD;

impl Flatbuffer {
    /// An empty buffer, whose root comes later.
    pub fn new() -> Self {
        let mut buffer = Self { bytes: vec![0; WORD] };
        buffer.bytes.extend(b"Ichk");
        buffer
    }

    /// A layout of fields of these widths; 0 for those that tables lack.
    pub fn layout(&mut self, widths: &[usize]) -> Layout {
        let (mut offsets, mut size) = (Vec::new(), WORD);
        for width in widths {
            offsets.push(if *width == 0 { 0 } else { size });
            size += width;
        }
        let list = self.bytes.len();
        self.half(WORD + 2 * widths.len());
        self.half(size);
        for offset in &offsets {
            self.half(*offset);
        }
        Layout { list, offsets, size }
    }

    fn half(&mut self, number: usize) {
        self.bytes.extend(u16::try_from(number).unwrap().to_le_bytes());
    }

    fn word(&mut self, number: usize) {
        self.bytes.extend(u32::try_from(number).unwrap().to_le_bytes());
    }

    /// A table with fields of zeros. Returns its offset.
    pub fn table(&mut self, layout: &Layout) -> usize {
        let at = self.bytes.len();
        let back = u32::try_from(at - layout.list).unwrap();
        self.bytes.extend(back.to_le_bytes());
        self.bytes.resize(at + layout.size, 0);
        at
    }

    /// Sets a field of a table.
    pub fn set(&mut self, table: usize, layout: &Layout, field: usize, bytes: &[u8]) {
        let at = table + layout.offsets[field];
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Where a field of a table is, which is an offset.
    pub fn field(table: usize, layout: &Layout, field: usize) -> usize {
        table + layout.offsets[field]
    }

    /// A list of offsets that lead nowhere yet. Returns its offset.
    pub fn offsets(&mut self, len: usize) -> usize {
        let at = self.bytes.len();
        self.word(len);
        self.bytes.resize(at + WORD + WORD * len, 0);
        at
    }

    /// The offset of an element of a list of offsets.
    pub fn element(list: usize, index: usize) -> usize {
        list + WORD + WORD * index
    }

    /// A list of `len` elements, or a text. Returns its offset.
    pub fn list(&mut self, len: usize, bytes: &[u8]) -> usize {
        let at = self.bytes.len();
        self.word(len);
        self.bytes.extend(bytes);
        at
    }

    /// A text or a list of bytes.
    pub fn text(&mut self, text: &[u8]) -> usize {
        self.list(text.len(), text)
    }

    /// Makes an offset lead to a target behind it.
    pub fn point(&mut self, offset: usize, target: usize) {
        let distance = u32::try_from(target - offset).unwrap().to_le_bytes();
        self.bytes[offset..offset + WORD].copy_from_slice(&distance);
    }

    /// Makes all elements of a list lead to one object.
    pub fn point_all(&mut self, list: usize, len: usize, target: usize) {
        for index in 0..len {
            self.point(Self::element(list, index), target);
        }
    }

    /// The file of a kind with this root, not compressed.
    pub fn file(mut self, kind: u8, root: usize) -> Vec<u8> {
        self.point(0, root);
        let mut file = "ICE🧊CHUNK".as_bytes().to_vec();
        file.extend([b' '; 24]);
        file.extend([2, kind, 0]);
        file.extend(self.bytes);
        file
    }
}
