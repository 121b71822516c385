//! Contents in a bucket, with a store that answers as the test says.

use skillful_team::{Objects, S3};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
};

const EMPTY: &str = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>skills</Name>\
                     <Prefix/><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>";
const MISSING: &str =
    "<?xml version=\"1.0\"?><Error><Code>NoSuchBucket</Code><Message>no such bucket</Message></Error>";

/// The endpoint of a store that has the bucket `skills` and nothing in it.
fn store() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut first, mut line) = (String::new(), String::new());
            while reader.read_line(&mut line).is_ok() && !line.trim().is_empty() {
                if first.is_empty() {
                    first.clone_from(&line);
                }
                line.clear();
            }
            let is_list = first.contains("list-type=2");
            let (status, body) = if is_list && first.contains("/skills?") {
                ("200 OK", EMPTY)
            } else {
                ("404 Not Found", MISSING)
            };
            let length = body.len();
            let body = if first.starts_with("HEAD") { "" } else { body };
            let _sent = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/xml\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
        }
    });
    endpoint
}

#[tokio::test]
async fn a_bucket_that_does_not_exist_is_not_ready() {
    let access = S3 {
        endpoint: store(),
        region: "us-east-1".to_owned(),
        key_id: "key".to_owned(),
        key: "secret".to_owned().into(),
    };
    assert!(Objects::s3("skills", &access).unwrap().is_ready().await);
    assert!(!Objects::s3("skillz", &access).unwrap().is_ready().await);
    let folder = tempfile::tempdir().unwrap();
    assert!(Objects::folder(&folder.path().join("contents")).unwrap().is_ready().await);
}
