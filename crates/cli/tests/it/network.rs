//! Skills over the network, through the program, against servers of this machine.

use crate::bare;
use insta::assert_snapshot;
use skillful_testkit::{FileServer, Served, TestContext};
use std::fs;

/// A machine that may ask this machine, and what `site` publishes.
fn with_site() -> TestContext {
    let machine = bare().variable("SOURCE_DATE_EPOCH", "1763164800");
    machine.file("home/.config/skillful/catalogs.toml", "loopback = true\n");
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.skill("work/lib/notes", "Take notes of meetings.");
    machine
}

/// What differs between runs is the port.
fn steady(text: &str, server: &FileServer) -> String {
    text.replace(&server.url(), "[SERVER]")
}

#[test]
fn what_is_published_is_added_held_back_released_and_restored() {
    let machine = with_site();
    assert_snapshot!(machine.see("publish lib --to site --version 1.0.0"), @r"");
    assert_snapshot!(machine.see("publish lib --to site --version 1.0.0"), @r"");
    assert_snapshot!(machine.text("work/site/skills/pdf.json"), @r"");
    let server = FileServer::folder(machine.path("work/site"));
    let see = |line: &str| steady(&machine.see(&line.replace("SERVER", &server.url())), &server);
    assert_snapshot!(see("add SERVER#@pdf --yes"), @r"");
    assert!(!machine.exists("work/.agents"), "nobody looked at it yet");
    assert_snapshot!(steady(&machine.text("work/skillful.lock"), &server), @r"");
    assert_snapshot!(see("review --accept pdf"), @r"");
    // Another machine: neither the files nor the store.
    fs::remove_dir_all(machine.path("work/.agents")).unwrap();
    fs::rename(machine.path("home/.local/share/skillful"), machine.path("work/gone")).unwrap();
    assert_snapshot!(see("sync --frozen --yes"), @r"");
    assert_snapshot!(see("verify"), @r"");
}

#[test]
fn an_archive_is_added_by_its_address() {
    let machine = with_site();
    machine.run("publish lib --to site --version 1.0.0");
    let server = FileServer::folder(machine.path("work/site"));
    let see = |line: &str| steady(&machine.see(&line.replace("SERVER", &server.url())), &server);
    assert_snapshot!(see("add SERVER/archives/pdf/pdf-1.0.0.tar.gz --yes"), @r"");
    assert_snapshot!(see("add SERVER/nothing.zip --yes"), @r"");
    assert_snapshot!(see("add SERVER/archives --yes"), @r"");
    machine.file("home/.config/skillful/catalogs.toml", "");
    assert_snapshot!(see("add SERVER/archives/pdf/pdf-1.0.0.tar.gz --yes"), @r"");
}

#[test]
fn an_archive_that_is_not_what_the_index_promised_is_never_unpacked() {
    let machine = with_site();
    machine.run("publish lib --to site --version 1.0.0");
    let notes = fs::read(machine.path("work/site/archives/notes/notes-1.0.0.tar.gz")).unwrap();
    fs::write(machine.path("work/site/archives/pdf/pdf-1.0.0.tar.gz"), notes).unwrap();
    let server = FileServer::folder(machine.path("work/site"));
    let see = |line: &str| steady(&machine.see(&line.replace("SERVER", &server.url())), &server);
    assert_snapshot!(see("add SERVER#@pdf --yes"), @r"");
    assert_snapshot!(see("add SERVER --dry-run"), @r"");
}

#[test]
fn a_version_of_a_registry_is_added_and_a_withdrawn_one_is_not() {
    let machine = with_site();
    machine.run("publish lib --to site --version 1.0.0");
    machine.file(
        "work/lib/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Read PDF files well.\n---\nDo it well.\n",
    );
    machine.run("publish lib/pdf --to site --version 1.1.0");
    let server = FileServer::folder(machine.path("work/site"));
    let see = |line: &str| steady(&machine.see(&line.replace("SERVER", &server.url())), &server);
    assert_snapshot!(see("add registry:pdf --yes"), @r"");
    assert_snapshot!(see("catalog add team SERVER --registry"), @r"");
    machine.run("add registry:pdf@1.0.0 --yes");
    machine.run("review --accept pdf");
    assert_snapshot!(see("catalog browse"), @r"");
    assert_snapshot!(see("publish --to site --withdraw pdf@1.1.0 --why broken"), @r"");
    assert_snapshot!(see("add registry:pdf@1.1.0 --yes"), @r"");
    assert_snapshot!(see("catalog browse team --refresh"), @r"");
}

#[test]
fn catalogs_are_kept_browsed_and_searched_and_a_dead_one_is_told() {
    let machine = with_site();
    machine.run("publish lib --to site --version 1.0.0");
    let server = FileServer::folder(machine.path("work/site"));
    let dead = FileServer::with(|_| Served::Status(500));
    let see = |line: &str| {
        let line = line.replace("SERVER", &server.url()).replace("DEAD", &dead.url());
        steady(&machine.see(&line), &server).replace(&dead.url(), "[DEAD]")
    };
    assert_snapshot!(see("catalog"), @r"");
    assert_snapshot!(see("catalog browse"), @r"");
    machine.run(&format!("catalog add team {}", server.url()));
    machine.run(&format!("catalog add broken {}", dead.url()));
    assert_snapshot!(see("catalog list"), @r"");
    machine.run(&format!("add {}#@pdf --yes", server.url()));
    assert_snapshot!(see("catalog browse"), @r"");
    let asked = server.asked().len();
    assert_snapshot!(see("search --catalogs meetings"), @r"");
    assert_eq!(server.asked().len(), asked, "what was remembered is enough");
    let found = machine.json("search --catalogs notes --json");
    assert_eq!(
        (&found["offered"][0]["name"], &found["dead"][0]["label"]),
        (&"notes".into(), &"broken".into())
    );
    assert_snapshot!(see("catalog rm broken"), @r"");
    assert_snapshot!(see("catalog rm broken"), @r"");
    assert_snapshot!(machine.text("home/.config/skillful/catalogs.toml").replace(&server.url(), "[SERVER]"), @r"");
}

#[test]
fn nothing_is_published_that_holds_a_secret_or_a_link_or_breaks_the_specification() {
    let machine = with_site();
    machine.file(
        "work/bad/one/SKILL.md",
        "---\nname: one\ndescription: d\n---\nUse `AKIAQ3EGRI7HJ2KLMN4P` as the key.\n",
    );
    machine.file("work/bad/two/SKILL.md", "---\nname: other\nwat: 1\n---\nx\n");
    machine.link("work/bad/two/link", "/etc/passwd");
    assert_snapshot!(machine.see("publish bad lib --to site"), @r"");
    assert!(!machine.exists("work/site"));
    machine.run("publish lib --to site --version 1.0.0");
    machine.file("work/lib/pdf/SKILL.md", "---\nname: pdf\ndescription: Other.\n---\nOther.\n");
    assert_snapshot!(machine.see("publish lib --to site --version 1.0.0"), @r"");
    assert_snapshot!(machine.see("publish lib --to site --version 1.0.1 --dry-run"), @r"");
    let plan = machine.json("publish lib --to site --version 1.0.1 --dry-run --json");
    assert_eq!((&plan["done"], &plan["skills"][0]["new"]), (&false.into(), &true.into()));
}
