use super::*;

#[test]
fn every_test_of_the_suite_exists_and_every_attack_has_one() {
    let register = register::read(&crate::root()).expect("the list");
    let faults = register.faults(&crate::root());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(register.attacks.len(), 20);
}

#[test]
fn a_list_that_does_not_fit_is_a_fault() {
    let mut register = register::read(&crate::root()).expect("the list");
    let mut entry = register.groups[0].tests[0].clone();
    register.groups[0].tests.push(entry.clone());
    assert!(register.faults(&crate::root()).concat().contains("two tests are called"));
    register.groups[0].tests.pop();
    entry.test.name = "there::is_no_such_test".to_owned();
    entry.attacks = vec![21];
    register.groups[0].tests.push(entry);
    let faults = register.faults(&crate::root()).concat();
    assert!(faults.contains("there is no test") && faults.contains("attack 21"), "{faults}");
}

#[test]
fn the_tables_of_the_page_are_those_of_the_list_and_its_sums_are_right() {
    let register = register::read(&crate::root()).expect("the list");
    let text = fs::read_to_string(crate::root().join(page::PAGE)).expect("the page");
    let numbers = numbers::of_page(&text);
    let tables = page::tables(&register, &numbers).expect("numbers of every test");
    let expected = page::replaced(&text, &tables).expect("the marks");
    assert!(text == expected, "run `cargo xtask security`");
    let all = Count::sum(numbers.values().copied());
    assert!(all.attempts() >= 500 && numbers.len() == register.entries(None).count(), "{all:?}");
}

#[test]
fn numbers_are_read_as_they_are_written() {
    let count = Count { refused: 3, passed: 1, honest: 2 };
    assert_eq!(numbers::of_file("3 1 2\n"), Some(count));
    assert_eq!(numbers::of_file("3 1\n"), None);
    let page = "| family | attempts |\n| `one` | 4 | 3 | 1 | 2 |\n| `two` | x |\n";
    assert_eq!(numbers::of_page(page), Numbers::from([("one".to_owned(), count)]));
}
