//! Webhooks, with a real receiver on loopback.

use crate::world::{World, own};
use skillful_team::{
    Outbound, Role, Team,
    webhooks::{ATTEMPTS, WebhookInput, signature},
};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
    time::{Duration, Instant},
};

crate::on_both!(
    a_change_is_delivered_once_signed_and_without_content,
    a_receiver_that_does_not_answer_delays_no_other,
    a_delivery_is_tried_again_and_a_webhook_that_keeps_failing_is_switched_off,
    a_webhook_may_not_lead_into_a_private_network,
);

/// What a receiver got: the fields of the head by name, and the body.
type Got = (Vec<(String, String)>, String);

struct Receiver {
    address: String,
    status: Arc<AtomicU16>,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Receiver {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/hook", listener.local_addr().unwrap());
        let (status, got) = (Arc::new(AtomicU16::new(200)), Arc::new(Mutex::new(Vec::new())));
        let (answers, kept) = (Arc::clone(&status), Arc::clone(&got));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut line) = (Vec::new(), String::new());
                while reader.read_line(&mut line).is_ok() && !line.trim().is_empty() {
                    if let Some((name, value)) = line.split_once(": ") {
                        head.push((name.to_lowercase(), value.trim().to_owned()));
                    }
                    line.clear();
                }
                let length = field(&head, "content-length").parse().unwrap_or(0);
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                kept.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
                let status = answers.load(Ordering::SeqCst);
                let _sent = write!(
                    stream,
                    "HTTP/1.1 {status} x\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                );
            }
        });
        Self { address, status, got }
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }
}

