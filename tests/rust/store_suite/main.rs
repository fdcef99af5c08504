//! One suite for every store: the sentences of the text's "Abstract store interface", a test each,
//! and random sequences of operations against a map. Each runs on memory, every wrapper, every
//! transformer and stores that offer only half of the operations. What the sharding transformer
//! does besides has its own file.

mod sentences;
mod sequences;
mod sharding;
mod stores;

use libtest_mimic::{Arguments, Failed, Trial};

/// What goes wrong in a test.
type Outcome = Result<(), String>;

/// A test by name.
type Test = (&'static str, fn() -> Outcome);

fn trial(name: String, run: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::test(name, move || run().map_err(Failed::from))
}

fn main() {
    let mut trials = Vec::new();
    for made in stores::STORES {
        for (name, sentence) in sentences::SENTENCES {
            trials.push(trial(format!("{}::{name}", made.name), move || sentence(&made.subject())));
        }
        trials.push(trial(format!("{}::random_sequences", made.name), move || sequences::run(made)));
    }
    for (name, run) in sharding::TESTS {
        trials.push(trial(format!("sharding::{name}"), *run));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
