//! A command line: words for the system, or text for a shell.

/// Characters that mean something to a shell outside quotes.
const SHELL: &str = "$`|&;<>()*?[]{}~!#\n=";

/// The program and arguments of a command line. A line that is only words is started as it stands; one that
/// needs a shell (`cd x && ./y`, `$HOME/z`) is given to one. `None` when it holds no word.
pub(crate) fn split(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    Some(plain(line).unwrap_or_else(|| ["sh", "-c", line].map(str::to_owned).to_vec()))
}

/// The words, if no shell is needed to find them.
fn plain(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match characters.next()? {
                            c @ ('"' | '\\') => word.push(c),
                            _ => return None,
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            // `--option=value` is a word; `NAME=value` before the program is for a shell.
            '=' if !words.is_empty() => word.get_or_insert_default().push(c),
            c if SHELL.contains(c) => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_a_shell_is_given_to_one() {
        for (line, expected) in [
            ("npx -y @x/server", &["npx", "-y", "@x/server"][..]),
            ("  'my server' \"a \\\" b\" c\\ d --x=1 '' ", &["my server", "a \" b", "c d", "--x=1", ""]),
            ("cd x && ./y", &["sh", "-c", "cd x && ./y"]),
            ("X=1 node a.js", &["sh", "-c", "X=1 node a.js"]),
            ("node \"$HOME/a.js\"", &["sh", "-c", "node \"$HOME/a.js\""]),
            ("~/bin/server", &["sh", "-c", "~/bin/server"]),
            ("node 'unclosed", &["sh", "-c", "node 'unclosed"]),
        ] {
            assert_eq!(split(line).unwrap(), expected, "{line}");
        }
        assert_eq!(split("  \t "), None);
    }
}
