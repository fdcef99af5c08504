//! Chunks that are ranges of files on other servers.
//!
//! The opener says which servers may be asked: the sender of the requests refuses others
//! (`src/engine/ts/host/http/redirects.ts`). An opener may also name a bucket, `s3://bucket/`. Then
//! the server that the repository has for that bucket is allowed, too.
//!
//! A reference may say what its file was: its ETag, or when it was changed at the latest. It is
//! compared with the answer, because a condition in the request would cost a preflight. What the
//! server does not show to pages is not compared.

use std::cell::RefCell;
use std::rc::Rc;

use zarr_wasm_http::{Subject, Value};
use zarr_wasm_icechunk::{Checksum, VirtualFile};

use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::format::path::StoreKey;
use crate::limits;
use crate::sorted::Map;
use crate::store::http::url::RootUrl;
use crate::store::{ByteRange, Fetched, RequestContext, Store};

/// How many files are known at once.
const KNOWN_FILES: usize = 1 << 10;

/// A part of a file: its offset and its length in bytes.
pub type FilePart = (u64, u64);

/// What the opener of a repository allows.
pub struct Permission {
    /// The beginnings of locations whose servers are allowed, whatever the repository calls them.
    pub prefixes: Vec<String>,
    /// Allows the server of a URL.
    pub allow: Rc<dyn Fn(&str)>,
    /// Whether files must be what they were when the references were made.
    pub verifies: bool,
}

/// Makes a store of one value, whatever the key: the file at a URL.
pub type OpenFile = Rc<dyn Fn(RootUrl) -> Rc<dyn Store>>;

/// Virtual chunks. See the module.
pub struct VirtualChunks {
    open: OpenFile,
    /// The files by URL, so that neighbouring parts of one are one request.
    files: RefCell<Map<String, Rc<dyn Store>>>,
    permission: Permission,
}

impl VirtualChunks {
    /// Virtual chunks in files that `open` makes.
    pub fn new(open: OpenFile, permission: Permission) -> Self {
        Self { open, files: RefCell::default(), permission }
    }

    /// The file at a location. A read of it holds no copy of its location, which is in the
    /// manifest.
    ///
    /// # Errors
    /// `Format` for an address that is not a URL.
    pub fn file(&self, wanted: &VirtualFile) -> Result<Rc<dyn Store>> {
        let mut files = self.files.borrow_mut();
        if let Some(file) = files.get(&wanted.url) {
            return Ok(file.clone());
        }
        let url = RootUrl::parse(&wanted.url).map_err(Error::into_format)?.into_object();
        let Permission { prefixes, allow, .. } = &self.permission;
        if wanted.has_endpoint && prefixes.iter().any(|prefix| wanted.location.starts_with(prefix)) {
            allow(&url.object());
        }
        if files.len() == KNOWN_FILES {
            files.clear();
        }
        let file = (self.open)(url);
        files.insert(wanted.url.clone(), file.clone());
        Ok(file)
    }

