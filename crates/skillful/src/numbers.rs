//! Numbers as a user reads them.

/// A number of things: `1 skill`, `1,200 skills`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// How much was searched for a skill that was not found.
pub(crate) fn searched(skills: usize, folders: usize) -> String {
    let verb = if skills == 1 { "was" } else { "were" };
    format!("{} in {} {verb} searched", count(skills, "skill"), count(folders, "folder"))
}

/// A number with a comma between thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
