//! Lists the newest nodes of a branch of an Icechunk repository, and how many manifests each array
//! has:
//!
//! ```sh
//! cargo run --package zarr-wasm-icechunk --example list_nodes -- path/to/repository main
//! ```
//!
//! The crate says which file is needed next; reading it is the program's part.

use std::error::Error;
use std::path::Path;

use zarr_wasm_icechunk::{RefKind, Repo, Snapshot};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name the folder of a repository")?;
    let branch = arguments.next().unwrap_or_else(|| "main".to_owned());
    let folder = Path::new(&folder);

    let repo = Repo::parse(&std::fs::read(folder.join("repo"))?)?;
    let newest = repo.find(RefKind::Branch, &branch)?.ok_or("there is no such branch")?;
    let snapshot = Snapshot::parse(&std::fs::read(folder.join(format!("snapshots/{newest}")))?)?;
    for node in snapshot.nodes() {
        let node = node?;
        match snapshot.array(&node)? {
            Some(array) => print(&format!("{} array, manifests: {}", node.path, array.manifests.len())),
            None => print(&format!("{} group", node.path)),
        }
    }
    Ok(())
}

#[allow(clippy::print_stdout)]
fn print(line: &str) {
    println!("{line}");
}
