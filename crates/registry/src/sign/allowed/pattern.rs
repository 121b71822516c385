//! Patterns of OpenSSH: `*`, `?`, lists with commas, and `!` for what is excluded.

/// Whether a list has a pattern for the text and none that excludes it.
pub(super) fn is_in(text: &str, list: &str) -> bool {
    let mut found = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(left_out) if fits(text.as_bytes(), left_out.as_bytes()) => return false,
            Some(_) => {}
            None => found |= fits(text.as_bytes(), pattern.as_bytes()),
        }
    }
    found
}

/// In the worst case the product of both lengths: only the last `*` is ever tried again.
fn fits(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(from) {
            Some(b'*') => {
                star = Some((from, at));
                from += 1;
            }
            Some(&expected) if expected == b'?' || expected == text[at] => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((behind, tried)) = star else { return false };
                star = Some((behind, tried + 1));
                at = tried + 1;
                from = behind + 1;
            }
        }
    }
    pattern[from..].iter().all(|byte| *byte == b'*')
}
