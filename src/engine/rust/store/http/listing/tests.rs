//! Listings of pages from real servers (`tests/fixtures/listings/`), and of a scripted server.

use futures_executor::block_on;
use zarr_wasm_http::Value;

use super::page::{FolderEntry, entries};
use super::*;
use crate::error::ErrorKind;
use crate::store::Listable;
use crate::store::http::tests::script::{Scene, respond};

const LONG: &str = "long-name-that-servers-cut-in-the-text-of-the-link-but-not-in-the-link-itself-0123456789";
const FOLDERS: [&str; 8] = ["a", "b c", "d&e", "f#g", "h%20i", "j'k\"l", "m;n=o,p+q", "été"];

fn response(url: &str, page: &str) -> HttpResponse {
    HttpResponse {
        status: 200,
        url: url.to_owned(),
        redirected: false,
        headers: Default::default(),
        body: Value::from(page.as_bytes().to_vec()),
    }
}

fn listed(page: &str) -> Option<(Vec<String>, Vec<String>)> {
    let entries = entries(&response("http://host/data.zarr/?sig=x", page), "http://host")?;
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            FolderEntry::File(name) => files.push(name),
            FolderEntry::Folder(name) => folders.push(name),
        }
    }
    files.sort();
    folders.sort();
    Some((files, folders))
}

fn check(server: &str, page: &str, shows_dots: bool) {
    let (files, folders) = listed(page).unwrap_or_else(|| panic!("{server}: no listing"));
    let mut expected = vec!["x?y", "zarr.json"];
    if shows_dots {
        expected.insert(0, ".zgroup");
    }
    assert_eq!(files, expected, "{server}");
    let mut expected = FOLDERS.to_vec();
    expected.push(LONG);
    expected.sort_unstable();
    assert_eq!(folders, expected, "{server}");
}

#[test]
fn pages_of_real_servers_are_listed() {
    macro_rules! page {
        ($name:literal) => {
            include_str!(concat!(env!("PROJECT_FOLDER"), "/tests/fixtures/listings/", $name))
        };
    }
    check("nginx", page!("nginx.html"), false);
    check("nginx json", page!("nginx.json"), false);
    check("apache", page!("apache.html"), true);
    check("apache table", page!("apache-table.html"), true);
    check("lighttpd", page!("lighttpd.html"), false);
    check("caddy", page!("caddy.html"), true);
    check("python", page!("python.html"), true);
    check("http-server", page!("http-server.html"), true);
}

#[test]
fn pages_that_are_not_listings_are_rejected() {
    for page in [
        "",
        "{}",
        "<!doctype html><title>My viewer</title><a href='app.js'>x</a>",
        "<ListBucketResult></ListBucketResult>",
        "[1, 2]",
        "<title>Index",
    ] {
        assert_eq!(listed(page), None, "{page}");
    }
    let page = "<title>Index of /</title><a href='a/'>a</a>";
    assert!(entries(&response("http://other/data.zarr/", page), "http://host").is_none());
}

#[test]
fn links_to_other_places_are_ignored() {
    let page = "<title>Index of /</title><a href='/data.zarr/b/'>b</a><a href=\"http://host/data.zarr/c\">c</a>
        <a href='../x'>x</a><a href='http://other/data.zarr/y'>y</a><a href='?C=N'>n</a><a href='a/b'>deep</a>
        <a href='%2e%2e/'>up</a><a href='%2e'>here</a><a href='/data.zarr/'>itself</a><a name='no'>no</a><a href='#top'>top</a>";
    assert_eq!(listed(page), Some((vec!["c".to_owned()], vec!["b".to_owned()])));
}

const ROOT_LIST: &str = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">
    <Name>data.zarr</Name><Prefix></Prefix><IsTruncated>true</IsTruncated><NextContinuationToken>t+1</NextContinuationToken>
    <Contents><Key>zarr.json</Key><Size>2</Size></Contents><Contents><Key>mark/</Key></Contents>
    <CommonPrefixes><Prefix>a&amp;b/</Prefix></CommonPrefixes></ListBucketResult>";
const SECOND: &str =
    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>../evil</Key></Contents>
    <CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes></ListBucketResult>";

fn path(text: &str) -> NodePath {
    NodePath::parse_any(text).unwrap()
}

#[test]
fn a_bucket_is_found_and_read_page_by_page() {
    let scene = Scene::new();
    let first = "GET ?list-type=2&prefix=&delimiter=%2F no-store";
    scene.then(first, respond(200, ROOT_LIST.as_bytes(), &[]));
    scene.then(first, respond(200, ROOT_LIST.as_bytes(), &[]));
    let second = "GET ?list-type=2&prefix=&delimiter=%2F&continuation-token=t%2B1 no-store";
    scene.then(second, respond(200, SECOND.as_bytes(), &[]));
    assert!(!scene.store.is_known_to_list());
    let listing = scene.finish(block_on(scene.store.list_dir(&NodePath::root()))).unwrap();
    assert_eq!(listing.keys, [StoreKey::parse("zarr.json").unwrap()]);
    // The mark of a folder is no key; a folder that holds only its mark is empty.
    assert_eq!(listing.prefixes, [path("a&b"), path("c")]);
    assert!(scene.store.is_known_to_list());

    let all = "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a/c/0</Key></Contents><Contents><Key>ab/c</Key></Contents></ListBucketResult>";
    scene.then("GET ?list-type=2&prefix=a%2F no-store", respond(200, all.as_bytes(), &[]));
    let keys = scene.finish(block_on(scene.store.list_prefix(&path("a")))).unwrap();
    assert_eq!(keys, [StoreKey::parse("a/c/0").unwrap()]);
}

