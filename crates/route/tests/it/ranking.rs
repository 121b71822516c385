//! Contract of ranking; the name of a test is the behaviour it checks.

mod buffer;
mod evaluation;
mod fragments;
mod properties;
mod restriction;
mod search;
mod similar;
mod update;
