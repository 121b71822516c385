use super::*;

#[test]
fn a_name_identifies_its_owner() {
    let (first, second) = (name().unwrap(), name().unwrap());
    assert_ne!(first, second);
    assert_eq!(Owner::read(&first), Owner::own());
    assert!(!Owner::read(&first).unwrap().gone());
}

#[test]
fn an_owner_is_gone_when_its_process_id_is_free_or_reused() {
    let own = Owner::own().unwrap();
    assert!(Owner { started: own.started + 1, ..own }.gone());
    assert!(Owner { pid: u32::MAX, ..own }.gone());
}

#[test]
fn an_owner_in_another_pid_namespace_is_never_considered_gone() {
    let own = Owner::own().unwrap();
    assert!(!Owner { space: own.space + 1, pid: u32::MAX, started: 0 }.gone());
}

#[test]
fn other_names_have_no_owner() {
    for name in ["", "system.slice", "skillful-job-", "skillful-job-1-2", "skillful-job-a-b-c-d"] {
        assert_eq!(Owner::read(name), None, "{name}");
    }
}
