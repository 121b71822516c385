use super::*;

#[test]
fn a_name_tells_of_its_owner() {
    let (first, second) = (name().unwrap(), name().unwrap());
    assert_ne!(first, second);
    assert_eq!(Owner::read(&first), Owner::own());
    assert!(!Owner::read(&first).unwrap().gone());
}

#[test]
fn an_owner_is_gone_when_its_number_is_or_belongs_to_another() {
    let own = Owner::own().unwrap();
    assert!(Owner { started: own.started + 1, ..own }.gone());
    assert!(Owner { pid: u32::MAX, ..own }.gone());
}

#[test]
fn an_owner_elsewhere_is_never_taken_for_gone() {
    let own = Owner::own().unwrap();
    assert!(!Owner { space: own.space + 1, pid: u32::MAX, started: 0 }.gone());
}

#[test]
fn names_of_others_are_none_of_ours() {
    for name in ["", "system.slice", "skillful-job-", "skillful-job-1-2", "skillful-job-a-b-c-d"] {
        assert_eq!(Owner::read(name), None, "{name}");
    }
}