fn field(head: &[(String, String)], name: &str) -> String {
    head.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

fn local(team: &Team) -> Team {
    team.clone().with_outbound(Outbound { private_addresses: true, ..Default::default() })
}

fn input(address: &str, kinds: &[&str]) -> WebhookInput {
    WebhookInput {
        address: address.to_owned(),
        kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        enabled: true,
    }
}

async fn a_receiver_that_does_not_answer_delays_no_other(world: World) {
    let team = local(&world.team);
    let (admin, ada) = (world.user("admin", &[Role::OrgAdmin]).await, world.user("ada", &[]).await);
    // It takes connections and never answers: an attempt ends after ten seconds.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", silent.local_addr().unwrap());
    team.create_webhook(&admin, &input(&address, &["skill"])).await.unwrap();
    let receiver = Receiver::start();
    team.create_webhook(&admin, &input(&receiver.address, &["skill"])).await.unwrap();
    let began = Instant::now();
    let work = tokio::spawn(team.clone().keep_delivering());
    for name in ["one", "two", "three"] {
        world.skill(&ada, &own(&ada), name, "Text.").await;
    }
    while receiver.got().len() < 3 && began.elapsed() < Duration::from_secs(30) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(receiver.got().len(), 3);
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    work.abort();
}

async fn a_change_is_delivered_once_signed_and_without_content(world: World) {
    let team = local(&world.team);
    let (admin, ada) = (world.user("admin", &[Role::OrgAdmin]).await, world.user("ada", &[]).await);
    world.skill(&ada, &own(&ada), "before", "An older one.").await;
    let receiver = Receiver::start();
    let hook = team.create_webhook(&admin, &input(&receiver.address, &["skill"])).await.unwrap();
    let stored = world.skill(&ada, &own(&ada), "secret-plans", "The secret text.").await;
    team.set_policy(
        &admin,
        &skillful_team::organisation::Policy { rule: "review".to_owned(), setting: "off".to_owned() },
    )
    .await
    .unwrap();
    // Two processes look at the same time.
    let other = local(&world.another_process().await);
    let (one, two) = tokio::join!(team.deliver_webhooks(), other.deliver_webhooks());
    assert_eq!(one.unwrap() + two.unwrap(), 1, "one event of that kind, once");
    let got = receiver.got();
    assert_eq!(got.len(), 1);
    let (head, body) = &got[0];
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(value["event"], "skill.create");
    assert_eq!(value["subject"], stored.skill.id.as_str());
    assert!(!body.contains("secret"), "a body holds no content: {body}");
    let (id, time) = (field(head, "webhook-id"), field(head, "webhook-timestamp"));
    assert_eq!(field(head, "webhook-signature"), signature(&hook.secret, &id, time.parse().unwrap(), body));
    assert_ne!(field(head, "webhook-signature"), signature("other", &id, time.parse().unwrap(), body));
    let log = team.deliveries(&admin, &hook.webhook.id).await.unwrap();
    assert_eq!((log.len(), log[0].state.as_str(), log[0].status), (1, "delivered", Some(200)));
    assert_eq!(team.deliver_webhooks().await.unwrap(), 0);
    // Sent again by hand: the same id, so that a receiver knows it.
    team.redeliver(&admin, &hook.webhook.id, &log[0].id).await.unwrap();
    assert_eq!(team.deliver_webhooks().await.unwrap(), 1);
    assert_eq!(field(&receiver.got()[1].0, "webhook-id"), id);
    assert!(
        team.webhooks(&ada).await.is_err()
            && team.create_webhook(&ada, &input(&receiver.address, &[])).await.is_err()
    );
    let shown = serde_json::to_string(&team.webhooks(&admin).await.unwrap()).unwrap();
    assert!(!shown.contains(&hook.secret), "the key is shown once");
}

async fn a_delivery_is_tried_again_and_a_webhook_that_keeps_failing_is_switched_off(world: World) {
    let team = local(&world.team);
    let (admin, ada) = (world.user("admin", &[Role::OrgAdmin]).await, world.user("ada", &[]).await);
    let receiver = Receiver::start();
    let hook = team.create_webhook(&admin, &input(&receiver.address, &["skill"])).await.unwrap().webhook;
    world.skill(&ada, &own(&ada), "one", "Text.").await;
    receiver.status.store(500, Ordering::SeqCst);
    assert_eq!(team.deliver_webhooks().await.unwrap(), 1);
    assert_eq!(team.deliver_webhooks().await.unwrap(), 0, "not before the pause ended");
    let log = team.deliveries(&admin, &hook.id).await.unwrap();
    assert_eq!((log[0].state.as_str(), log[0].attempts, log[0].status), ("waiting", 1, Some(500)));
    world.pass(11_000);
    // A redirect is not followed: it counts as a failure.
    receiver.status.store(302, Ordering::SeqCst);
    assert_eq!(team.deliver_webhooks().await.unwrap(), 1);
    assert_eq!(team.deliveries(&admin, &hook.id).await.unwrap()[0].status, Some(302));
    world.pass(11_000);
    assert_eq!(team.deliver_webhooks().await.unwrap(), 0, "the pause grows");
    world.pass(60_000);
    receiver.status.store(204, Ordering::SeqCst);
    assert_eq!(team.deliver_webhooks().await.unwrap(), 1);
    let log = team.deliveries(&admin, &hook.id).await.unwrap();
    assert_eq!((log[0].state.as_str(), log[0].attempts), ("delivered", 3));
    assert_eq!(team.webhook(&admin, &hook.id).await.unwrap().failures, 0);
    let ids: std::collections::BTreeSet<String> =
        receiver.got().iter().map(|(head, _)| field(head, "webhook-id")).collect();
    assert_eq!(ids.len(), 1, "every attempt has the id of its delivery");
    receiver.status.store(503, Ordering::SeqCst);
    for at in 0..5 {
        world.skill(&ada, &own(&ada), &format!("more-{at}"), "Text.").await;
    }
    for _ in 0..ATTEMPTS {
        team.deliver_webhooks().await.unwrap();
        world.pass(24 * 3_600 * 1_000);
    }
    let off = team.webhook(&admin, &hook.id).await.unwrap();
    assert!(!off.enabled && off.error.starts_with("disabled after 20 failures"), "{off:?}");
    world.skill(&ada, &own(&ada), "unseen", "Text.").await;
    assert_eq!(team.deliver_webhooks().await.unwrap(), 0);
    let on = team.change_webhook(&admin, &hook.id, &input(&receiver.address, &["skill"])).await.unwrap();
    assert!(on.enabled && on.failures == 0 && on.error.is_empty());
}

async fn a_webhook_may_not_lead_into_a_private_network(world: World) {
    let team = &world.team;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    for address in [
        "https://127.0.0.1/x",
        "https://10.1.2.3/x",
        "https://169.254.169.254/",
        "http://example.org/",
        "ftp://x/",
        "x",
    ] {
        assert!(team.create_webhook(&admin, &input(address, &[])).await.is_err(), "{address}");
    }
    let unknown =
        team.create_webhook(&admin, &input("https://hooks.example.org/x", &["weather"])).await.unwrap_err();
    assert!(unknown.to_string().starts_with("`weather` is not one of skill, version"), "{unknown}");
    // One that was saved while more was allowed is refused when it is sent.
    let receiver = Receiver::start();
    let hook = local(team).create_webhook(&admin, &input(&receiver.address, &[])).await.unwrap().webhook;
    let ada = world.user("ada", &[]).await;
    world.skill(&ada, &own(&ada), "one", "Text.").await;
    team.deliver_webhooks().await.unwrap();
    assert_eq!(receiver.got().len(), 0);
    let error = team.webhook(&admin, &hook.id).await.unwrap().error;
    assert!(error.contains("private network"), "{error}");
}
