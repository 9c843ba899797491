//! Who may come in: whoever knows the token, from a page of this server, at this address.

use std::net::SocketAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};

use crate::error::StudioError;

/// What a visitor must have.
#[derive(Clone, Debug)]
pub struct Access {
    token: String,
    /// Hosts that the server answers to, with the port.
    hosts: Vec<String>,
}

impl Access {
    /// With a token of 128 random bits.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn new(address: SocketAddr) -> Result<Access, StudioError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| StudioError::System {
            what: "cannot make a token",
            reason: error.to_string(),
        })?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.push(format!("localhost:{}", address.port()));
        }
        Ok(Access { token, hosts })
    }

    /// What is in the address that the page is opened with.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether a request may be answered. A name that leads to this machine is not enough: pages of
    /// other sites have such names made for them.
    ///
    /// # Errors
    /// A status, and a sentence.
    pub fn admit(
        &self,
        headers: &HeaderMap,
        token: Option<&str>,
        needs_origin: bool,
    ) -> Result<(), (StatusCode, &'static str)> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(HOST).unwrap_or("");
        if !self.hosts.iter().any(|known| known == host) {
            return Err((StatusCode::FORBIDDEN, "This server does not answer to that name.\n"));
        }
        if !token.is_some_and(|token| is_same(token.as_bytes(), self.token.as_bytes())) {
            let sentence =
                "Expected the address that `pliant studio` has printed, with its token.\n";
            return Err((StatusCode::FORBIDDEN, sentence));
        }
        let is_own = text(ORIGIN).is_some_and(|origin| origin == format!("http://{host}"));
        if needs_origin && !is_own {
            return Err((StatusCode::FORBIDDEN, "Only the studio's own page may do this.\n"));
        }
        Ok(())
    }
}

/// In a time that tells nothing about where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}
