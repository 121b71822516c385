//! Routing: which skills a request in plain words is about, and how sure that is.
