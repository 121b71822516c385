use super::*;

#[test]
fn a_message_is_read_back_as_written() {
    let endings = [
        Ending::Exited(7),
        Ending::Signalled(9),
        Ending::TimedOut,
        Ending::TooManyProcesses,
        Ending::OutOfMemory,
        Ending::Cancelled,
    ];
    for ending in endings {
        let message = Message { ending, survivors: 3 };
        assert_eq!(Message::read(message.bytes()), Some(message));
    }
    assert_eq!(Message::read([9; Message::BYTES]), None);
}
