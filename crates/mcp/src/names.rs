//! Every method, capability and tool name of the protocol that we speak, in one place.
