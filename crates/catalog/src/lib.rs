//! Many skills.
