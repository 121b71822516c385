//! Contracts 30, 31, 32 and 34 of the reference notes.

use crate::world::{World, call, from_store, lookup, ran, refused, run};
use secrecy::ExposeSecret;
use skillful_credentials::proxy::{KEY_VARIABLE, Reason, Reply, Request, RequestKind, TIMED_OUT};
use std::{collections::BTreeSet, fs, os::unix::fs::symlink, time::Duration};

const TOKEN: &str = "tok-0123456789-abcdef";
const OTHER: &str = "other-9876543210-fedcba";

/// Two skills with a secret each, and one without.
fn world() -> World {
    World::new()
        .skill("mail", &format!("env:\n{}{}", from_store("MAIL_TOKEN"), from_store("MAIL_ABSENT")))
        .skill("chat", &format!("env:\n{}", from_store("CHAT_TOKEN")))
        .skill("plain", "")
        .script("mail", "names", "env | cut -d= -f1 | sort")
        .script("mail", "measure", "printf %s \"${#MAIL_TOKEN}\"; printf %s \"${#CHAT_TOKEN}\" >&2; exit 7")
        .script("chat", "names", "env | cut -d= -f1 | sort")
        .script("plain", "names", "env | cut -d= -f1 | sort")
        .secret("store", "MAIL_TOKEN", TOKEN)
        .secret("store", "CHAT_TOKEN", OTHER)
}

fn value(reply: &Reply) -> &str {
    match reply {
        Reply::Value(value) => value.expose_secret(),
        other => panic!("{other:?}"),
    }
}

fn reason(reply: Reply) -> Reason {
    refused(reply).reason
}

#[test]
fn a_lookup_of_an_unknown_name_is_not_authorized_and_shows_no_value() {
    let world = world();
    let proxy = world.proxy();
    for name in ["NO_SUCH", "", "PATH", "BASE_VALUE", "HOME", "mail"] {
        let refusal = refused(call(proxy.path(), &lookup(name)));
        assert_eq!((refusal.reason, refusal.name.as_str()), (Reason::NotAuthorizedCredential, name));
        assert!(!refusal.error.contains("base-value"));
    }
    let heard = world.heard();
    assert_eq!(heard.len(), 6, "one refusal is reported for each");
    assert!(heard.iter().all(|one| one.kind == RequestKind::Credential && one.run == "test"));
}

#[test]
fn a_secret_is_read_only_if_the_user_allowed_it_for_that_skill() {
    let grant = |skill: &str, var: &str| {
        let pair = (skill.to_owned(), var.to_owned());
        world().policy(|policy| policy.readable = BTreeSet::from([pair]))
    };
    let ask = |world: &World, skill: Option<&str>, name: &str| {
        let skill = skill.map(str::to_owned);
        call(world.proxy().path(), &Request::Credential { name: name.to_owned(), skill })
    };
    assert_eq!(reason(ask(&world(), None, "MAIL_TOKEN")), Reason::LookupDenied);
    let granted = grant("mail", "MAIL_TOKEN");
    assert_eq!(value(&ask(&granted, None, "MAIL_TOKEN")), TOKEN);
    assert_eq!(value(&ask(&granted, Some("mail"), "MAIL_TOKEN")), TOKEN);
    assert_eq!(reason(ask(&granted, Some("chat"), "MAIL_TOKEN")), Reason::NotAuthorizedCredential);
    assert_eq!(reason(ask(&granted, None, "CHAT_TOKEN")), Reason::LookupDenied);
    let elsewhere = grant("chat", "MAIL_TOKEN");
    assert_eq!(reason(ask(&elsewhere, None, "MAIL_TOKEN")), Reason::LookupDenied);
    let absent = grant("mail", "MAIL_ABSENT");
    assert_eq!(reason(ask(&absent, None, "MAIL_ABSENT")), Reason::CredentialNotPresent);
}

