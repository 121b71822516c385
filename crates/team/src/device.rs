//! Sign-in of a program that has no browser (RFC 8628): the program gets a secret and shows a short code, its user confirms
//! the code on the page, and the program exchanges the secret for a token, once.
//!
//! Both are kept as digests. The token is made when the program asks for it, so that no secret of it is ever stored.

use crate::{
    actor::{Actor, TokenScope},
    credentials::{TokenInfo, TokenInput},
    db::args,
    error::TeamError,
    id::{hash, new_secret, random},
    team::Team,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Seconds in which a code must be confirmed.
pub const SECONDS: i64 = 600;
/// Seconds between two questions of a program.
pub const INTERVAL: i64 = 2;
/// Codes that may be open at once.
const OPEN: i64 = 10_000;
/// Letters of a code: no vowels, so that it spells no word, and none that is mistaken for a digit.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Letters of a code.
const LENGTH: usize = 8;

/// The purpose of the row that a program asks about.
const DEVICE: &str = "device";
/// The purpose of the row that a user confirms.
const CODE: &str = "device-code";

/// What a program asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRequest {
    /// The name of the machine, as it says itself.
    pub name: String,
    /// What the token may be used for.
    pub scopes: BTreeSet<TokenScope>,
    /// How many days it lasts.
    pub days: i64,
}

/// What a program gets first.
#[derive(Debug)]
pub struct DeviceCodes {
    /// The secret of the program.
    pub device: SecretString,
    /// The code that the user confirms: `BCDF-GHJK`.
    pub code: String,
}

/// The answer to a program that asks for its token.
#[derive(Debug)]
pub enum DeviceAnswer {
    /// The user has not decided yet.
    Pending,
    /// The program asks too often.
    TooFast,
    /// The user said no.
    Denied,
    /// The code is over, was used, or never was.
    Over,
    /// The token.
    Granted(TokenInfo, SecretString),
}

#[derive(Serialize, Deserialize)]
struct Kept {
    request: DeviceRequest,
    asked: i64,
    decided: Option<bool>,
}

fn json(kept: &Kept) -> Result<String, TeamError> {
    serde_json::to_string(kept).map_err(|error| TeamError::Internal(error.to_string()))
}

fn kept(text: &str) -> Result<Kept, TeamError> {
    serde_json::from_str(text).map_err(|error| TeamError::Internal(error.to_string()))
}

fn new_code() -> Result<String, TeamError> {
    // Bytes from 240 on would make some letters more likely than others.
    let bytes = random::<64>()?.into_iter().filter(|byte| *byte < 240);
    let letters: String =
        bytes.take(LENGTH).map(|byte| char::from(LETTERS[usize::from(byte % 20)])).collect();
    let (first, last) = letters.split_at_checked(LENGTH / 2).unwrap_or_default();
    Ok(format!("{first}-{last}"))
}

/// A code as a user typed it: letters alone, in upper case.
fn plain(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphabetic).take(LENGTH + 1).collect::<String>().to_ascii_uppercase()
}

