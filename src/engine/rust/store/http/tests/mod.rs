//! Tests each rule of the policy with a transport that plays a script of expected requests and
//! answers.

mod ranges;
mod refusals;
pub(super) mod script;
mod sending;
mod sharing;
mod statuses;
mod suffixes;
mod web_pages;
mod writing;
