//! Every method, capability and tool name of the protocol that we speak, in one place.

/// How we call ourselves.
pub const SERVER: &str = "skillful";

/// The Skills extension, SEP-2640.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";
/// The setting of the extension that promises [`method::DIRECTORY_READ`].
pub const DIRECTORY_READ_SETTING: &str = "directoryRead";

/// Methods that we write ourselves: those of the extension, and those whose answers we read before `rmcp`
/// does.
pub mod method {
    /// The tools of a server, by page.
    pub const TOOLS_LIST: &str = "tools/list";
    /// One resource.
    pub const RESOURCES_READ: &str = "resources/read";
    /// All skills, by page.
    pub const SKILLS_LIST: &str = "skills/list";
    /// One skill by the address of its SKILL.md.
    pub const SKILLS_GET: &str = "skills/get";
    /// The direct children of a folder.
    pub const DIRECTORY_READ: &str = "resources/directory/read";
}

/// Our tools.
pub mod tool {
    /// Loads a skill.
    pub const USE_SKILL: &str = "use_skill";
    /// Reads one file of a skill.
    pub const READ_SKILL_FILE: &str = "read_skill_file";
    /// Lists skills.
    pub const LIST_SKILLS: &str = "list_skills";
    /// Finds skills by the task.
    pub const SEARCH_SKILLS: &str = "search_skills";
    /// Goes on to another skill.
    pub const SKILL_TRANSITION: &str = "skill_transition";
    /// Proposes skills, and lists, shows and takes back what was proposed.
    pub const SKILL_MANAGEMENT: &str = "skill_management";
}

/// The file that makes a folder a skill, as the extension spells it.
pub const SKILL_FILE: &str = "SKILL.md";
/// The text in place of a list, for a skill whose files are not listed.
pub const DYNAMIC: &str = "dynamic";
/// The kind of a SKILL.md.
pub const MARKDOWN: &str = "text/markdown";
/// The kind of a folder.
pub const DIRECTORY: &str = "inode/directory";
/// Files of one skill that every agent must take.
pub const FILES_LIMIT: usize = 512;
/// Bytes of one skill that every agent must take.
pub const BYTES_LIMIT: u64 = 16 << 20;
