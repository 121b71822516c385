//! Paths in agent profiles, and what variables make of them.

use skillful_profiles::PathTemplate;
use std::path::{Path, PathBuf};

fn resolved(template: &str, value: Option<&str>) -> Option<String> {
    let variable = |name: &str| value.filter(|_| name == "V").map(str::to_owned);
    let path = PathTemplate::new(template).resolve(Path::new("/here"), Path::new("/home/u"), &variable);
    path.map(|path| path.display().to_string())
}

#[test]
fn a_template_says_whether_a_variable_may_be_relative_or_empty() {
    for (template, value, wanted) in [
        ("${V:-~/.x}/s", None, "/home/u/.x/s"),
        ("${V:-~/.x}/s", Some("/v"), "/v/s"),
        ("${V:-~/.x}/s", Some("v"), "/home/u/.x/s"),
        ("${V:-~/.x}/s", Some(""), "/home/u/.x/s"),
        ("./${V:-~/.x}/s", None, "/home/u/.x/s"),
        ("./${V:-~/.x}/s", Some("/v"), "/v/s"),
        ("./${V:-~/.x}/s", Some("v"), "/here/v/s"),
        ("./${V:-~/.x}/s", Some(""), "/home/u/.x/s"),
        ("./${V-~/.x}/s", None, "/home/u/.x/s"),
        ("./${V-~/.x}/s", Some(""), "/here/s"),
        ("./${W:-./${V-~}/a}/s", Some("v"), "/here/v/a/s"),
    ] {
        assert_eq!(resolved(template, value).as_deref(), Some(wanted), "{template} {value:?}");
    }
    assert_eq!(resolved("./${V}/s", None), None);
}

#[test]
fn a_folder_that_depends_on_the_working_folder_is_in_no_place_of_its_own() {
    let place = |template: &str, value: &str| {
        let variable = |_: &str| Some(value.to_owned());
        PathTemplate::new(template).resolve_anywhere(Path::new("/home/u"), &variable)
    };
    assert_eq!(place("./${V:-~/.x}/s", "/v"), Some(PathBuf::from("/v/s")));
    assert_eq!(place("./${V:-~/.x}/s", ""), Some(PathBuf::from("/home/u/.x/s")));
    assert_eq!(place("./${V:-~/.x}/s", "v"), None);
    assert_eq!(place("./${V-~/.x}/s", ""), None);
    assert_eq!(place(".x/s", "v"), None);
    for (template, may) in [("./${V:-~}/s", true), ("./${V}/s", false), ("${V:-~}/s", false), ("~/s", false)]
    {
        assert_eq!(PathTemplate::new(template).may_depend_on_folder(), may, "{template}");
    }
    assert_eq!(PathTemplate::new("./${V:-~/.x}/s").shown(), "${V:-~/.x}/s");
}
