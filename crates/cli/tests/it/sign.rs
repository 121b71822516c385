//! Signing, checking, knowing keys, and installs that notice who signed. What is signed is shown to the real `ssh-keygen`.

use crate::bare;
use insta::assert_snapshot;
use skillful_testkit::{TestContext, has_tool, ssh_key};
use std::process::Command;

/// A key of the person's, or in another file of the home.
fn key(machine: &TestContext, file: &str, name: &str) -> String {
    ssh_key(name, &machine.path(file)).to_owned()
}

/// What a person sees, with names for the keys.
fn see(machine: &TestContext, line: &str, keys: &[(&str, &str)]) -> String {
    let mut text = machine.see(line);
    for (name, fingerprint) in keys {
        text = text.replace(fingerprint, &format!("[{name}]"));
    }
    text
}

#[test]
fn a_skill_is_signed_checked_and_verified_by_ssh_keygen_with_one_file_of_signers() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    let alice = key(&machine, "home/.ssh/id_ed25519", "alice");
    let see = |line: &str| see(&machine, line, &[("ALICE", &alice)]);
    assert_snapshot!(see("sign --check lib/pdf"), @"
    exit: 1
    ----- stdout -----
    pdf: not signed
      sha256:5ffd946f62bf44ec62cac6966efb225e0031f66205a0f2a8d1933c03b569b781
    ");
    assert_snapshot!(see("sign lib/pdf"), @"
    exit: 0
    ----- stdout -----
    signed pdf: 1 file as sha256:5ffd946f62bf44ec62cac6966efb225e0031f66205a0f2a8d1933c03b569b781
      with [ALICE] (~/.ssh/id_ed25519)
      wrote lib/pdf/SKILL.sig
    ");
    assert_snapshot!(see("sign --check lib/pdf"), @"
    exit: 1
    ----- stdout -----
    pdf: signed by [ALICE], a key that you gave no name
      sha256:5ffd946f62bf44ec62cac6966efb225e0031f66205a0f2a8d1933c03b569b781
    ");
    assert_snapshot!(see("sign keys add alice@example.org ../home/.ssh/id_ed25519.pub"), @"
    exit: 0
    ----- stdout -----
    from now on [ALICE] is alice@example.org, for skills only
    updated ~/.config/skillful/allowed_signers
    ");
    assert_snapshot!(see("sign keys add alice@example.org ../home/.ssh/id_ed25519.pub"), @"
    exit: 0
    ----- stdout -----
    alice@example.org has that key already
    ");
    assert_snapshot!(see("sign keys"), @"
    exit: 0
    ----- stdout -----
    alice@example.org  ssh-ed25519  [ALICE]
      laptop
    ");
    assert_snapshot!(see("sign --check lib/pdf"), @"
    exit: 0
    ----- stdout -----
    pdf: signed by alice@example.org ([ALICE])
      sha256:5ffd946f62bf44ec62cac6966efb225e0031f66205a0f2a8d1933c03b569b781
    ");
    assert_snapshot!(see("sign --check lib/pdf --signer bob"), @"
    exit: 1
    ----- stdout -----
    pdf: signed by alice@example.org ([ALICE])
      and not by bob
      sha256:5ffd946f62bf44ec62cac6966efb225e0031f66205a0f2a8d1933c03b569b781
    ");
    let value = machine.json("sign --check lib/pdf --json");
    assert_eq!((&value["state"], &value["principal"]), (&"known".into(), &"alice@example.org".into()));

    let mut verify = Command::new("sh");
    verify.arg("-c").arg(format!(
        "printf '{}\\n' | ssh-keygen -Y verify -f {} -I alice@example.org -n skillful -s {}",
        value["tree"].as_str().unwrap(),
        machine.path("home/.config/skillful/allowed_signers").display(),
        machine.path("work/lib/pdf/SKILL.sig").display()
    ));
    if has_tool("ssh-keygen") {
        assert!(verify.output().unwrap().status.success(), "what --help says must work");
    }

    machine.file("work/lib/pdf/new.md", "x");
    assert_snapshot!(see("sign --check lib/pdf"), @"
    exit: 1
    ----- stdout -----
    pdf: the signature does not fit the files: they or it were changed after the signing
      sha256:f31345e0e0fac1cd7d605c0983bb071e292ea0d6417f21d2050d1d51689675a0
    ");
    assert_snapshot!(see("add ./lib --yes"), @"
    exit: 1
    ----- stdout -----
    leave .agents/skills/pdf as it is: its signature does not fit the files: they or it were changed after the signing
      new: uses every tool
    ----- stderr -----
    error: nothing was changed: 1 step of the plan cannot be done
    ");
    assert!(!machine.exists("work/.agents") && !machine.exists("work/skillful.lock"));
}

#[test]
fn an_update_by_another_signer_is_refused_until_they_are_named() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    let alice = key(&machine, "home/.ssh/id_ed25519", "alice");
    let eve = key(&machine, "home/eve", "eve");
    let see = |line: &str| see(&machine, line, &[("ALICE", &alice), ("EVE", &eve)]);
    machine.run("sign keys add alice ../home/.ssh/id_ed25519.pub");
    machine.run("sign lib/pdf");
    assert_snapshot!(see("add ./lib --signer bob --yes"), @"
    exit: 1
    ----- stdout -----
    leave .agents/skills/pdf as it is: it was to be signed by `bob` and is signed by `alice [ALICE]`
      new: uses every tool
    ----- stderr -----
    error: nothing was changed: 1 step of the plan cannot be done
    ");
    assert_snapshot!(see("add ./lib --yes"), @"
    exit: 0
    ----- stdout -----
    Plan
      pdf  .agents/skills
           signed by alice [ALICE]
           can: every tool
    installed 1 skill, updated skillful.lock
    Undo: skillful remove pdf
    ");
    assert!(!machine.exists("work/.agents/skills/pdf/SKILL.sig"));
    assert!(machine.text("work/skillful.lock").contains(&format!("signer = \"alice {alice}\"")));
    assert_snapshot!(see("verify"), @"
    exit: 0
    ----- stdout -----
    1 skill: as locked
    signatures that hold: 1
    ");

    machine.skill("work/lib/pdf", "Read PDF files, all of them.");
    machine.run("sign lib/pdf --key ../home/eve");
    assert_snapshot!(see("add ./lib --yes"), @"
    exit: 1
    ----- stdout -----
    leave .agents/skills/pdf as it is: it was signed by `alice [ALICE]` and is now signed by `[EVE]`; ask why, and only then approve by name: --signer [EVE]
    ----- stderr -----
    error: nothing was changed: 1 step of the plan cannot be done
    ");
    std::fs::remove_file(machine.path("work/lib/pdf/SKILL.sig")).unwrap();
    assert_snapshot!(see("add ./lib --yes"), @"
    exit: 1
    ----- stdout -----
    leave .agents/skills/pdf as it is: it was signed by `alice [ALICE]` and is now not signed; ask why, and only then approve by name: --signer unsigned
    ----- stderr -----
    error: nothing was changed: 1 step of the plan cannot be done
    ");
    machine.run("sign lib/pdf --key ../home/eve");
    assert_snapshot!(see(&format!("add ./lib --signer {eve} --yes")), @"
    exit: 0
    ----- stdout -----
    replace pdf in .agents/skills/pdf
      signed by [EVE]
    installed 1 skill, updated skillful.lock
    ");
    let plan = machine.json("add ./lib --json");
    assert_eq!(plan["steps"][0]["signer"], eve.as_str());

    // The signature is kept, and somebody who changes it is found out.
    let store = machine.path("home/.local/share/skillful/contents/signatures");
    for entry in std::fs::read_dir(&store).unwrap() {
        // The files of the store are read-only.
        let file = entry.unwrap().path();
        std::fs::remove_file(&file).unwrap();
        std::fs::write(file, "gone").unwrap();
    }
    assert_snapshot!(see("verify"), @"
    exit: 1
    ----- stdout -----
    pdf: its signature by [EVE] is not in the form that `ssh-keygen -Y sign` writes (it cannot be read); sign the skill again
    1 skill: not all as locked
    ");
    std::fs::remove_dir_all(&store).unwrap();
    assert_snapshot!(see("verify"), @"
    exit: 0
    ----- stdout -----
    1 skill: as locked
    signatures that are not kept on this machine: 1
    ");
}

#[test]
fn the_word_of_a_lock_about_who_signed_is_not_believed() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    let alice = key(&machine, "home/.ssh/id_ed25519", "alice");
    machine.run("sign keys add alice ../home/.ssh/id_ed25519.pub");
    machine.run("add ./lib --yes");
    std::fs::remove_dir_all(machine.path("work/.agents")).unwrap();
    let claim = format!("\nsigner = \"alice {alice}\"\npending = true\ncopied");
    machine.file("work/skillful.lock", machine.text("work/skillful.lock").replace("\ncopied", &claim));
    let told = String::from_utf8(machine.run("review pdf").stdout).unwrap();
    let line = told.lines().find(|line| line.contains("signed by")).unwrap();
    assert!(line.contains(&format!("not shown by a signature here (the lock says alice {alice})")), "{told}");
    machine.run("sign lib/pdf");
    machine.file("work/skillful.lock", "version = 1\n");
    machine.run("add ./lib --yes");
    let lock = machine.text("work/skillful.lock").replace("\ncopied", "\npending = true\ncopied");
    machine.file("work/skillful.lock", lock);
    let told = String::from_utf8(machine.run("review pdf").stdout).unwrap();
    assert!(told.contains(&format!("signed by alice {alice}")), "{told}");
}

#[test]
fn keys_are_listed_and_removed_and_unusable_lines_are_reported() {
    let machine = bare();
    let alice = key(&machine, "home/.ssh/id_ed25519", "alice");
    let see = |line: &str| see(&machine, line, &[("ALICE", &alice)]);
    assert_snapshot!(see("sign keys"), @"
    exit: 0
    ----- stdout -----
    no keys in ~/.config/skillful/allowed_signers; `skillful sign keys add NAME KEY.pub` adds one
    ");
    assert_snapshot!(see("sign keys add alice ../home/.ssh/id_ed25519"), @"
    exit: 1
    ----- stderr -----
    error: `../home/.ssh/id_ed25519` holds a private key, which is not needed to check a signature; name the file with `.pub`
    ");
    assert_snapshot!(see("sign keys add a,b ../home/.ssh/id_ed25519.pub"), @r#"
    exit: 1
    ----- stderr -----
    error: `a,b` cannot name a signer: it is one word, such as an e-mail address, without `,`, `*`, `?`, `!`, `"` and `#`
    "#);
    let public = machine.text("home/.ssh/id_ed25519.pub");
    machine.file(
        "home/.config/skillful/allowed_signers",
        format!("*@old.org valid-before=\"20200101Z\" {public}ca cert-authority {public}alice,bob {public}"),
    );
    assert_snapshot!(see("sign keys list"), @"
    exit: 1
    ----- stdout -----
    *@old.org  ssh-ed25519  [ALICE]
      laptop
      counts no longer (valid-before)
    alice,bob  ssh-ed25519  [ALICE]
      laptop
    ----- stderr -----
    warning: ~/.config/skillful/allowed_signers line 2: certificates are not supported; name each key on a line of its own
    ");
    assert_eq!(machine.json("sign keys --json")["keys"].as_array().unwrap().len(), 2);
    assert_snapshot!(see("sign keys remove alice"), @"
    exit: 0
    ----- stdout -----
    [ALICE] is no longer alice
    ");
    assert_snapshot!(see("sign keys remove alice"), @"
    exit: 1
    ----- stderr -----
    error: no key of `alice` is known
      fix:   `skillful sign keys` lists the known keys
    ");
    assert_snapshot!(see(&format!("sign keys rm {alice}")), @"
    exit: 0
    ----- stdout -----
    [ALICE] is no longer *@old.org
    [ALICE] is no longer bob
    ");
}

#[test]
fn a_signature_that_cannot_be_made_says_what_to_do() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    assert_snapshot!(machine.see("sign lib/pdf"), @"
    exit: 1
    ----- stderr -----
    error: there is no key `~/.ssh/id_ed25519`; name one, or make one with `ssh-keygen -t ed25519`
    ");
    assert_snapshot!(machine.see("sign lib"), @"
    exit: 1
    ----- stderr -----
    error: there is no SKILL.md in `lib`; name the folder that holds one
    ");
    key(&machine, "home/.ssh/id_ed25519", "alice");
    machine.file("work/lib/pdf/SKILL.sig", "mine");
    assert_snapshot!(machine.see("sign lib/pdf"), @"
    exit: 1
    ----- stderr -----
    error: `SKILL.sig` does not hold a signature
      fix:   move it away; only a signature can have that name at the top of a skill
    ");
    assert_eq!(machine.text("work/lib/pdf/SKILL.sig"), "mine");
}
