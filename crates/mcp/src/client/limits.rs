//! Limits on servers. Reaching one is reported.

use std::time::Duration;

/// From the start to the list of tools, by default.
pub const STARTUP: Duration = Duration::from_secs(30);
/// The longest start that a skill can ask for.
pub const STARTUP_MOST: Duration = Duration::from_mins(10);
/// Without a call for this long a server is stopped, by default.
pub const IDLE: Duration = Duration::from_mins(5);
/// The longest idle time that a skill can ask for.
pub const IDLE_MOST: Duration = Duration::from_hours(24);
/// One call of a tool.
pub const CALL: Duration = Duration::from_mins(1);
/// A server whose start failed is not tried again for this long, so that a turn does not wait for it anew.
pub const RETRY_PAUSE: Duration = Duration::from_secs(30);
/// After its input was closed, and again after it was asked to end, a process gets this long.
pub const STOP_GRACE: Duration = Duration::from_secs(2);
/// Calls in a row that ran out of time after which a server counts as hung.
pub const TIMEOUTS_IN_A_ROW: u32 = 2;

/// One message of a server of tools.
pub const MESSAGE_BYTES: usize = 8 << 20;
/// One message of a server of skills: a file of 16 MiB as base64, with room for its envelope.
pub const SKILL_MESSAGE_BYTES: usize = 32 << 20;
/// Unrequested messages between two requests of ours.
pub const UNASKED_MESSAGES: u64 = 10_000;
/// Lines that are not messages, over the life of a connection.
pub const NOISE_LINES: u64 = 10_000;

/// Pages of a list.
pub const PAGES: usize = 64;
/// Tools of one server.
pub const TOOLS: usize = 256;
/// The schema of a tool, as JSON.
pub const SCHEMA_BYTES: usize = 64 << 10;
/// The description of a tool; the rest is cut.
pub const DESCRIPTION_BYTES: usize = 8 << 10;
/// The name of a tool, as its server writes it.
pub const RAW_NAME_BYTES: usize = 128;
/// The name of a tool, as models see it.
pub const NAME_CHARS: usize = 64;
/// The text of a result; the rest is cut.
pub const OUTPUT_BYTES: usize = 256 << 10;
/// Of what a server writes to stderr, the end is kept for the diagnostic.
pub const STDERR_BYTES: usize = 4 << 10;
/// Text of a server inside a message of ours.
pub const QUOTE_CHARS: usize = 400;
/// Diagnostics of one kind about one list; more are counted.
pub const DIAGNOSTICS: usize = 16;

/// Skills of one server.
pub const SKILLS: usize = 10_000;
/// Files of one skill that SEP-2640 makes every agent accept.
pub const SKILL_FILES: usize = 512;
/// Bytes of one skill that SEP-2640 makes every agent accept.
pub const SKILL_BYTES: u64 = 16 << 20;