impl Team {
    /// Begins the sign-in of a program.
    pub async fn begin_device(&self, request: &DeviceRequest) -> Result<DeviceCodes, TeamError> {
        let is_shown = |c: char| {
            !c.is_control()
                && !matches!(c, '\u{61c}' | '\u{200b}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        };
        if request.name.trim().is_empty()
            || request.name.chars().count() > 60
            || !request.name.chars().all(is_shown)
        {
            return Err(TeamError::invalid("wrong-name", "name the machine, in at most 60 characters"));
        }
        if request.scopes.is_empty() {
            return Err(TeamError::invalid("no-scope", "choose at least one scope"));
        }
        if !(1..=366).contains(&request.days) {
            return Err(TeamError::invalid("wrong-days", "a token lasts 1 to 366 days"));
        }
        let (device, code) = (new_secret()?, new_code()?);
        let (now, row) = (self.now(), hash(device.expose_secret()));
        let ends = now + SECONDS * 1_000;
        let text = json(&Kept { request: request.clone(), asked: 0, decided: None })?;
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM one_time WHERE expires < $1", args![now]).await?;
        let open = tx.maybe("SELECT count(*) FROM one_time WHERE purpose = $1", args![DEVICE]).await?;
        if open.map_or(Ok(0), |row| row.int(0))? >= OPEN {
            return Err(TeamError::TooMany(
                "too many sign-ins are open; try again in some minutes".to_owned(),
            ));
        }
        for (key, purpose, data) in [(row.clone(), DEVICE, text), (hash(&plain(&code)), CODE, row.clone())] {
            tx.run(
                "INSERT INTO one_time (hash, purpose, user_id, data, expires) VALUES ($1, $2, '', $3, $4)",
                args![key, purpose, data, ends],
            )
            .await?;
        }
        tx.commit().await?;
        Ok(DeviceCodes { device, code })
    }

    /// What the program asks for that shows a code; `None` when there is no such code.
    pub async fn device_request(
        &self,
        actor: &Actor,
        code: &str,
    ) -> Result<Option<DeviceRequest>, TeamError> {
        actor.user()?;
        let row = self
            .db
            .maybe(
                "SELECT d.data FROM one_time c JOIN one_time d ON d.hash = c.data AND d.purpose = $3 \
                 WHERE c.hash = $1 AND c.purpose = $2 AND c.expires > $4",
                args![hash(&plain(code)), CODE, DEVICE, self.now()],
            )
            .await?;
        row.map(|row| Ok(kept(&row.text(0)?)?.request)).transpose()
    }

    /// Confirms or refuses a code, once. The program gets no more than the caller could give to a token.
    pub async fn decide_device(
        &self,
        actor: &Actor,
        code: &str,
        is_confirmed: bool,
    ) -> Result<DeviceRequest, TeamError> {
        let user = actor.user()?.to_owned();
        let unknown =
            || TeamError::conflict("unknown-code", "the code was used, has expired, or is mistyped");
        let request = self.device_request(actor, code).await?.ok_or_else(unknown)?;
        let missing = request.scopes.iter().find(|scope| !actor.scopes.contains(scope));
        if let Some(scope) = missing.filter(|_| is_confirmed) {
            return Err(TeamError::Forbidden(format!(
                "this credential lacks the scope `{scope}`, so that it cannot give it"
            )));
        }
        if is_confirmed && !actor.bound.is_empty() {
            return Err(TeamError::Forbidden(
                "a credential that is limited to one place confirms no sign-in".to_owned(),
            ));
        }
        let key = hash(&plain(code));
        let mut tx = self.db.begin().await?;
        let row = tx
            .maybe(
                "SELECT data FROM one_time WHERE hash = $1 AND purpose = $2 AND expires > $3",
                args![&key, CODE, self.now()],
            )
            .await?
            .ok_or_else(unknown)?;
        let device = row.text(0)?;
        if tx.run("DELETE FROM one_time WHERE hash = $1 AND purpose = $2", args![&key, CODE]).await? != 1 {
            return Err(unknown());
        }
        let text = json(&Kept { request: request.clone(), asked: 0, decided: Some(is_confirmed) })?;
        tx.run(
            "UPDATE one_time SET user_id = $3, data = $4 WHERE hash = $1 AND purpose = $2",
            args![&device, DEVICE, &user, text],
        )
        .await?;
        tx.commit().await?;
        Ok(request)
    }

    /// What a program is answered that asks for its token.
    pub async fn ask_device(&self, device: &str) -> Result<DeviceAnswer, TeamError> {
        let (now, key) = (self.now(), hash(device));
        let mut tx = self.db.begin().await?;
        let row = tx
            .maybe(
                "SELECT data, user_id FROM one_time WHERE hash = $1 AND purpose = $2 AND expires > $3",
                args![&key, DEVICE, now],
            )
            .await?;
        let Some(row) = row else { return Ok(DeviceAnswer::Over) };
        let (mut known, user) = (kept(&row.text(0)?)?, row.text(1)?);
        let Some(is_confirmed) = known.decided else {
            let is_early = now < known.asked + INTERVAL * 1_000 - 200;
            known.asked = now;
            // A decision that comes in between is not written over.
            tx.run(
                "UPDATE one_time SET data = $3 WHERE hash = $1 AND purpose = $2 AND user_id = ''",
                args![&key, DEVICE, json(&known)?],
            )
            .await?;
            tx.commit().await?;
            return Ok(if is_early { DeviceAnswer::TooFast } else { DeviceAnswer::Pending });
        };
        let taken =
            tx.run("DELETE FROM one_time WHERE hash = $1 AND purpose = $2", args![&key, DEVICE]).await?;
        tx.commit().await?;
        if taken != 1 {
            return Ok(DeviceAnswer::Over);
        }
        if !is_confirmed {
            return Ok(DeviceAnswer::Denied);
        }
        let DeviceRequest { name, scopes, days } = known.request;
        let actor = self.actor_of(&user).await?;
        let input =
            TokenInput { name: format!("skillful login on {name}"), scopes, days, bound: String::new() };
        let (token, secret) = self.create_token(&actor, &input).await?;
        Ok(DeviceAnswer::Granted(token, secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_short_and_is_read_as_users_type_it() {
        let code = new_code().unwrap();
        assert_eq!(code.len(), 9, "{code}");
        assert!(code.bytes().all(|b| b == b'-' || LETTERS.contains(&b)), "{code}");
        assert_eq!(plain(&code.to_lowercase().replace('-', " ")), plain(&code));
        assert_ne!(code, new_code().unwrap());
    }
}
