//! Pages about data sets, by their addresses: where their hosts have the files.
//!
//! People paste these addresses instead of that of the data. Most of these hosts let no other site
//! read their pages, so in a browser the address is all that shows the mistake.

use super::url::{split_around, split_before, split_scheme};

/// A host, or the end of one; a part of the address; and what to do.
const PAGES: [(&str, &str, &str); 8] = [
    ("github.com", "/", "GitHub has the files at raw.githubusercontent.com/OWNER/NAME/BRANCH/…"),
    ("huggingface.co", "/blob/", "write /resolve/ in place of /blob/"),
    ("huggingface.co", "/tree/", "write /resolve/ in place of /tree/"),
    ("zenodo.org", "/record", "Zenodo has files at zenodo.org/records/NUMBER/files/NAME"),
    ("doi.org", "/", "a DOI leads to a page about the data set"),
    ("source.coop", "/", "Source Cooperative has the files at data.source.coop/…"),
    ("console.aws.amazon.com", "/", "S3 has the files at BUCKET.s3.amazonaws.com/…"),
    ("console.cloud.google.com", "/", "Google Cloud has the files at storage.googleapis.com/BUCKET/…"),
];

/// Hosts of files whose names end like those of pages.
const FILES: [&str; 1] = ["data.source.coop"];

/// What to do with the address of a page about a data set; empty for other addresses.
pub fn advice(url: &str) -> &'static str {
    let (_, rest) = split_scheme(url).unwrap_or_default();
    let (host, path) = split_before(rest, &['/']);
    let path = if path.is_empty() { "/" } else { path };
    let is_page = |(name, part, _): &&(&str, &str, &str)| {
        let before = host.strip_suffix(name);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            && split_around(path, part).is_some()
    };
    let page = PAGES.iter().find(is_page).filter(|_| !FILES.contains(&host));
    page.map_or("", |(_, _, advice)| advice)
}

/// Who answers at an address: a bucket, which has settings of its own, or a host.
pub fn server(url: &str) -> String {
    let (_, rest) = split_scheme(url).unwrap_or_default();
    let mut names = rest.split('/');
    let (host, first) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    if host == "storage.googleapis.com" {
        return format!("the bucket {first} of Google Cloud Storage");
    }
    match split_around(host, ".s3.").or_else(|| split_around(host, ".s3-")) {
        Some((bucket, aws)) if aws.ends_with("amazonaws.com") => format!("the S3 bucket {bucket}"),
        _ => host.to_owned(),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn pages_about_data_are_known_by_their_addresses() {
        for (url, part) in [
            ("https://github.com/o/n/blob/main/a.zarr", "raw.githubusercontent.com"),
            ("https://huggingface.co/datasets/o/n/tree/main/a.zarr", "/resolve/"),
            ("https://zenodo.org/records/10", "/files/"),
            ("https://doi.org/10.5281/zenodo.10", "a DOI"),
            ("https://www.source.coop/o/n", "data.source.coop"),
            ("https://us-east-1.console.aws.amazon.com/s3/buckets/b", "BUCKET.s3"),
            ("https://console.cloud.google.com/storage/browser/b", "storage.googleapis.com"),
        ] {
            assert!(advice(url).contains(part), "{url}: {}", advice(url));
        }
        for url in [
            "https://raw.githubusercontent.com/o/n/main/a.zarr",
            "https://huggingface.co/datasets/o/n/resolve/main/a.zarr",
            "https://data.source.coop/o/n/a.zarr",
            "https://notgithub.com/a.zarr",
            "https://o.github.io/a.zarr",
            "https://host",
            "",
        ] {
            assert_eq!(advice(url), "", "{url}");
        }
    }

    #[test]
    fn buckets_are_named() {
        for (url, name) in [
            (
                "https://storage.googleapis.com/gcp-public-data-arco-era5/ar/x.zarr",
                "gcp-public-data-arco-era5",
            ),
            ("https://b.s3.amazonaws.com/x", "the S3 bucket b"),
            ("https://b.s3-eu-west-1.amazonaws.com/x", "the S3 bucket b"),
            ("https://host:81/x", "host:81"),
        ] {
            assert!(server(url).contains(name), "{url}: {}", server(url));
        }
    }
}
