//! The byte order of stored numbers.

/// The byte order of a stored number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endian {
    /// Both, by their names in the configuration of the `bytes` codec.
    pub const NAMES: [(&'static str, Self); 2] = [("little", Self::Little), ("big", Self::Big)];

    /// The name in the configuration of the `bytes` codec.
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }

    /// The byte order of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, endian)| endian)
    }

    /// The byte order that the first character of a type string names. `None` for `|` (not
    /// relevant) and other characters.
    pub fn of_typestr(typestr: &str) -> Option<Self> {
        match typestr.as_bytes().first() {
            Some(b'<') => Some(Self::Little),
            Some(b'>') => Some(Self::Big),
            _ => None,
        }
    }
}
