//! A visitor of the studio: what a page does on the wire, and what only a stranger would.

#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use glam::DVec3;
use pliant_mesh::{Group, Mesh, shapes};
use pliant_project::demo::{Demo, ProjectDemo};
use pliant_project::saved::write_animation;
use pliant_studio::{Library, Studio, StudioOptions};
use serde_json::Value;
use tokio::net::TcpStream as AsyncStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Longer than anything takes.
pub const LONG: Duration = Duration::from_secs(120);

/// A cube that hangs from its top.
pub const CUBE: &str = "name = 'cube'\nframes = 10\nfps = 60\n\
    [[body]]\nmesh = { box = { size = [1, 1, 1], cells = [4, 4, 4] } }\n\
    material = { model = 'corotated', young = 2e4, poisson = 0.3, density = 1000.0 }\n\
    [[body.attach]]\nselect = { box = { min = [-1, 0.49, -1], max = [1, 1, 1] } }\nstiffness = 'hard'\n";

/// One that floats, stretched.
pub const FREE: &str = "name = 'free'\nframes = 10\nfps = 60\ngravity = [0, 0, 0]\n\
    [[body]]\nmesh = { box = { size = [1, 1, 1], cells = [4, 4, 4] } }\n\
    material = { model = 'corotated', young = 2e4, poisson = 0.3, density = 1000.0 }\n\
    initial = { stretch = [1.3, 1, 1] }\n";

/// A bar that follows at its left end; its right end swings.
pub const BAR: &str = "# A bar\ninput = 'puppet:bar:12'\nresolution = 6\npreroll = 1\n\
    material = { young = 2e4 }\n[fit]\ngamma = 1e-10\n\
    [follow]\nselect = { box = { min = [-1, -1, -1], max = [-0.2, 1, 1] } }\n";

/// The same bar, shaken.
pub fn shaken_project() -> String {
    BAR.replace("puppet:bar:12", "walk.pc2")
}

/// Frames of the shaken bar.
pub const SHAKEN: usize = 10;

/// The surface of `puppet:bar:12`, 1 m long, with a group.
pub fn bar() -> Mesh {
    let solid = shapes::solid_box(DVec3::new(1.0, 0.2, 0.2), [12, 2, 2]).expect("a box");
    let mut used: Vec<u32> = solid.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |v: u32| used.binary_search(&v).map_or(0, |at| at as u32);
    let triangles = solid.triangles.iter().map(|t| t.map(place)).collect();
    let mut mesh =
        Mesh::surface(used.iter().map(|v| solid.positions[*v as usize]).collect(), triangles);
    let is_right = |v: &u32| mesh.positions[*v as usize].x > 0.3;
    let vertices = (0..mesh.positions.len() as u32).filter(is_right).collect();
    mesh.groups.push(Group { name: "right".to_owned(), vertices });
    mesh
}

/// Where its vertices are in a frame.
pub fn shaken(mesh: &Mesh, frame: usize) -> Vec<DVec3> {
    let up = 0.1 * (0.9 * frame as f64).sin();
    mesh.positions.iter().map(|x| *x + DVec3::Y * up).collect()
}

/// Writes the shaken bar as an animation with so many frames.
pub fn write_shaken(path: &Path, fps: f64, frames: usize) {
    let mesh = bar();
    write_animation(path, mesh.clone().into(), fps, frames, |k| Ok(shaken(&mesh, k)))
        .expect("an animation");
}

/// A studio with these two.
pub fn studio() -> Studio {
    Studio::open(options()).expect("a studio")
}

pub fn options() -> StudioOptions {
    let scene = |name: &str, text: &str| {
        Demo::parse(name, &format!("{text}[demo]\nabout = ''\nstrip = []\n")).expect("a scene")
    };
    let library = Library {
        scenes: vec![scene("cube", CUBE), scene("free", FREE)],
        projects: vec![ProjectDemo::parse("bar", BAR).expect("a project")],
    };
    StudioOptions { library, ..StudioOptions::default() }
}

/// Something that a place said.
#[derive(Clone, Debug)]
pub struct Said {
    pub header: Value,
    body: Vec<u8>,
}

impl Said {
    pub fn kind(&self) -> &str {
        self.header["kind"].as_str().unwrap_or("")
    }

