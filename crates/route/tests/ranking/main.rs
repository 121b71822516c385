//! Contracts of routing, by name.

mod buffer;
mod evaluation;
mod fragments;
mod library;
mod properties;
mod restriction;
mod search;
mod similar;
mod update;
