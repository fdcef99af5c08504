//! Every parser of foreign text takes linear time. Each case repeats a piece of text, doubles the
//! input ten times, and fails if the time of a doubling grows by more than 2.5. The time is that of
//! the thread, so a busy machine does not disturb it.
//!
//! The pieces are what each grammar gives a meaning to, and what its parsers search for. Not here:
//! decoders of chunks, which have budgets of their own, and parsers in TypeScript.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::rc::Rc;
use std::time::Duration;

use cpu_time::ThreadTime;
use futures_executor::block_on;
use zarr_wasm::internals::convention;
use zarr_wasm::internals::format::metadata::consolidated::Consolidated;
use zarr_wasm::internals::format::metadata::{Draft, marked};
use zarr_wasm::internals::format::path::{NodePath, StoreKey};
use zarr_wasm::internals::store::http::origin::Origin;
use zarr_wasm::internals::store::http::transport::{
    Headers, HttpRequest, HttpResponse, Transport, TransportResult,
};
use zarr_wasm::internals::store::http::url::RootUrl;
use zarr_wasm::internals::store::http::{HttpOptions, HttpStore};
use zarr_wasm::internals::store::memory::MemoryStore;
use zarr_wasm::internals::store::reference::document::References;
use zarr_wasm::internals::store::zip::ZipStore;
use zarr_wasm::internals::store::{LocalFuture, Store, Value};
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZARRAY, ZATTRS, ZGROUP, ZarrFormat, parse};

/// Lengths of the inputs in bytes: ten doublings.
const LENGTHS: std::ops::RangeInclusive<u32> = 5..=15;

/// Times below this one say more about the clock than about the parser.
const LEAST: Duration = Duration::from_millis(3);

/// Growth of the time over two doublings.
const MOST_GROWTH: f64 = 2.5 * 2.5;

/// A parser that seems slow is measured again, because the machine may have been busy.
const ATTEMPTS: usize = 6;

/// An input of about `len` bytes.
type Make<'a> = &'a dyn Fn(usize) -> String;

fn time_of(input: &str, read: &dyn Fn(&str)) -> Duration {
    let began = ThreadTime::now();
    read(input);
    began.elapsed()
}

/// Whether the time grows too fast, with the two times.
fn too_fast(make: Make<'_>, read: &dyn Fn(&str)) -> Option<(usize, Duration, Duration)> {
    let mut times = Vec::new();
    for power in LENGTHS {
        let input = make(1 << power);
        times.push(time_of(&input, read));
        let [.., short, _, long] = times[..] else { continue };
        if long > LEAST && long.as_secs_f64() > short.as_secs_f64() * MOST_GROWTH {
            return Some((1 << power, short, long));
        }
    }
    None
}

fn check(what: &str, make: Make<'_>, read: &dyn Fn(&str)) {
    let mut found = None;
    for _ in 0..ATTEMPTS {
        found = too_fast(make, read);
        if found.is_none() {
            return;
        }
    }
    let (len, short, long) = found.unwrap();
    panic!("{what}: {} bytes take {short:?}, {len} bytes take {long:?}", len / 4);
}

/// Pieces of texts: what parsers look for, and what they count.
const PIECES: [&str; 34] = [
    "a", " ", "0", "1", "9", "&", ";", "&#", "&amp;", "<", ">", "/", "//", "../", ".", "-", "%", "%41", "{",
    "{{", "}}", "{{a}}", "{{'", "[", "]", "(", ",", ":", "=", "'", "?", "#", "é", "_",
];

