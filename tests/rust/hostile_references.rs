//! The memory that reference documents take: a document of many small things, whatever they are,
//! takes a small multiple of its own length, or is refused.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

mod counting;

use counting::peak;
use zarr_wasm::ErrorKind;
use zarr_wasm_engine::internals::store::reference::document::References;

/// Length of the documents.
const LEN: usize = 1 << 19;

/// A list or an object of as many items as make a document of this length.
fn many(open: char, close: char, item: &dyn Fn(usize) -> String) -> String {
    let mut text = String::from(open);
    for at in 0.. {
        if text.len() > LEN {
            break;
        }
        text.push_str(&item(at));
        text.push(',');
    }
    text.pop();
    text.push(close);
    text
}

fn members(item: &dyn Fn(usize) -> String) -> String {
    many('{', '}', item)
}

fn generator(dimensions: &str) -> String {
    format!(
        r#"{{"version":1,"gen":[{{"key":"{{{{i}}}}","url":"x","dimensions":{dimensions}}}],"refs":{{}}}}"#
    )
}

/// What a document consists of, the document, and how many references it generates.
fn documents() -> Vec<(&'static str, String, usize)> {
    let long = "k".repeat(40);
    let items = |item: &str| many('[', ']', &|_| item.to_owned());
    let templates = members(&|at| format!("\"{at}\":\"\""));
    let generators = items(r#"{"key":"","url":"","dimensions":{"a":[]}}"#);
    let large = members(&|at| format!("\"{at}\":[{}1]", "1,".repeat(1000)));
    vec![
        ("long keys", members(&|at| format!("\"{long}{at}\":[\"u\",0,1]")), 0),
        ("short keys", members(&|at| format!("\"{at}\":[\"u\"]")), 0),
        ("inline values", members(&|at| format!("\"{at}\":\"\"")), 0),
        ("long inline values", members(&|at| format!("\"{at}\":\"{}\"", long.repeat(100))), 0),
        ("URLs", members(&|at| format!("\"{at}\":[\"{at}\"]")), 0),
        ("long URLs", members(&|at| format!("\"{at}\":[\"https://{long}/{at}\"]")), 0),
        ("one key", members(&|_| "\"a\":[\"u\"]".to_owned()), 0),
        ("keys that are not valid", members(&|at| format!("\"../{at}\":\"\"")), 0),
        ("templates", format!(r#"{{"version":1,"templates":{templates},"refs":{{}}}}"#), 0),
        ("generators", format!(r#"{{"version":1,"refs":{{}},"gen":{generators}}}"#), 0),
        ("dimensions", generator(&members(&|at| format!("\"{at}\":[1]"))), 0),
        ("empty dimensions", generator(&members(&|at| format!("\"{at}\":[]"))), 0),
        ("numbers of a dimension", generator(&format!("{{\"i\":{}}}", items("1"))), LEN / 2),
        ("texts of a dimension", generator(&format!("{{\"i\":{}}}", items("\"\""))), LEN / 3),
        ("dimensions whose product is too large", generator(&large), 0),
        ("a range", generator(r#"{"i":{"stop":100000}}"#), 100_000),
        (
            "a long text in a range",
            generator(&format!(r#"{{"i":{{"stop":9999}},"t":["{}"]}}"#, "x".repeat(LEN))),
            9999,
        ),
    ]
}

#[test]
fn documents_take_a_small_multiple_of_their_length() {
    for (what, text, generated) in documents() {
        let (len, text) = (text.len(), text.into_bytes());
        let (result, bytes) = peak(|| References::parse(text));
        if let Err(error) = &result {
            assert_eq!(error.kind(), ErrorKind::Limit, "{what}: {error:?}");
        }
        let most = 12 * len + 100 * generated;
        assert!(bytes < most, "{what}: {len} bytes take {bytes}, {:?}", result.err());
    }
}
