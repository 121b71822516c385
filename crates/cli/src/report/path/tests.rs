use super::*;

#[test]
fn a_path_is_short_below_the_base_and_whole_elsewhere() {
    let cases = [
        ("/work/skills/a/SKILL.md", "skills/a/SKILL.md"),
        ("/work", "/work"),
        ("/works/a", "/works/a"),
        ("/work/../etc/passwd", "/work/../etc/passwd"),
        ("SKILL.md", "SKILL.md"),
        ("/work/a\u{1b}[2J\nb", "a<U+001B>[2J<U+000A>b"),
        ("/home/ada/.claude/skills", "~/.claude/skills"),
        ("/home/adam/x", "/home/adam/x"),
        ("/home/ada/../adam/x", "/home/ada/../adam/x"),
    ];
    for (path, expected) in cases {
        assert_eq!(shown(Path::new(path), Path::new("/work"), Some(Path::new("/home/ada"))), expected);
    }
}

#[cfg(unix)]
#[test]
fn a_uri_keeps_only_unreserved_characters() {
    let cases = [
        ("skills/a/SKILL.md", "skills/a/SKILL.md"),
        ("my skills/50% #1?.md", "my%20skills/50%25%20%231%3F.md"),
        ("c:d/e", "c%3Ad/e"),
        ("größe/日本", "gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC"),
        ("./a/./b", "a/b"),
        ("../a", "../a"),
        ("", "./"),
        ("/a b/c:d", "file:///a%20b/c:d"),
    ];
    for (path, expected) in cases {
        assert_eq!(uri(Path::new(path)), expected, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_text_survive_in_a_uri() {
    use std::os::unix::ffi::OsStrExt as _;
    let path = Path::new(std::ffi::OsStr::from_bytes(b"a\xff\x1bb"));
    assert_eq!(uri(path), "a%FF%1Bb");
}

#[cfg(unix)]
#[test]
fn a_folder_ends_with_a_slash() {
    assert_eq!(folder_uri(Path::new("/work")), "file:///work/");
    assert_eq!(folder_uri(Path::new("/")), "file:///");
}