/// Texts within the quotes of JSON.
const ESCAPED: [&str; 4] = [r"\u0041", r"\\", r#"\""#, r"\ud83d\ude00"];

/// Values of JSON: what comes first, what is repeated, what comes last.
const VALUES: [(&str, &str, &str); 13] = [
    ("[", "1,", "1]"),
    ("[", "9007199254740993,", "1]"),
    ("[", "1.5e3,", "1]"),
    ("[", "NaN,", "1]"),
    ("[", "\"\",", "1]"),
    ("[", "{},", "1]"),
    ("[", "[1,2],", "1]"),
    ("[", "{\"name\":\"a\",\"configuration\":{}},", "1]"),
    ("{", "\"a\":1,", "\"b\":1}"),
    ("[", "[", ""),
    ("", "{\"a\":", ""),
    ("1", "1", ""),
    ("1e", "1", ""),
];

fn repeated(piece: &str, len: usize) -> String {
    piece.repeat(len / piece.len())
}

/// An object with other names each time.
fn members(len: usize) -> String {
    let members: Vec<_> = (0..len / 12).map(|at| format!("\"n{at:07}\":1")).collect();
    format!("{{{}}}", members.join(","))
}

fn nested(len: usize) -> String {
    format!("{}{}", "[".repeat(len / 2), "]".repeat(len / 2))
}

/// Checks a parser with hostile values in the place of `@` of a document.
fn with_values(what: &str, document: &str, read: &dyn Fn(&str)) {
    let filled = |value: String| document.replacen('@', &value, 1);
    for piece in PIECES.iter().chain(&ESCAPED) {
        check(
            &format!("{what}, text of {piece}"),
            &|len| filled(format!("\"{}\"", repeated(piece, len))),
            read,
        );
    }
    for (first, piece, last) in VALUES {
        let make = |len| filled(format!("{first}{}{last}", repeated(piece, len)));
        check(&format!("{what}, values of {piece}"), &make, read);
    }
    check(&format!("{what}, members"), &|len| filled(members(len)), read);
    check(&format!("{what}, nested lists"), &|len| filled(nested(len)), read);
}

fn open(format: ZarrFormat, texts: &[(&str, &str)]) {
    let texts: Vec<_> = texts.iter().map(|(suffix, text)| (*suffix, text.as_bytes())).collect();
    let document = NodeDocument::read(format, &texts);
    drop(document.and_then(|document| parse(&document)));
}

const V3: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"dimension_names":["x"],"attributes":{}}"#;
const V2: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":0,"order":"C","filters":null}"#;

/// The document with each value of a top-level member replaced in turn by `@`.
fn holes(document: &str) -> Vec<String> {
    let json: serde_json::Value = serde_json::from_str(document).unwrap();
    let names = json.as_object().unwrap().keys();
    let hole = |name: &String| {
        let mut changed = json.clone();
        changed[name] = "@".into();
        changed.to_string().replacen("\"@\"", "@", 1)
    };
    names.map(hole).chain(["@".to_owned()]).collect()
}

#[test]
fn metadata_of_v3() {
    for document in holes(V3) {
        with_values(&document, &document, &|text| open(ZarrFormat::V3, &[(ZARR_JSON, text)]));
    }
}

#[test]
fn metadata_of_v2() {
    for document in holes(V2) {
        with_values(&document, &document, &|text| open(ZarrFormat::V2, &[(ZARRAY, text)]));
    }
    let group = r#"{"zarr_format":2}"#;
    with_values(".zattrs", "@", &|text| open(ZarrFormat::V2, &[(ZGROUP, group), (ZATTRS, text)]));
}

#[test]
fn metadata_of_the_drafts() {
    const ENTRY: &str = r#"{"zarr_format":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_encoding":"https://purl.org/zarr/spec/protocol/core/3.0","metadata_key_suffix":".json","extensions":[]}"#;
    for draft in [Draft::October2020, Draft::May2022] {
        let format = ZarrFormat::Draft(draft);
        with_values("an array of a draft", "@", &|text| {
            open(format, &[(ZARR_JSON, ENTRY), (".array.json", text)])
        });
        with_values("an entry point", "@", &|text| open(format, &[(ZARR_JSON, text)]));
    }
}

#[test]
fn attributes() {
    with_values("marks of attributes", "@", &|text| drop(marked::mark(text, true)));
}