#[test]
fn an_empty_allow_set_blocks_all_and_none_blocks_nothing() {
    let granted = || {
        let pair = ("mail".to_owned(), "MAIL_TOKEN".to_owned());
        world().policy(|policy| policy.readable = BTreeSet::from([pair]))
    };
    let ask = |world: World| call(world.proxy().path(), &lookup("MAIL_TOKEN"));
    assert_eq!(ask(granted()).code(), 0);
    let empty = granted().policy(|policy| policy.lookups = Some(BTreeSet::new()));
    assert_eq!(reason(ask(empty)), Reason::NotAuthorizedCredential);
    let names = world();
    assert_eq!(ran(call(names.proxy().path(), &run("chat", "names", &[]))).returncode, 0);
    let nobody = world().policy(|policy| policy.skills = Some(BTreeSet::new()));
    let refusal = refused(call(nobody.proxy().path(), &run("chat", "names", &[])));
    assert_eq!((refusal.reason, refusal.authorized), (Reason::UnknownSkill, Some(Vec::new())));
    let some = world().policy(|policy| policy.skills = Some(BTreeSet::from(["mail".to_owned()])));
    let proxy = some.proxy();
    let refusal = refused(call(proxy.path(), &run("chat", "names", &[])));
    assert_eq!(refusal.authorized, Some(vec!["mail".to_owned()]));
    assert_eq!(reason(call(proxy.path(), &lookup("CHAT_TOKEN"))), Reason::NotAuthorizedCredential);
}

#[test]
fn the_key_of_the_store_is_refused_even_if_it_is_held() {
    let world = World::new()
        .skill("greedy", &format!("env:\n{}{}", from_store(KEY_VARIABLE), from_store("BLOCKED_BY_POLICY")))
        .script("greedy", "names", "env | cut -d= -f1 | sort")
        .secret("store", KEY_VARIABLE, "/the/master/key")
        .secret("store", "BLOCKED_BY_POLICY", TOKEN)
        .policy(|policy| {
            policy.blocked = BTreeSet::from(["BLOCKED_BY_POLICY".to_owned()]);
            let both = [KEY_VARIABLE, "BLOCKED_BY_POLICY"];
            policy.readable = both.map(|name| ("greedy".to_owned(), name.to_owned())).into();
        });
    let proxy = world.proxy();
    for name in [KEY_VARIABLE, "BLOCKED_BY_POLICY"] {
        assert_eq!(reason(call(proxy.path(), &lookup(name))), Reason::NotAuthorizedCredential);
    }
    let names = ran(call(proxy.path(), &run("greedy", "names", &[]))).stdout;
    assert!(
        names.contains("BASE_VALUE") && !names.contains("KEY_FILE") && !names.contains("BLOCKED"),
        "{names}"
    );
}

#[test]
fn a_program_sees_only_the_secrets_of_its_skill() {
    let world = world();
    let proxy = world.proxy();
    let names = |skill: &str| {
        let output = ran(call(proxy.path(), &run(skill, "names", &[])));
        let ours = |name: &&str| !matches!(*name, "PWD" | "_" | "SHLVL" | "OLDPWD");
        output.stdout.lines().filter(ours).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names("mail"), ["BASE_VALUE", "MAIL_TOKEN", "PATH"]);
    assert_eq!(names("chat"), ["BASE_VALUE", "CHAT_TOKEN", "PATH"]);
    assert_eq!(names("plain"), ["BASE_VALUE", "PATH"]);
    let output = ran(call(proxy.path(), &run("mail", "measure", &[])));
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.returncode), ("21", "0", 7));
}

#[test]
fn an_unknown_skill_is_code_1_with_its_reason_the_authorized_list_and_one_warning() {
    let world = world();
    let proxy = world.proxy();
    let refusal = call(proxy.path(), &run("no-such", "names", &[]));
    assert_eq!(refusal.code(), 1);
    let refusal = refused(refusal);
    assert_eq!(refusal.reason, Reason::UnknownSkill);
    assert_eq!(refusal.authorized.unwrap(), ["chat", "mail", "plain"]);
    let heard = world.heard();
    assert_eq!(heard.len(), 1);
    let line = heard[0].to_string();
    assert_eq!(
        line,
        "proxy test: the run of a program of `no-such` was refused (unknown_skill): there is no such skill with programs"
    );
}

