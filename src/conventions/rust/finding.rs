//! Findings: mistakes in attributes, and notes about them. Attributes belong to the user, so
//! mistakes in them are findings, not errors.

pub use crate::records::{Finding, Severity};

/// The maximum number of findings of one convention. A broken writer makes the same mistake in each
/// of 10^5 entries.
const KEPT: usize = 200;

/// The findings of one convention.
#[derive(Debug)]
pub struct Report {
    convention: String,
    findings: Vec<Finding>,
    omitted: usize,
}

impl Report {
    /// No findings yet; `convention` begins the name of every rule.
    pub fn new(convention: &str) -> Self {
        Self { convention: convention.to_owned(), findings: Vec::new(), omitted: 0 }
    }

    /// Adds a finding.
    pub fn add(&mut self, severity: Severity, rule: &str, path: &str, message: impl Into<String>) {
        if self.findings.len() >= KEPT {
            self.omitted = self.omitted.saturating_add(1);
            return;
        }
        let rule = format!("{}/{rule}", self.convention);
        self.findings.push(Finding { rule, path: path.to_owned(), severity, message: message.into() });
    }

    /// Adds a finding that breaks a "must".
    pub fn error(&mut self, rule: &str, path: &str, message: impl Into<String>) {
        self.add(Severity::Error, rule, path, message);
    }

    /// Adds a finding that breaks a "should".
    pub fn warning(&mut self, rule: &str, path: &str, message: impl Into<String>) {
        self.add(Severity::Warning, rule, path, message);
    }

    /// Adds a note.
    pub fn info(&mut self, rule: &str, path: &str, message: impl Into<String>) {
        self.add(Severity::Info, rule, path, message);
    }

    /// Whether a finding has this message.
    pub fn says(&self, message: &str) -> bool {
        self.findings.iter().any(|finding| finding.message == message)
    }

    /// The first messages in one text, and the number of further ones; `None` without findings.
    pub fn summary(&self, most: usize) -> Option<String> {
        let sentences: Vec<_> =
            self.findings.iter().take(most).map(|finding| finding.message.as_str()).collect();
        let more = self.findings.len().saturating_sub(sentences.len()).saturating_add(self.omitted);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        (!sentences.is_empty()).then(|| format!("{}{more}", sentences.join("; ")))
    }

    /// All findings, and a note about findings that were left out.
    pub fn into_findings(mut self) -> Vec<Finding> {
        if self.omitted > 0 {
            let rule = format!("{}/more", self.convention);
            let message = format!("{} more findings are omitted", self.omitted);
            self.findings.push(Finding { rule, path: String::new(), severity: Severity::Info, message });
        }
        self.findings
    }
}
