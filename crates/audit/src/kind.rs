//! What a file is, by its content first and its name second.

/// How a file is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Markdown: prose, code blocks, hidden parts.
    Markdown,
    /// A shell script.
    Shell,
    /// Python.
    Python,
    /// JavaScript or TypeScript.
    JavaScript,
    /// Another language of which only the text is judged.
    OtherCode,
    /// JSON, YAML, TOML and the like.
    Data,
    /// A page that a browser shows.
    Html,
    /// Anything else that is text.
    Text,
    /// Not text; what it is.
    Opaque(&'static str),
    /// Not text, and neither run nor read by a model: pictures, fonts, sound.
    Media(&'static str),
}

/// First bytes of formats that are no text.
const MAGIC: [(&[u8], &str, bool); 27] = [
    (b"\x7fELF", "a program (ELF)", true),
    (b"MZ", "a program (Windows)", true),
    (b"\xcf\xfa\xed\xfe", "a program (Mach-O)", true),
    (b"\xce\xfa\xed\xfe", "a program (Mach-O)", true),
    (b"\xca\xfe\xba\xbe", "a program (Mach-O or Java)", true),
    (b"\0asm", "a program (WebAssembly)", true),
    (b"PK\x03\x04", "an archive (zip, Office or Java)", true),
    (b"PK\x05\x06", "an archive (zip)", true),
    (b"\x1f\x8b", "compressed data (gzip)", true),
    (b"BZh", "compressed data (bzip2)", true),
    (b"\xfd7zXZ", "compressed data (xz)", true),
    (b"\x28\xb5\x2f\xfd", "compressed data (zstd)", true),
    (b"7z\xbc\xaf", "an archive (7z)", true),
    (b"Rar!", "an archive (rar)", true),
    (b"\xd0\xcf\x11\xe0", "an Office file that may hold macros", true),
    (b"%PDF", "a PDF file", true),
    (b"SQLite format 3", "a database", true),
    (b"!<arch>", "an archive (ar)", true),
    (b"\x89PNG", "a picture (PNG)", false),
    (b"\xff\xd8\xff", "a picture (JPEG)", false),
    (b"GIF8", "a picture (GIF)", false),
    (b"RIFF", "a picture or sound (RIFF)", false),
    (b"\0\0\x01\0", "a picture (ICO)", false),
    (b"wOFF", "a font", false),
    (b"wOF2", "a font", false),
    (b"\0\x01\0\0", "a font", false),
    (b"OTTO", "a font", false),
];

/// Endings whose content is media.
const MEDIA: [&str; 16] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "woff", "woff2", "ttf", "otf", "mp3", "mp4", "wav",
    "tiff", "avif",
];

/// Endings that are opened by programs that may run what is inside, whatever the first bytes are.
const OPAQUE_ENDINGS: [(&str, &str); 12] = [
    ("pkl", "a pickle, which runs code when it is read"),
    ("pickle", "a pickle, which runs code when it is read"),
    ("pyc", "compiled Python"),
    ("pyo", "compiled Python"),
    ("class", "compiled Java"),
    ("jar", "an archive (Java)"),
    ("whl", "an archive (Python)"),
    ("docm", "an Office file with macros"),
    ("xlsm", "an Office file with macros"),
    ("pptm", "an Office file with macros"),
    ("pt", "a model file, which may run code when it is read"),
    ("joblib", "a pickle, which runs code when it is read"),
];

/// The ending of a path, lower case.
pub(crate) fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// What the bytes are, when they are a format that is no text: its name, and whether it is opaque.
pub(crate) fn magic(bytes: &[u8]) -> Option<(&'static str, bool)> {
    if bytes.len() > 261 && bytes[257..].starts_with(b"ustar") {
        return Some(("an archive (tar)", true));
    }
    MAGIC
        .iter()
        .find(|(magic, ..)| bytes.starts_with(magic))
        // Text may begin with these two letters.
        .filter(|(magic, ..)| *magic != b"MZ" || bytes.iter().take(64).any(|byte| *byte == 0))
        .filter(|(magic, ..)| *magic != b"BZh" || std::str::from_utf8(bytes).is_err())
        .map(|(_, name, opaque)| (*name, *opaque))
}

/// What a file is.
pub(crate) fn kind(path: &str, bytes: &[u8]) -> Kind {
    let ending = ending(path);
    if let Some((_, what)) = OPAQUE_ENDINGS.iter().find(|(known, _)| *known == ending) {
        return Kind::Opaque(what);
    }
    if let Some((what, opaque)) = magic(bytes) {
        return if opaque { Kind::Opaque(what) } else { Kind::Media(what) };
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() {
        return match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                Kind::Opaque("text in UTF-16, which readers take for different text")
            }
            _ if MEDIA.contains(&ending.as_str()) => Kind::Media("media"),
            _ => Kind::Opaque("not UTF-8 text"),
        };
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    match ending.as_str() {
        "md" | "mdx" | "markdown" | "mdc" => Kind::Markdown,
        "sh" | "bash" | "zsh" | "command" | "ksh" => Kind::Shell,
        "py" | "pyw" | "pyi" => Kind::Python,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Kind::JavaScript,
        "ps1" | "psm1" | "bat" | "cmd" | "vbs" | "rb" | "pl" | "php" | "lua" | "go" | "rs" | "java" | "c"
        | "cpp" | "h" | "swift" | "kt" | "scpt" | "applescript" | "r" | "jl" | "awk" | "fish" | "sql"
        | "tcl" | "cs" => Kind::OtherCode,
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "jsonc" | "plist" | "xml" | "csv" | "lock"
        | "env" | "ipynb" | "json5" | "conf" | "properties" => Kind::Data,
        "html" | "htm" | "svg" | "xhtml" | "vue" | "svelte" => Kind::Html,
        _ => by_first_line(name, bytes),
    }
}

fn by_first_line(name: &str, bytes: &[u8]) -> Kind {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default();
    if let Some(program) = line.strip_prefix("#!") {
        return match program {
            p if p.contains("python") || p.contains("uv run") => Kind::Python,
            p if p.contains("node") || p.contains("bun") || p.contains("deno") => Kind::JavaScript,
            p if p.contains("sh") => Kind::Shell,
            _ => Kind::OtherCode,
        };
    }
    match name {
        "Makefile" | "Dockerfile" | "Justfile" | "justfile" | ".bashrc" | ".zshrc" | ".profile"
        | ".bash_profile" | ".envrc" => Kind::Shell,
        "AGENTS" | "CLAUDE" | ".cursorrules" | ".windsurfrules" | ".clinerules" | "README" => Kind::Markdown,
        _ => Kind::Text,
    }
}
