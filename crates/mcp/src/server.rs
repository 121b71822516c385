//! Skills for any agent: tools, prompts, resources and the Skills extension (SEP-2640).
