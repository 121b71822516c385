//! The agent at a terminal: from the configuration to a world, from events to lines, from a person to
//! answers. What an agent does is said by `skillful_agent`; here is only how it meets this machine.

pub(crate) mod models;
