//! Each rule of the policy against a transport that plays a script: the request it expects, the answer it gives.

mod ranges;
pub(super) mod script;
mod sending;
mod statuses;
mod suffixes;
mod writing;
