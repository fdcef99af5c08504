//! What stores parse: listings, headers and URLs of servers, directories of archives, documents of
//! references.

use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::store::http::origin::Origin;
use zarr_wasm_engine::internals::store::http::transport::{
    Headers, HttpRequest, HttpResponse, READ_HEADERS, Transport, TransportResult,
};
use zarr_wasm_engine::internals::store::http::url::{RootUrl, redact};
use zarr_wasm_engine::internals::store::http::{HttpOptions, HttpStore};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::reference::document::{Reference, References};
use zarr_wasm_engine::internals::store::zip::ZipStore;
use zarr_wasm_engine::internals::store::{ByteRange, Listable, LocalFuture, RequestContext, Store, Value};

use crate::growth::{Make, PIECES, check, repeated, with_items, with_values};

/// A server that answers every request with one page.
#[derive(Default)]
struct OnePage {
    status: u16,
    headers: String,
    page: String,
}

impl Transport for OnePage {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        let mut headers = Headers::default();
        if !self.headers.is_empty() {
            for name in READ_HEADERS {
                headers.add(name, &self.headers);
            }
        }
        let response = HttpResponse {
            status: self.status,
            url: request.url,
            redirected: false,
            headers,
            body: Value::from(self.page.as_bytes().to_vec()),
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

fn server(answers: OnePage) -> Rc<HttpStore<OnePage>> {
    let root = RootUrl::parse("http://host/a").unwrap();
    HttpStore::new(answers, root, HttpOptions::default(), Rc::new(Origin::new(8)))
}

#[test]
fn headers() {
    let key = StoreKey::parse("c/0").unwrap();
    for status in [200, 206, 416, 503] {
        let read = |headers: &str| {
            let store = server(OnePage { status, headers: headers.to_owned(), page: "12345678".to_owned() });
            let range = ByteRange::At { offset: 0, len: 8 };
            drop(block_on(store.get(&key, range, &RequestContext::default())));
            drop(block_on(store.size(&key, &RequestContext::default())));
        };
        for (before, after) in
            [("", ""), ("bytes 0-7/", ""), ("bytes ", "/8"), ("max-age=", ""), ("W/\"", "\"")]
        {
            for piece in PIECES.iter().chain(&["no-cache,", "bytes ", "0-7/", "max-age=1,", "*"]) {
                let make = |len| format!("{before}{}{after}", repeated(piece, len));
                check(&format!("headers {before} of {piece}"), &make, &read);
            }
        }
    }
}

#[test]
fn urls() {
    let document = RootUrl::parse("https://host/a/b.json?x=1").unwrap();
    let read = |text: &str| {
        drop((RootUrl::parse(text).map(|url| (url.join("c/0"), url.shown(), url.host())), redact(text)));
        drop((document.resolve(text), NodePath::parse_any(text), StoreKey::parse(text)));
    };
    for before in ["", "https://", "https://host/", "https://u:p@host/?", "s3://", "/"] {
        for piece in PIECES.iter().chain(&["://", "%2e/", "./", "\\", "@", "a/"]) {
            check(
                &format!("URLs {before} of {piece}"),
                &|len| format!("{before}{}", repeated(piece, len)),
                &read,
            );
        }
    }
}

#[test]
fn listings() {
    let list = |text: &str| {
        let store = server(OnePage { status: 200, page: text.to_owned(), ..OnePage::default() });
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
    let read = |text: &str| {
        let Ok(references) = References::parse(text.into()) else { return };
        drop(references.table().list_dir(&NodePath::root()));
        if let Some(Reference::Inline { start, len }) = references.find(&StoreKey::parse("a/0").unwrap()) {
            drop(references.inline(start, len));
        }
    };
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

#[test]
fn lists_of_references() {
    for (document, item) in [
        ("{@}", r##""a/#":["https://host/#",#,1]"##),
        ("{@}", r##""a/#":["u",#,1]"##),
        ("{@}", r##""a":["u",#,1]"##),
        ("{@}", r##""b\u0041#":"#""##),
        (r#"{"version":1,"templates":{@},"refs":{}}"#, r##""t#":"u#""##),
        (r#"{"version":1,"templates":{"f":"{{x}}"},"refs":{@}}"#, r##""k#":["{{f(x=#)}}",#,1]"##),
        (
            r#"{"version":1,"gen":[@],"refs":{}}"#,
            r##"{"key":"k{{i}}","url":"#","dimensions":{"i":{"stop":3}}}"##,
        ),
        (r#"{"version":1,"gen":[{"key":"{{i}}","url":"{{i}}","dimensions":{"i":[@]}}],"refs":{}}"#, "#"),
        (r#"{"version":1,"templates":{"t":"@"},"refs":{"a":["{{t}}"]}}"#, "{{#}}"),
    ] {
        with_items(document, item, &|text| drop(References::parse(text.into())));
    }
}

/// Names that are bound cost nothing for each reference that does not use them. A generator with
/// more than 1024 is refused.
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
        check("generated references", make, &|text| drop(References::parse(text.into())));
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
