//! Scripts of sed and awk that are proven to run no program and to write no file.

/// Commands of sed that take nothing after them.
const SED_PLAIN: &str = "pdDPnNgGhHx=qQlzF";

/// Whether a script of sed only edits its input: no `e`, `w`, `W`, `r`, `R`, and no `s///e` or `s///w`.
pub(super) fn sed(script: &str) -> bool {
    let mut rest = Rest(script);
    loop {
        rest.skip(|c| c.is_ascii_whitespace() || c == ';' || c == '}');
        if rest.0.is_empty() {
            return true;
        }
        if rest.address().is_none() {
            return false;
        }
        rest.skip(|c| c == ' ' || c == '!');
        let Some(command) = rest.next() else { return false };
        let known = match command {
            '{' => continue,
            's' => rest.two_parts().is_some_and(|()| {
                rest.skip(|c| "gpiIm".contains(c) || c.is_ascii_digit());
                true
            }),
            'y' => rest.two_parts().is_some(),
            'b' | 't' | 'T' | ':' => {
                rest.skip(|c| c == ' ');
                rest.skip(|c| c.is_ascii_alphanumeric() || c == '_');
                true
            }
            'q' | 'Q' | 'l' => {
                rest.skip(|c| c == ' ' || c.is_ascii_digit());
                true
            }
            _ => SED_PLAIN.contains(command),
        };
        rest.skip(|c| c == ' ');
        if !known || !(rest.0.is_empty() || rest.0.starts_with([';', '\n', '}'])) {
            return false;
        }
    }
}

struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.0.chars().next()?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    fn skip(&mut self, is: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(is);
    }

    /// An address or two, or none.
    fn address(&mut self) -> Option<()> {
        for second in [false, true] {
            if second {
                if !self.0.starts_with(',') {
                    break;
                }
                self.next();
            }
            if self.0.starts_with(['$']) {
                self.next();
            } else if self.0.starts_with('/') {
                self.next();
                self.part('/')?;
                self.skip(|c| c == 'I' || c == 'M');
            } else {
                self.skip(|c| c.is_ascii_digit() || c == '~' || c == '+');
            }
        }
        Some(())
    }

    /// The two parts of `s` and `y`, with any delimiter.
    fn two_parts(&mut self) -> Option<()> {
        let delimiter = self.next().filter(|c| !c.is_alphanumeric() && !"\\\n ;".contains(*c))?;
        self.part(delimiter)?;
        self.part(delimiter)
    }

    /// Text up to a delimiter. A bracket that is open at the delimiter is refused, since seds differ there.
    fn part(&mut self, delimiter: char) -> Option<()> {
        let mut bracket = false;
        loop {
            match self.next()? {
                c if c == delimiter => return (!bracket).then_some(()),
                '\\' => {
                    self.next()?;
                }
                '[' => bracket = true,
                ']' => bracket = false,
                _ => {}
            }
        }
    }
}

/// Whether a program of awk only prints: no pipe, no file, no call of a program, no library.
pub(super) fn awk(program: &str) -> bool {
    let text = program.to_lowercase();
    !text.contains(['|', '>', '@'])
        && !["system", "getline", "close", "fflush"].iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seds_that_edit_are_proven_and_seds_that_run_or_write_are_not() {
        for good in [
            "p",
            "1p",
            "1,5p",
            "$d",
            "/a/,/b/p",
            "10q",
            "s/a/b/",
            "s/a/b/g",
            "s|a/b|c|gp",
            "s/\\//-/2",
            "/x/!d",
            "s/a/b/;s/c/d/",
            "1d;$d",
            "y/abc/ABC/",
            "/a/{s/b/c/;p}",
            ":a;N;$!ba;s/\\n/ /g",
            "s/[[:space:]]*$//",
            "=",
            "0~3p",
            "1,+2p",
            "/a/Ip",
            "$!N",
            "s/we/ew/",
            "",
        ] {
            assert!(sed(good), "{good}");
        }
        for bad in [
            "1e id",
            "e",
            "1e",
            "w out",
            "s/a/b/w out",
            "s/a/b/e",
            "s/a/id/ge",
            "W out",
            "r /etc/passwd",
            "R x",
            "s/a/b/\nw x",
            "1!e id",
            "/a/e id",
            "s/a/b/;e id",
            "{e id\n}",
            "s,a,b,e",
            "a\\\nx",
            "i x",
            "c x",
            "s/[/]/b/;s/x/e/e",
            "s/a/b",
            "s/a",
            "/a",
            "sxaxbx",
            "v 4.2\ne",
            "p;w x",
            "s/a/b/we",
            "}e id",
            "\\,a,e id",
            "1~2e",
            "s/a/b/pe",
            "y/a/b/e",
        ] {
            assert!(!sed(bad), "{bad}");
        }
    }

    #[test]
    fn awks_that_print_are_proven_and_awks_that_run_or_write_are_not() {
        for good in ["{print $1}", "NR==3", "/a/ {n++} END {print n}", "{s+=$1} END {printf \"%d\\n\", s}"] {
            assert!(awk(good), "{good}");
        }
        for bad in [
            "BEGIN{system(\"id\")}",
            "{print | \"sh\"}",
            "{print > \"x\"}",
            "BEGIN{\"id\" | getline}",
            "@load \"x\"",
            "{print >> \"x\"}",
            "BEGIN{f=\"system\"; @f(\"id\")}",
            "{getline < \"/etc/passwd\"}",
            "{print |& \"id\"}",
        ] {
            assert!(!awk(bad), "{bad}");
        }
    }
}