    /// The numbers of an array.
    pub fn floats(&self, name: &str) -> Vec<f32> {
        let mut at = 0;
        for array in self.header["arrays"].as_array().into_iter().flatten() {
            let length = 4 * array["length"].as_u64().unwrap_or(0) as usize;
            if array["name"] == name {
                let words = self.body[at..at + length].chunks_exact(4);
                return words.map(|w| f32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
            }
            at += length;
        }
        Vec::new()
    }
}

/// A page.
pub struct Visitor {
    socket: WebSocketStream<MaybeTlsStream<AsyncStream>>,
    /// Whether it says that it has shown frames.
    pub is_polite: bool,
}

impl Visitor {
    pub async fn enter(studio: &Studio, place: &str) -> Visitor {
        let origin = format!("http://{}", studio.address());
        Visitor::knock(studio, place, studio.token(), Some(&origin)).await.expect("the door opens")
    }

    /// Tries to come in.
    pub async fn knock(
        studio: &Studio,
        place: &str,
        token: &str,
        origin: Option<&str>,
    ) -> Result<Visitor, Error> {
        let address = format!("ws://{}/ws/{place}?token={token}", studio.address());
        let mut request = address.into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().expect("a header"));
        }
        let (socket, _) = connect_async(request).await?;
        Ok(Visitor { socket, is_polite: true })
    }

    pub async fn order(&mut self, command: Value) {
        self.send(Message::Text(command.to_string().into())).await;
    }

    /// Sends anything at all; nobody listening is for whoever reads to find out.
    pub async fn send(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    /// The next thing that is said; `None` when the door is shut.
    pub async fn hear(&mut self) -> Option<Said> {
        loop {
            let message =
                tokio::time::timeout(LONG, self.socket.next()).await.expect("somebody speaks");
            match message? {
                Ok(Message::Text(text)) => {
                    let header = serde_json::from_str(&text).expect("JSON");
                    return Some(Said { header, body: Vec::new() });
                }
                Ok(Message::Binary(bytes)) => {
                    let length =
                        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
                    let header: Value =
                        serde_json::from_slice(&bytes[4..4 + length]).expect("JSON");
                    if self.is_polite && header["kind"] == "frame" {
                        let shown =
                            serde_json::json!({ "do": "shown", "number": header["number"] });
                        self.order(shown).await;
                    }
                    return Some(Said { header, body: bytes[4 + length..].to_vec() });
                }
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// The next thing that is as asked.
    pub async fn until(&mut self, is: impl Fn(&Said) -> bool) -> Said {
        let looking = async {
            loop {
                let said = self.hear().await.expect("the door stays open");
                if is(&said) {
                    return said;
                }
            }
        };
        tokio::time::timeout(LONG, looking).await.expect("it is said")
    }

    /// Two things that may be said in either order.
    pub async fn both(
        &mut self,
        first: impl Fn(&Said) -> bool,
        second: impl Fn(&Said) -> bool,
    ) -> [Said; 2] {
        let one = self.until(|said| first(said) || second(said)).await;
        if first(&one) {
            let other = self.until(second).await;
            [one, other]
        } else {
            [self.until(first).await, one]
        }
    }

    pub async fn kind(&mut self, kind: &str) -> Said {
        self.until(|said| said.kind() == kind).await
    }

    /// A frame with samples: the last of each method.
    pub async fn samples(&mut self) -> Vec<Vec<f64>> {
        let has = |said: &Said| said.kind() == "frame" && said.header["samples"][0][0].is_array();
        let frame = self.until(has).await;
        let lanes = frame.header["samples"].as_array().cloned().unwrap_or_default();
        let last = |lane: &Value| {
            let all = lane.as_array().and_then(|all| all.last()).and_then(Value::as_array);
            all.into_iter().flatten().filter_map(Value::as_f64).collect()
        };
        lanes.iter().map(last).collect()
    }

    pub async fn complaint(&mut self) -> String {
        let said = self.kind("error").await;
        said.header["sentence"].as_str().unwrap_or("").to_owned()
    }
}

/// A request by hand: the status, and the answer.
pub fn request(studio: &Studio, head: &str, headers: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(studio.address()).expect("a connection");
    stream.set_read_timeout(Some(LONG)).expect("a timeout");
    let text = format!(
        "{head} HTTP/1.1\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(text.as_bytes()).expect("it is sent");
    // A server that refuses does not read on.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, answer)
}

/// The headers of the studio's own page.
pub fn own_headers(studio: &Studio) -> String {
    let address = studio.address();
    format!("Host: {address}\r\nOrigin: http://{address}\r\n")
}
