//! Every limit of the audit, so that a hostile skill cannot make it slow or large.

/// Bytes of one file that are read; the rest of a longer file is reported as not scanned.
pub const FILE_BYTES: usize = 1 << 20;
/// Depth of archives inside archives that are opened.
pub const INSIDE_DEPTH: usize = 2;
/// Files of an archive that is inspected.
pub const INSIDE_FILES: usize = 500;
/// Bytes of an archive that is inspected, packed and unpacked.
pub const INSIDE_BYTES: u64 = 4 << 20;
/// Bytes of all files together that are read.
pub const TOTAL_BYTES: usize = 16 << 20;
/// Maximum nesting of substitutions that is followed.
pub const SHELL_NESTING: usize = 6;
/// Simple commands of one piece of shell that are judged.
pub const SHELL_COMMANDS: usize = 4_000;
/// Nodes of a syntax tree that are visited in one pass.
pub const SCRIPT_NODES: usize = 200_000;
/// Maximum depth of a syntax tree that is followed.
pub const SCRIPT_DEPTH: usize = 200;
/// Passes over a script, so that later definitions are known.
pub const SCRIPT_PASSES: usize = 3;
/// Findings of one rule in one file; more would add no information.
pub const SAME_FINDINGS: usize = 5;
/// Findings of one report.
pub const FINDINGS: usize = 500;
/// Characters of evidence.
pub const EVIDENCE: usize = 160;
/// A longer line was not written by hand.
pub const LINE_BYTES: usize = 20_000;
/// Entries of one kind of capability.
pub const CAPABILITIES: usize = 200;
/// Words of one sentence that are judged.
pub const SENTENCE_WORDS: usize = 120;
