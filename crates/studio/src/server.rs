//! The server: a page, its places' sockets, and uploads, for one person on this machine.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use pliant_project::ProjectError;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::access::Access;
use crate::error::StudioError;
use crate::opened::{Library, Opened, UPLOADED};
use crate::session::Session;
use crate::{page, places, socket};

/// Longest command (bytes).
const LONGEST_COMMAND: usize = 1 << 20;
/// Largest upload, and all of them together (bytes).
const LARGEST_UPLOAD: usize = 64 << 20;
const ALL_UPLOADS: u64 = 512 << 20;
/// Pages at a time, at one place.
const MOST_PAGES: usize = 16;

/// How the studio is opened.
#[derive(Clone, Debug)]
pub struct StudioOptions {
    /// A scene, a face, a folder …
    pub file: Option<PathBuf>,
    /// Where to listen; this machine only, unless somebody says otherwise.
    pub host: IpAddr,
    /// 0 for any that is free.
    pub port: u16,
    /// For a simulation.
    pub threads: usize,
    /// What is built in.
    pub library: Library,
}

impl Default for StudioOptions {
    fn default() -> Self {
        StudioOptions {
            file: None,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            threads: 1,
            library: Library::default(),
        }
    }
}

/// A server at work; dropping it ends it.
pub struct Studio {
    address: SocketAddr,
    access: Access,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Hall {
    access: Access,
    opened: Arc<Opened>,
    sessions: Mutex<BTreeMap<&'static str, Arc<Session>>>,
}

impl Studio {
    /// Opens the studio, in threads of its own.
    ///
    /// ```
    /// use pliant_studio::{Studio, StudioOptions};
    /// let studio = Studio::open(StudioOptions::default())?;
    /// assert!(studio.url().starts_with("http://127.0.0.1:"));
    /// # Ok::<(), pliant_studio::StudioError>(())
    /// ```
    ///
    /// # Errors
    /// When the file is not there, or nothing can be served at the address.
    pub fn open(options: StudioOptions) -> Result<Studio, StudioError> {
        let StudioOptions { file, host, port, threads, library } = options;
        let opened = Arc::new(Opened::new(file.as_deref(), library, threads.max(1))?);
        let asked = SocketAddr::new(host, port);
        let refused = |source| StudioError::Address { address: asked.to_string(), source };
        let listener = std::net::TcpListener::bind(asked).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let access = Access::new(address)?;
        let hall = Arc::new(Hall { access: access.clone(), opened, sessions: Mutex::default() });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let system = |reason: std::io::Error| StudioError::System {
            what: "cannot start the server",
            reason: reason.to_string(),
        };
        let runtime = runtime.map_err(system)?;
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                // Every message goes at once: one that waits for the last one's receipt comes a
                // frame late.
                let listener = listener.tap_io(|stream| {
                    let _ = stream.set_nodelay(true);
                });
                let served = axum::serve(listener, router(hall.clone()));
                tokio::select! {
                    _ = served => {}
                    _ = stopped => {}
                }
            });
            // Conversations end with the runtime, and give back their sessions.
            drop(runtime);
            let sessions = std::mem::take(&mut *hall.lock());
            sessions.into_values().filter_map(Arc::into_inner).for_each(Session::close);
        };
        let thread = std::thread::Builder::new().name("studio".to_owned()).spawn(serve);
        Ok(Studio { address, access, stop: Some(stop), thread: Some(thread.map_err(system)?) })
    }

    /// What to type into a browser.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.access.token())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What visitors must know.
    pub fn token(&self) -> &str {
        self.access.token()
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Hall {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a name, at work from its first visitor on.
    fn session(&self, name: &str) -> Option<Result<Arc<Session>, StudioError>> {
        let (name, work) = places::ALL.iter().find(|(known, _)| *known == name)?;
        let mut sessions = self.lock();
        if let Some(session) = sessions.get(name) {
            return Some(Ok(session.clone()));
        }
        let session = Session::start(name, *work, self.opened.clone()).map(Arc::new);
        Some(session.inspect(|session| {
            sessions.insert(name, session.clone());
        }))
    }
}

#[derive(Deserialize)]
struct Key {
    token: Option<String>,
}

fn router(hall: Arc<Hall>) -> Router {
    Router::new()
        .route("/", get(front))
        .route("/app.js", get(|| async { asset(page::SCRIPT, "text/javascript") }))
        .route("/app.css", get(|| async { asset(page::STYLE, "text/css") }))
        .route("/ws/{place}", get(enter))
        .route("/upload/{name}", post(upload).layer(DefaultBodyLimit::max(LARGEST_UPLOAD)))
        .route("/made/{name}", get(made))
        .with_state(hall)
}

fn asset(bytes: &'static [u8], kind: &'static str) -> Response {
    let kind = format!("{kind}; charset=utf-8");
    ([(CONTENT_TYPE, kind.as_str()), (CACHE_CONTROL, "no-cache")], bytes).into_response()
}

async fn front(
    State(hall): State<Arc<Hall>>,
    Query(key): Query<Key>,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = hall.access.admit(&headers, key.token.as_deref(), false) {
        return refused.into_response();
    }
    let mut response = page::front().into_response();
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; \
        frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response.headers_mut().insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    response
}

async fn enter(
    State(hall): State<Arc<Hall>>,
    Path(place): Path<String>,
    Query(key): Query<Key>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if let Err(refused) = hall.access.admit(&headers, key.token.as_deref(), true) {
        return refused.into_response();
    }
    let session = match hall.session(&place) {
        None => return (StatusCode::NOT_FOUND, "There is no such place.\n").into_response(),
        Some(Err(error)) => {
            return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response();
        }
        Some(Ok(session)) => session,
    };
    if session.outlet.watchers() >= MOST_PAGES {
        let sentence = "So many pages are open that no more are let in.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    }
    let upgrade = upgrade.max_message_size(LONGEST_COMMAND).max_frame_size(LONGEST_COMMAND);
    upgrade.on_upgrade(move |socket| socket::converse(socket, session))
}

async fn upload(
    State(hall): State<Arc<Hall>>,
    Path(name): Path<String>,
    Query(key): Query<Key>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    if let Err(refused) = hall.access.admit(&headers, key.token.as_deref(), true) {
        return refused.into_response();
    }
    if hall.opened.uploads().size() + bytes.len() as u64 > ALL_UPLOADS {
        let sentence = "No more can be uploaded to this studio.\n";
        return (StatusCode::INSUFFICIENT_STORAGE, sentence).into_response();
    }
    match hall.opened.uploads().write(&name, &bytes) {
        Ok(()) => format!("{UPLOADED}{name}").into_response(),
        Err(error) => {
            let status = match error {
                ProjectError::Io(_) => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::BAD_REQUEST,
            };
            (status, error.to_string()).into_response()
        }
    }
}

/// A file that a place has made for its page to take with it.
async fn made(
    State(hall): State<Arc<Hall>>,
    Path(name): Path<String>,
    Query(key): Query<Key>,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = hall.access.admit(&headers, key.token.as_deref(), false) {
        return refused.into_response();
    }
    let Ok(bytes) = hall.opened.download(&name) else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    let kind = [
        (CONTENT_TYPE, "application/octet-stream"),
        (CONTENT_DISPOSITION, "attachment"),
        (CACHE_CONTROL, "no-store"),
    ];
    (kind, bytes).into_response()
}