    /// A range of a chunk.
    ///
    /// # Errors
    /// `Store` for a file that is absent, too short, or changed; errors of the server.
    pub async fn read(
        &self,
        file: &Rc<dyn Store>,
        part: FilePart,
        checksum: Option<&Checksum>,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Fetched> {
        let fetched = read_part(file, &StoreKey::parse("file")?, part, range, context).await?;
        let checksum = checksum.filter(|_| self.permission.verifies);
        match checksum.map_or(Ok(()), |checksum| compare(&fetched, checksum)) {
            Ok(()) => Ok(fetched),
            Err(error) => Err(error.at_range(part.0, part.1)),
        }
    }
}

/// A range of a part of a file, which must have all of it.
///
/// # Errors
/// `Store` for a file that is absent or too short; errors of the store.
pub async fn read_part(
    file: &Rc<dyn Store>,
    key: &StoreKey,
    (offset, len): FilePart,
    range: ByteRange,
    context: &RequestContext,
) -> Result<Fetched> {
    if len == 0 {
        return Fetched::part_of(&Value::from(Vec::new()), range);
    }
    let bytes = range.of(len).ok_or_else(|| range.past_end(Some(len)))?;
    let want = len_of(&bytes);
    limits::within(want, context.body_limit(), "a chunk")?;
    // A part of a file is read like a chunk, whatever it contains. The bound of the chunk is not
    // that of the file, which a server may send whole.
    let context = RequestContext { subject: Subject::Chunk, most_bytes: None, ..context.clone() };
    let asked = ByteRange::At { offset: offset.saturating_add(bytes.start), len: want };
    match file.get(key, asked, &context).await? {
        Some(fetched) if fetched.value.len() == want => Ok(Fetched { size: Some(len), ..fetched }),
        found => {
            let what = if found.is_some() { "is shorter than the chunk in it" } else { "is missing" };
            Err(Error::store(format!(
                "a file that the repository refers to {what}: {}, {}",
                file.describe(),
                key.as_str()
            ))
            .at_range(offset, len))
        }
    }
}

/// Compares a file with what it was.
fn compare(fetched: &Fetched, checksum: &Checksum) -> Result<()> {
    let changed = |expected: String, actual: &str| {
        Err(Error::store("the file of a virtual chunk has changed since the repository refers to it: `verify: false` reads it nevertheless")
            .expected(expected)
            .actual(actual.to_owned()))
    };
    let modified = fetched.modified.as_deref();
    match checksum {
        Checksum::Tag(tag) => match fetched.version.as_deref().filter(|version| Some(*version) != modified) {
            Some(found) if unquoted(found) != unquoted(tag) => changed(format!("ETag {tag}"), found),
            _ => Ok(()),
        },
        Checksum::Modified(latest) => match modified.and_then(|date| Some((date, seconds(date)?))) {
            Some((date, found)) if found > i64::from(*latest) => {
                changed(format!("no change after {latest} seconds of 1970"), date)
            }
            _ => Ok(()),
        },
    }
}

/// A tag without quotes, and without the mark of weak ones.
fn unquoted(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"')
}

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// The seconds since 1970 of a date such as `Wed, 01 Jan 2025 00:00:00 GMT`. RFC 9110, 5.6.7.
fn seconds(date: &str) -> Option<i64> {
    let (_, date) = date.split_once(", ")?;
    let mut words = date.split([' ', ':']);
    let number = |words: &mut dyn Iterator<Item = &str>| {
        words.next()?.parse::<i64>().ok().filter(|it| (0..10_000).contains(it))
    };
    let day = number(&mut words)?;
    let month = words.next().filter(|name| name.len() == 3).and_then(|name| MONTHS.find(name))?;
    let month = i64::try_from(month).ok()?.checked_div(3)?.checked_add(1)?;
    let year = number(&mut words)?;
    let (hour, minute, second) = (number(&mut words)?, number(&mut words)?, number(&mut words)?);
    (words.next() == Some("GMT")).then_some(())?;
    // Years begin in March, so that the leap day is the last one.
    #[allow(clippy::arithmetic_side_effects, reason = "all numbers are below 10 000")]
    let days = {
        let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
        365 * year + year.div_euclid(4) - year.div_euclid(100)
            + year.div_euclid(400)
            + (153 * month + 2) / 5
            + day
            - 719_469
    };
    #[allow(clippy::arithmetic_side_effects, reason = "all numbers are below 10 000")]
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seconds() {
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Wed, 01 Jan 2025 00:00:00 GMT"), Some(1_735_689_600));
        assert_eq!(seconds("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        for date in [
            "",
            "yesterday",
            "Wed, 01 Xyz 2025 00:00:00 GMT",
            "Wed, 01 Jan 2025 00:00:00",
            "Wed, 99999999999 Jan 1 0:0:0 GMT",
        ] {
            assert_eq!(seconds(date), None, "{date}");
        }
    }

    fn is_same(version: Option<&str>, modified: Option<&str>, checksum: &Checksum) -> bool {
        let [version, modified] = [version, modified].map(|text| text.map(str::to_owned));
        let fetched = Fetched { value: Vec::new().into(), size: None, version, modified };
        compare(&fetched, checksum).is_ok()
    }

    #[test]
    fn files_are_compared_by_what_is_visible() {
        let (tag, time) = (Checksum::Tag("a".to_owned()), Checksum::Modified(1_735_689_600));
        let date = "Wed, 01 Jan 2025 00:00:00 GMT";
        assert!(is_same(Some("\"a\""), Some(date), &tag));
        assert!(!is_same(Some("\"b\""), None, &tag));
        assert!(is_same(Some(date), Some(date), &tag), "a hidden tag");
        assert!(is_same(None, None, &tag));
        assert!(is_same(Some("\"b\""), Some(date), &time));
        assert!(!is_same(None, Some("Wed, 01 Jan 2025 00:00:01 GMT"), &time));
        assert!(is_same(None, None, &time));
    }
}