#[test]
fn consolidated_metadata() {
    let index = |text: &str, format| {
        if let Ok(Some(index)) = Consolidated::index(text.as_bytes(), format) {
            drop((index.contents(), index.children(&NodePath::root())));
        }
    };
    let v2 = r#"{"zarr_consolidated_format":1,"metadata":@}"#;
    let v3 = r#"{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":@}}"#;
    with_values("consolidated v2", v2, &|text| index(text, ZarrFormat::V2));
    with_values("consolidated v3", v3, &|text| index(text, ZarrFormat::V3));
    for (document, format, value) in [
        (v2, ZarrFormat::V2, r#"{"zarr_format":2}"#),
        (v3, ZarrFormat::V3, r#"{"zarr_format":3,"node_type":"group"}"#),
    ] {
        let suffix = if format == ZarrFormat::V2 { "/.zgroup" } else { "" };
        for folder in ["", &"a/".repeat(100)] {
            let nodes = |len: usize| {
                let entry = |at| format!("\"{folder}n{at}{suffix}\":{value}");
                let entries: Vec<_> = (0..len / (64 + folder.len())).map(entry).collect();
                document.replacen('@', &format!("{{{}}}", entries.join(",")), 1)
            };
            check("nodes of consolidated metadata", &nodes, &|text| index(text, format));
        }
    }
}

/// A server that answers every request with one page.
struct OnePage(String);

impl Transport for OnePage {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        let body = Value::from(self.0.as_bytes().to_vec());
        let response = HttpResponse {
            status: 200,
            url: request.url,
            redirected: false,
            headers: Headers::default(),
            body,
        };
        Box::pin(std::future::ready(Ok(response)))
    }

    fn sleep(&self, _ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn serialises_ranges(&self) -> bool {
        false
    }
}

#[test]
fn listings() {
    let list = |text: &str| {
        let root = RootUrl::parse("http://host/a").unwrap();
        let transport = OnePage(text.to_owned());
        let store = HttpStore::new(transport, root, HttpOptions::default(), Rc::new(Origin::new(8)));
        drop(block_on(store.list_dir(&NodePath::root())));
    };
    let tags = [
        "<a ",
        "<a href=",
        "<a href=\"x\">",
        "<a href='&&'>",
        "</a>",
        "<!--",
        "<!-- -->",
        "<Contents>",
        "<Key>",
        "<Contents><Key>a/&amp;b</Key></Contents>",
        "<CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes>",
        "<IsTruncated>true</IsTruncated>",
        "<Blob><Name>a</Name></Blob>",
        "<title>",
        "\"",
        "<a b='",
    ];
    for (before, after) in [
        ("", ""),
        ("<title>Index of /a</title><a href=\"../\">", ""),
        ("<title>Index of /a</title><a href=\"", "\">"),
        ("<ListBucketResult>", "</ListBucketResult>"),
        ("<ListBucketResult><Contents><Key>", "</Key></Contents></ListBucketResult>"),
        ("<EnumerationResults><Blobs>", "</Blobs></EnumerationResults>"),
    ] {
        for piece in PIECES.iter().chain(&tags) {
            let make = |len| format!("{before}{}{after}", repeated(piece, len));
            check(&format!("a listing {before} of {piece}"), &make, &list);
        }
    }
    with_values("a listing in JSON", "[{\"name\":@,\"type\":\"file\"}]", &list);
}

#[test]
fn references() {
    let read = |text: &str| drop(References::parse(text.as_bytes()));
    for document in [
        "@",
        r#"{"a/0":@}"#,
        r#"{"a/0":["https://host/a",@,1]}"#,
        r#"{"version":1,"refs":@}"#,
        r#"{"version":1,"templates":@,"refs":{"k":["{{a}}"]}}"#,
        r#"{"version":1,"templates":{"a":@},"refs":{"k":["{{a}}"],"l":["{{a(x=a)}}"]}}"#,
        r#"{"version":1,"templates":{"a":"x"},"refs":{"k":[@]}}"#,
        r#"{"version":1,"gen":@,"refs":{}}"#,
        r#"{"version":1,"gen":[{"key":"{{i}}","url":@,"dimensions":{"i":{"stop":3}}}],"refs":{}}"#,
        r#"{"version":1,"gen":[{"key":@,"url":"x","dimensions":{"i":{"stop":3}}}],"refs":{}}"#,
        r#"{"version":1,"gen":[{"key":"{{i}}","url":"x","dimensions":{"i":@}}],"refs":{}}"#,
        r#"{"version":1,"gen":[{"key":"{{i}}","url":"x","dimensions":@}],"refs":{}}"#,
    ] {
        with_values(document, document, &read);
    }
}

/// Names that are bound cost nothing for each reference that does not use them.
#[test]
fn names_of_generated_references() {
    let dimensions = |len: usize| {
        let fixed: Vec<_> = (0..len / 20).map(|at| format!("\"n{at}\":[\"text\"]")).collect();
        let fixed = fixed.join(",");
        format!(
            r#"{{"version":1,"gen":[{{"key":"{{{{i}}}}","url":"x","dimensions":{{"i":{{"stop":{}}},{fixed}}}}}],"refs":{{}}}}"#,
            len / 20
        )
    };
    let text = |len: usize| {
        let long = "x".repeat(len);
        format!(
            r#"{{"version":1,"gen":[{{"key":"{{{{i}}}}","url":"x","dimensions":{{"i":{{"stop":{}}},"t":["{long}"]}}}}],"refs":{{}}}}"#,
            len / 20
        )
    };
    for make in [&dimensions as Make<'_>, &text] {
        check("generated references", make, &|text| drop(References::parse(text.as_bytes())));
    }
}

#[test]
fn directories_of_archives() {
    let read = |text: &str| {
        let (memory, key) = (MemoryStore::new(), StoreKey::parse("a.zip").unwrap());
        memory.insert(&key, archive(text.lines()));
        let store = ZipStore::new(Rc::new(memory), key, None);
        drop(block_on(store.list_prefix(&NodePath::root())));
        drop(block_on(store.list_dir(&NodePath::root())));
    };
    let names: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("files", &|at| format!("f{at}")),
        ("folders", &|at| format!("d{at}/zarr.json")),
        ("one name", &|_| "same".to_owned()),
        ("deep", &|at| format!("{}{at}", "a/".repeat(100))),
        ("odd", &|at| format!("../{at}//\\.")),
    ];
    for (what, name) in names {
        let make = |len: usize| (0..len / (40 + name(0).len())).map(|at| name(at) + "\n").collect::<String>();
        check(&format!("an archive of {what}"), &make, &read);
    }
    let raw = |text: &str| {
        let (memory, key) = (MemoryStore::new(), StoreKey::parse("a.zip").unwrap());
        memory.insert(&key, text.as_bytes().to_vec());
        drop(block_on(ZipStore::new(Rc::new(memory), key, None).list_prefix(&NodePath::root())));
    };
    for piece in ["PK\u{5}\u{6}", "PK\u{1}\u{2}", "P", "\0"] {
        check(&format!("no archive, of {piece}"), &|len| repeated(piece, len), &raw);
    }
}

/// An archive of empty entries.
fn archive<'a>(names: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let (mut central, mut count) = (Vec::new(), 0_u16);
    for name in names {
        central.extend(b"PK\x01\x02");
        central.extend([0; 24]);
        central.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        central.extend([0; 16]);
        central.extend(name.as_bytes());
        count += 1;
    }
    let len = u32::try_from(central.len()).unwrap().to_le_bytes();
    let end = [b"PK\x05\x06\0\0\0\0", &count.to_le_bytes()[..], &count.to_le_bytes(), &len, &[0; 6]].concat();
    central.extend(end);
    central
}

