//! Tests of parsing JSON: exact numbers, bounded nesting, Python's tokens.

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;

fn original(text: &str) -> String {
    Document::parse(text.as_bytes()).unwrap().root().original_text().into_owned()
}

#[test]
fn a_byte_order_mark_and_white_space_are_dropped() {
    let document = Document::parse(b"\xef\xbb\xbf \r\n\t{ \"a\" : 1 } ").unwrap();
    assert_eq!(document.root().text(), "{ \"a\" : 1 }");
    assert_eq!(document.root().object().unwrap().get("a").unwrap().text(), "1");
}

#[test]
fn invalid_json_is_refused() {
    let texts =
        ["", " ", "{", "{\"a\":}", "[1,]", "{} {}", "nan", "NaNx", "-NaN", "\"a", "\"\\", "01", "'a'", "[}"];
    for text in texts {
        assert_eq!(Document::parse(text.as_bytes()).unwrap_err().kind(), ErrorKind::Format, "{text}");
    }
    let error = Document::parse(b"{\"a\":\xff}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.message().contains("UTF-8"));
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Document::parse(nested(limits::JSON_DEPTH).as_bytes()).is_ok());
    let error = Document::parse(nested(limits::JSON_DEPTH + 1).as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let unclosed = Document::parse("{\"a\":".repeat(1_000_000).as_bytes()).map(drop);
    assert_eq!(unclosed.unwrap_err().kind(), ErrorKind::Limit);
    // Brackets in strings do not count.
    assert!(Document::parse(format!("[\"\\\"{}\"]", "[".repeat(1000)).as_bytes()).is_ok());
}

#[test]
fn bare_tokens_are_strings_and_can_be_restored() {
    let text = r#"{"NaN": NaN, "b": ["NaN", -Infinity, Infinity, "a \\\" NaN"], "c": "\u00e9"}"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    let members = document.root().object().unwrap();
    assert_eq!(members.get("NaN").unwrap().str().unwrap(), "NaN");
    let list = members.get("b").unwrap().list(|json| Ok(json.str()?.into_owned())).unwrap();
    assert_eq!(list, ["NaN", "-Infinity", "Infinity", "a \\\" NaN"]);
    assert!(document.has_non_finite());
    assert_eq!(original(text), text);
    assert_eq!(members.get("b").unwrap().original_text(), r#"["NaN", -Infinity, Infinity, "a \\\" NaN"]"#);
}

#[test]
fn strict_documents_stay_as_they_are() {
    let text = r#"["\u004eaN", "Infinity"]"#;
    let document = Document::parse(text.as_bytes()).unwrap();
    assert!(!document.has_non_finite());
    assert_eq!(document.root().original_text(), text);
    assert_eq!(document.root().array().unwrap()[0].non_finite_token(), None);
}

#[test]
fn the_last_of_repeated_keys_counts() {
    let document = Document::parse(br#"{"a":1,"b":2,"\u0061":3,"c":4,"b":5,"a":6}"#).unwrap();
    let members: Vec<_> = document
        .root()
        .object()
        .unwrap()
        .into_iter()
        .map(|(key, json)| (key.into_owned(), json.text()))
        .collect();
    assert_eq!(members, [("a".into(), "6"), ("b".into(), "5"), ("c".into(), "4")]);
}

#[test]
fn integers_are_exact() {
    let document =
        Document::parse(b"[18446744073709551615,-9223372036854775808,1.0,1e2,-1,18446744073709551616]");
    let document = document.unwrap();
    let numbers = document.root().array().unwrap();
    assert_eq!(numbers[0].u64().unwrap(), u64::MAX);
    assert_eq!(numbers[1].i64().unwrap(), i64::MIN);
    for number in &numbers[2..] {
        assert_eq!(number.u64().unwrap_err().kind(), ErrorKind::Format, "{}", number.text());
    }
}

#[test]
fn errors_name_the_field_expected_and_actual() {
    let document = Document::parse(br#"{"shape":[1,"x"],"n":null}"#).unwrap();
    let members = document.root().object().unwrap();
    let error = members.require("shape", Json::u64_list).unwrap_err();
    assert_eq!(error.context().field.as_deref(), Some("shape[1]"));
    assert_eq!(error.context().expected.as_deref(), Some("a non-negative integer"));
    assert_eq!(error.context().actual.as_deref(), Some("a string: \"x\""));
    let error = members.require("n", Json::object).unwrap_err();
    assert_eq!(error.context().actual.as_deref(), Some("null"));
    let error = members.require("chunks", Json::object).unwrap_err();
    assert_eq!(error.context().field.as_deref(), Some("chunks"));
}

#[test]
fn lone_surrogates_are_kept_as_text_and_refused_as_strings() {
    let document = Document::parse(br#"["\ud800"]"#).unwrap();
    let element = document.root().array().unwrap()[0];
    assert_eq!(element.text(), r#""\ud800""#);
    assert_eq!(element.str().unwrap_err().kind(), ErrorKind::Format);
}

proptest! {
    #[test]
    fn every_text_fails_or_round_trips(text in r#"[\[\]{}:,"\\ NaInfity0-9.eE-]{0,24}"#) {
        if let Ok(document) = Document::parse(text.as_bytes()) {
            prop_assert_eq!(document.root().original_text(), text.trim());
        }
    }

    #[test]
    fn members_and_elements_are_those_of_a_value_tree(text in "[\\[\\]{}:,\"ab 01]{0,16}") {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return Ok(()) };
        let document = Document::parse(text.as_bytes()).unwrap();
        let same = |json: Json<'_>, value: &serde_json::Value| {
            serde_json::from_str::<serde_json::Value>(json.text()).unwrap() == *value
        };
        if let Some(object) = value.as_object() {
            let members = document.root().object().unwrap();
            prop_assert_eq!(members.iter().count(), object.len());
            for (key, json) in members {
                prop_assert!(same(json, &object[key.as_ref()]));
            }
        }
        if let Some(array) = value.as_array() {
            let elements = document.root().array().unwrap();
            prop_assert!(elements.iter().zip(array).all(|(json, value)| same(*json, value)));
            prop_assert_eq!(elements.len(), array.len());
        }
    }
}
