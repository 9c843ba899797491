//! A page's connection: commands in, messages and frames out.
//!
//! At most two frames are on their way to a page; until it says that it has shown one, frames that
//! come are dropped for it, all but the latest. So a slow page is behind by two frames, never by
//! more, and the simulation does not wait for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message as Sent, WebSocket};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::outlet::Message;
use crate::session::Session;

/// Frames on their way.
const WINDOW: usize = 2;
/// A page that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// Talks with a page until it leaves.
pub async fn converse(socket: WebSocket, session: Arc<Session>) {
    session.join();
    // Whatever ends the conversation, the place learns that the page has left.
    let mut present = Present { session: session.clone(), holds: false };
    talk(socket, &session, &mut present.holds).await;
}

struct Present {
    session: Arc<Session>,
    /// Whether it has something in its hand, which it lets go of when it leaves.
    holds: bool,
}

impl Drop for Present {
    fn drop(&mut self) {
        if self.holds {
            self.session.order(json!({ "do": "release" }));
        }
        self.session.leave();
    }
}

async fn talk(mut socket: WebSocket, session: &Session, holds: &mut bool) -> Option<()> {
    let (mut messages, mut frames) = session.outlet.subscribe();
    let mut on_their_way: VecDeque<u64> = VecDeque::new();
    for message in session.outlet.retained() {
        send(&mut socket, message).await?;
    }
    if frames.borrow().number > 0 {
        frames.mark_changed();
    }
    loop {
        tokio::select! {
            received = socket.recv() => match received?.ok()? {
                Sent::Text(text) => match heard(&text) {
                    Ok(Ask::Shown(number)) => on_their_way.retain(|sent| *sent > number),
                    Ok(Ask::Cancel) => session.outlet.cancel(),
                    Ok(Ask::Place(command)) => {
                        match command.get("do").and_then(Value::as_str) {
                            Some("grab") => *holds = true,
                            Some("release") => *holds = false,
                            _ => {}
                        }
                        session.order(command);
                    }
                    Err(sentence) => {
                        let error = json!({ "kind": "error", "sentence": sentence });
                        send(&mut socket, Message::Text(error.to_string())).await?;
                    }
                },
                Sent::Binary(_) => {
                    let error = r#"{"kind":"error","sentence":"Expected a command in JSON."}"#;
                    send(&mut socket, Message::Text(error.to_owned())).await?;
                }
                Sent::Close(_) => return None,
                Sent::Ping(_) | Sent::Pong(_) => {}
            },
            message = messages.recv() => match message {
                Ok(message) => send(&mut socket, message).await?,
                Err(RecvError::Lagged(_)) => {
                    for message in session.outlet.retained() {
                        send(&mut socket, message).await?;
                    }
                }
                Err(RecvError::Closed) => return None,
            },
            changed = frames.changed(), if on_their_way.len() < WINDOW => {
                changed.ok()?;
                let frame = frames.borrow_and_update().clone();
                on_their_way.push_back(frame.number);
                send(&mut socket, Message::Binary(frame.bytes)).await?;
            }
        }
    }
}

/// What a page asks for.
enum Ask {
    /// A frame, and all before it, are shown.
    Shown(u64),
    /// Long work is to stop.
    Cancel,
    /// The place knows.
    Place(Value),
}

fn heard(text: &str) -> Result<Ask, &'static str> {
    let command: Value = serde_json::from_str(text).map_err(|_| "Expected a command in JSON.")?;
    match command.get("do").and_then(Value::as_str) {
        Some("shown") => {
            let number = command.get("number").and_then(Value::as_u64);
            number.map(Ask::Shown).ok_or("Expected the number of the frame that is shown.")
        }
        Some("cancel") => Ok(Ask::Cancel),
        Some(_) => Ok(Ask::Place(command)),
        None => Err("Expected an object with the key `do`."),
    }
}

async fn send(socket: &mut WebSocket, message: Message) -> Option<()> {
    let message = match message {
        Message::Text(text) => Sent::Text(text.into()),
        Message::Binary(bytes) => Sent::Binary(bytes),
    };
    tokio::time::timeout(PATIENCE, socket.send(message)).await.ok()?.ok()
}