#[test]
fn a_listing_whose_continuation_repeats_is_an_error() {
    let scene = Scene::new();
    for _ in 0..2 {
        scene
            .then("GET ?list-type=2&prefix=&delimiter=%2F no-store", respond(200, ROOT_LIST.as_bytes(), &[]));
    }
    let second = "GET ?list-type=2&prefix=&delimiter=%2F&continuation-token=t%2B1 no-store";
    scene.then(second, respond(200, ROOT_LIST.as_bytes(), &[]));
    let error = scene.finish(block_on(scene.store.list_dir(&NodePath::root()))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
}

/// What an emulator of S3 answered, page by page.
#[test]
fn answers_of_an_s3_server_are_parsed() {
    let pages = [
        include_str!(concat!(env!("PROJECT_FOLDER"), "/tests/fixtures/listings/moto-first.xml")),
        include_str!(concat!(env!("PROJECT_FOLDER"), "/tests/fixtures/listings/moto-last.xml")),
    ];
    let [first, last] = pages.map(|page| s3::ListResponse::parse(page).unwrap());
    assert!(matches!(first.next(), Some(s3::Next::Token(_))));
    assert_eq!(last.next(), None);
    let mut listing = Listing::default();
    for answer in [first, last] {
        answer.add_to(&mut listing, "data.zarr/", "data.zarr/");
    }
    assert_eq!(listing.keys, [".zgroup", "x?y", "zarr.json"].map(|key| StoreKey::parse(key).unwrap()));
    let mut expected: Vec<_> = FOLDERS.iter().chain([&LONG]).map(|name| path(name)).collect();
    expected.sort();
    listing.prefixes.sort();
    assert_eq!(listing.prefixes, expected);
}

#[test]
fn answers_of_s3_version_1_and_azure_are_parsed() {
    let first = s3::ListResponse::parse(
        "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>b</Key></Contents><Contents><Key>c</Key></Contents></ListBucketResult>",
    );
    assert_eq!(first.unwrap().next(), Some(s3::Next::After("c".to_owned())));
    let azure = s3::ListResponse::parse(
        "<EnumerationResults><Blobs><Blob><Name>d/zarr.json</Name></Blob><BlobPrefix><Name>d/a/</Name></BlobPrefix></Blobs><NextMarker>m</NextMarker></EnumerationResults>",
    )
    .unwrap();
    assert_eq!(azure.next(), Some(s3::Next::Marker("m".to_owned())));
    let mut listing = Listing::default();
    azure.add_to(&mut listing, "d/", "d/");
    assert_eq!(
        (listing.keys, listing.prefixes),
        (vec![StoreKey::parse("zarr.json").unwrap()], vec![path("a")])
    );
    assert_eq!(s3::ListResponse::parse("<Error><Code>NoSuchBucket</Code></Error>"), None);
}

#[test]
fn buckets_are_found_by_the_form_of_the_url() {
    let of = |url: &str| candidates(&RootUrl::parse(url).unwrap());
    let bucket = |path: &str, prefix: &str| Bucket {
        path: path.to_owned(),
        prefix: prefix.to_owned(),
        kind: BucketKind::S3,
    };
    assert_eq!(of("s3://bucket/a b/c"), [bucket("", "a b/c/")]);
    assert_eq!(of("https://bucket.s3.eu-west-1.amazonaws.com"), [bucket("", "")]);
    assert_eq!(of("https://minio:9000/bucket/a%20b"), [bucket("bucket", "a b/"), bucket("", "bucket/a b/")]);
    assert_eq!(of("http://host:1"), [bucket("", "")]);
    let azure = of("https://account.blob.core.windows.net/container/a?sig=x");
    assert_eq!(azure, [Bucket { kind: BucketKind::Azure, ..bucket("container", "a/") }]);
}

#[test]
fn a_server_that_cannot_list_is_asked_once() {
    let scene = Scene::new();
    for request in [
        "GET ?list-type=2&prefix=&delimiter=%2F no-store",
        "HOST ?list-type=2&prefix=data%2Ezarr%2F&delimiter=%2F no-store",
        "GET  no-store",
    ] {
        scene.then(request, respond(404, b"", &[]));
    }
    for _ in 0..2 {
        let error = scene.finish(block_on(scene.store.list_dir(&NodePath::root()))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("this store cannot list; open by path"));
    }
    assert!(!block_on(scene.store.can_list()).unwrap());
}