#[test]
fn a_program_that_takes_too_long_is_code_124_and_its_output_is_dropped() {
    let mut world = world().script("mail", "slow", "echo early; echo $$ > pid; sleep 600 & wait");
    // Long enough for a busy machine to start it.
    world.timeout = Duration::from_secs(3);
    let proxy = world.proxy();
    let output = ran(call(proxy.path(), &run("mail", "slow", &[])));
    assert_eq!(output.returncode, TIMED_OUT);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", "the program took longer than 3 s\n"));
    let pid = fs::read_to_string(world.path().join("work/pid")).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}/exe", pid.trim())).exists(), "it is gone");
}

#[test]
fn a_program_that_cannot_start_is_code_1() {
    let world = world()
        .script("mail", "bad", "")
        .file(".agents/skills/mail/scripts/bad", "#!/no/such/interpreter\n")
        .file(".agents/skills/mail/scripts/text.txt", "text");
    let proxy = world.proxy();
    for (program, words) in [
        ("bad", "did not start"),
        ("text.txt", "does not name its interpreter"),
        ("gone", "no program `gone`"),
    ] {
        let output = ran(call(proxy.path(), &run("mail", program, &[])));
        assert_eq!(output.returncode, 1);
        assert!(output.stderr.contains(words), "{}", output.stderr);
    }
}

#[test]
fn input_and_arguments_reach_the_program_that_a_skill_is() {
    let world = World::new().skill("echo", "cli: true").script("echo", "echo", "cat; printf '<%s>' \"$@\"");
    let proxy = world.proxy();
    let request = Request::Run {
        skill: "echo".to_owned(),
        args: vec!["a b".to_owned(), "$(id)".to_owned(), "; ls".to_owned()],
        stdin: Some("typed\n".to_owned()),
        program: None,
    };
    assert_eq!(ran(call(proxy.path(), &request)).stdout, "typed\n<a b><$(id)><; ls>");
    let words = ["echo", "x"].map(str::to_owned).to_vec();
    let request = Request::Run { skill: "echo".to_owned(), args: words, stdin: None, program: None };
    assert_eq!(ran(call(proxy.path(), &request)).stdout, "<x>", "the first word may name it");
}

#[test]
fn a_program_is_a_file_of_its_skill_and_nothing_is_made_on_the_way() {
    let world = world().script("chat", "tool", "touch ran").script("outside", "tool", "touch ran");
    let folder = world.folder("mail");
    symlink(world.folder("chat").join("scripts/tool"), folder.join("scripts/link")).unwrap();
    symlink(world.folder("chat"), folder.join("scripts/out")).unwrap();
    symlink("/bin/sh", folder.join("scripts/shell")).unwrap();
    let outside = world.folder("outside").join("scripts/tool").display().to_string();
    let proxy = world.proxy();
    // A skill with links has no digest, so that no secret is bound to it: nothing of it is run.
    let linked = refused(call(proxy.path(), &run("mail", "measure", &[])));
    assert_eq!(linked.reason, Reason::SecretNotAllowed, "{linked:?}");
    drop(proxy);
    for link in ["link", "out", "shell"] {
        fs::remove_file(folder.join("scripts").join(link)).unwrap();
    }
    let proxy = world.proxy();
    for path in [
        "../chat/scripts/tool",
        "scripts/../../chat/scripts/tool",
        "link",
        "scripts/link",
        "out/scripts/tool",
        "shell",
        outside.as_str(),
        "/bin/sh",
        "sh",
        "scripts",
        "",
        ".",
        "..",
        "new/place/tool",
        "SKILL.md",
    ] {
        let output = ran(call(proxy.path(), &run("mail", path, &["-c", "touch ran"])));
        assert_eq!((output.returncode, output.stdout.as_str()), (1, ""), "{path}: {}", output.stderr);
    }
    assert!(!world.path().join("work/ran").exists());
    assert!(!folder.join("scripts/new").exists() && !folder.join("new").exists());
    let unnamed = Request::Run { skill: "mail".to_owned(), args: Vec::new(), stdin: None, program: None };
    assert!(ran(call(proxy.path(), &unnamed)).stderr.contains("it has measure, names"));
}