#[test]
fn conventions() {
    let ask = |operation: &str, node: &str, attributes: &str| {
        let node = format!(r#"{{"path":"/a","format":3,{node},"attributes":{attributes}}}"#);
        let request = match operation {
            "pyramid" => format!(r#"{{"operation":"pyramid","root":"/a","nodes":{{"/a":{node}}}}}"#),
            "packing" => format!(r#"{{"operation":"packing","node":{node},"wanted":{{}}}}"#),
            _ => format!(r#"{{"operation":"{operation}","node":{node}}}"#),
        };
        drop(convention::answer(&request));
    };
    let array = r#""kind":"array","shape":[3,64],"dimension_names":["y","x"],"data_type":"float32""#;
    let group = r#""kind":"group""#;
    for attributes in [
        "@",
        r#"{"zarr_conventions":@}"#,
        r#"{"zarr_conventions":[{"uuid":@,"schema_url":@}]}"#,
        r#"{"units":@,"calendar":"standard"}"#,
        r#"{"units":"days since 2000-01-01","calendar":@}"#,
        r#"{"scale_factor":@,"flag_values":@}"#,
        r#"{"multiscales":@}"#,
        r#"{"ome":{"version":"0.5","multiscales":@}}"#,
        r#"{"ome":{"version":"0.5","plate":@}}"#,
        r#"{"proj:code":@,"proj:wkt2":"x"}"#,
        r#"{"proj:wkt2":@}"#,
        r#"{"proj:projjson":@}"#,
        r#"{"spatial:transform":@,"spatial:dimensions":["y","x"]}"#,
        r#"{"_FillValue":@}"#,
    ] {
        for (operation, node) in
            [("examine", group), ("examine", array), ("packing", array), ("pyramid", group)]
        {
            let what = format!("{operation} of {attributes}");
            with_values(&what, attributes, &|text| ask(operation, node, text));
        }
    }
}
