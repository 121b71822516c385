//! Reads JSON with comments and with commas before a closing bracket, as configuration files often
//! have.

#[cfg(test)]
mod tests;

/// The same text as plain JSON; with `commas`, commas before a closing bracket are removed too.
pub(super) fn plain(text: &str, commas: bool) -> String {
    let mut out: Vec<char> = Vec::with_capacity(text.len());
    let mut chars = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    // A comma that is removed if the next character is a closing bracket.
    let mut comma: Option<usize> = None;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                comma = None;
                out.push(c);
                while let Some(inner) = chars.next() {
                    out.push(inner);
                    match inner {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut last = ' ';
                chars.next();
                for inner in chars.by_ref() {
                    if inner == '\n' {
                        out.push(inner);
                    }
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
            }
            (']' | '}', _) => {
                if let Some(at) = comma.take().filter(|_| commas) {
                    out[at] = ' ';
                }
                out.push(c);
            }
            (',', _) => {
                comma = Some(out.len());
                out.push(c);
            }
            _ => {
                if !c.is_whitespace() {
                    comma = None;
                }
                out.push(c);
            }
        }
    }
    out.into_iter().collect()
}
