//! Determines the kind of a file, by its content first and its name second.

/// How a file is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Markdown: prose, code blocks, hidden parts.
    Markdown,
    /// A shell script.
    Shell,
    /// Python.
    Python,
    /// JavaScript or TypeScript.
    JavaScript,
    /// Another language, of which only the text is judged.
    OtherCode,
    /// JSON, YAML, TOML and the like.
    Data,
    /// A page for a browser.
    Html,
    /// Any other text.
    Text,
    /// Not text; with a description.
    Opaque(&'static str),
    /// Not text, and neither run nor read by a model: images, fonts, sound.
    Media(&'static str),
}

impl FileKind {
    /// Whether the file is a program.
    pub(crate) fn is_code(self) -> bool {
        matches!(self, Self::Shell | Self::Python | Self::JavaScript | Self::OtherCode)
    }
}

/// First bytes of formats that are not text.
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
    (b"\xd0\xcf\x11\xe0", "an Office file that may contain macros", true),
    (b"%PDF", "a PDF file", true),
    (b"SQLite format 3", "a database", true),
    (b"!<arch>", "an archive (ar)", true),
    (b"\x89PNG", "an image (PNG)", false),
    (b"\xff\xd8\xff", "an image (JPEG)", false),
    (b"GIF8", "an image (GIF)", false),
    (b"RIFF", "an image or sound (RIFF)", false),
    (b"\0\0\x01\0", "an image (ICO)", false),
    (b"wOFF", "a font", false),
    (b"wOF2", "a font", false),
    (b"\0\x01\0\0", "a font", false),
    (b"OTTO", "a font", false),
];

/// Extensions of media files.
const MEDIA: [&str; 16] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "woff", "woff2", "ttf", "otf", "mp3", "mp4", "wav",
    "tiff", "avif",
];

/// Extensions of files whose programs may run their content, whatever the first bytes are.
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

/// The extension of a path, in lower case.
pub(crate) fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// The format of bytes that are not text: its description, and whether it is opaque.
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

/// The kind of a file.
pub(crate) fn kind(path: &str, bytes: &[u8]) -> FileKind {
    let ending = ending(path);
    if let Some((_, what)) = OPAQUE_ENDINGS.iter().find(|(known, _)| *known == ending) {
        return FileKind::Opaque(what);
    }
    if let Some((what, opaque)) = magic(bytes) {
        return if opaque { FileKind::Opaque(what) } else { FileKind::Media(what) };
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() {
        return match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                FileKind::Opaque("text in UTF-16, which programs read differently")
            }
            _ if MEDIA.contains(&ending.as_str()) => FileKind::Media("media"),
            _ => FileKind::Opaque("not UTF-8 text"),
        };
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    match ending.as_str() {
        "md" | "mdx" | "markdown" | "mdc" | "rmd" | "qmd" => FileKind::Markdown,
        "sh" | "bash" | "zsh" | "command" | "ksh" | "mk" | "bats" | "tool" => FileKind::Shell,
        "py" | "pyw" | "pyi" => FileKind::Python,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => FileKind::JavaScript,
        "ps1" | "psm1" | "bat" | "cmd" | "vbs" | "rb" | "pl" | "php" | "lua" | "go" | "rs" | "java" | "c"
        | "cpp" | "h" | "swift" | "kt" | "scpt" | "applescript" | "r" | "jl" | "awk" | "fish" | "sql"
        | "tcl" | "cs" | "csx" | "fsx" | "fs" | "vb" | "kts" | "groovy" | "gradle" | "scala" | "sc"
        | "clj" | "cljs" | "bb" | "exs" | "ex" | "erl" | "hs" | "nim" | "cr" | "dart" | "zig" | "m"
        | "mm" | "ml" | "lisp" | "el" | "vim" | "coffee" | "psd1" | "wsf" | "hta" | "jse" | "vbe" | "nu"
        | "ahk" | "au3" | "raku" | "pm" | "cc" | "hpp" => FileKind::OtherCode,
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "jsonc" | "plist" | "xml" | "csv" | "lock"
        | "env" | "ipynb" | "json5" | "conf" | "properties" | "tf" | "hcl" | "tfvars" | "nix" | "service"
        | "desktop" | "timer" => FileKind::Data,
        "html" | "htm" | "svg" | "xhtml" | "vue" | "svelte" => FileKind::Html,
        _ => by_first_line(name, bytes),
    }
}

fn by_first_line(name: &str, bytes: &[u8]) -> FileKind {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default();
    if let Some(program) = line.strip_prefix("#!") {
        return match program {
            p if p.contains("python") || p.contains("uv run") => FileKind::Python,
            p if p.contains("node") || p.contains("bun") || p.contains("deno") => FileKind::JavaScript,
            p if p.contains("sh") => FileKind::Shell,
            _ => FileKind::OtherCode,
        };
    }
    match name {
        "Makefile" | "Dockerfile" | "Justfile" | "justfile" | ".bashrc" | ".zshrc" | ".profile"
        | ".bash_profile" | ".envrc" => FileKind::Shell,
        "AGENTS" | "CLAUDE" | ".cursorrules" | ".windsurfrules" | ".clinerules" | "README" => {
            FileKind::Markdown
        }
        _ => FileKind::Text,
    }
}
