//! How fast the studio is: frames per second on the socket with a page that shows them at once,
//! frames from a drag to the one that shows it, and memory: what the system has given, and what is
//! in use, at first and in the end. `cargo run --release -p pliant-studio --example figures
//! [SECONDS] [THREADS]` prints them as JSON. Nothing is drawn: a browser is measured by its own
//! tests.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use pliant_project::demo;
use pliant_studio::{Library, Studio, StudioOptions};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

type Fault = Box<dyn std::error::Error>;

/// Seconds before anything is counted.
const WARM: f64 = 5.0;
/// Drags that are timed.
const DRAGS: u64 = 40;
/// Seconds over which the least that is in use is looked for: frames come and go.
const WINDOW: f64 = 3.0;

/// The system's memory, counted.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static MEMORY: Counting = Counting;

// SAFETY: the system's own answers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_add(size, Ordering::Relaxed);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().map_or(Ok(20.0), |word| word.parse())?;
    let threads = arguments.next().map_or(Ok(1), |word| word.parse())?;
    let scenes = demo::find("jelly").into_iter().collect::<Result<_, _>>()?;
    let library = Library { scenes, ..Library::default() };
    let studio = Studio::open(StudioOptions { threads, library, ..StudioOptions::default() })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rows = runtime.block_on(async {
        let jelly = jelly(&studio, seconds).await?;
        let face = face(&studio, seconds).await?;
        Ok::<_, Fault>(vec![jelly, face])
    })?;
    println!("{:#}", json!({ "rows": rows }));
    Ok(())
}

async fn jelly(studio: &Studio, seconds: f64) -> Result<Value, Fault> {
    let mut page = Page::enter(studio, "play").await?;
    let state = page.until("state").await?;
    page.order(json!({ "do": "set", "change": { "pace": 0.0 }, "what": "pace", "ended": true }))
        .await?;
    let counted = page.count(seconds).await?;
    page.order(json!({ "do": "grab", "vertex": 100 })).await?;
    let (mut all, mut worst) = (0, 0);
    for number in 1..=DRAGS {
        let by = [0.01 * (number as f64 * 0.7).sin(), 0.0, 0.0];
        page.order(json!({ "do": "drag", "by": by, "number": number })).await?;
        let mut frames = 0;
        while page.until("frame").await?["dragged"].as_u64() < Some(number) {
            frames += 1;
        }
        all += frames + 1;
        worst = worst.max(frames + 1);
    }
    page.order(json!({ "do": "release" })).await?;
    let mut row =
        counted.row("jelly, 20 iterations, as fast as it goes", state["elements"].clone());
    row["drag_latency_frames"] = json!({ "mean": f64::from(all) / DRAGS as f64, "most": worst });
    Ok(row)
}

async fn face(studio: &Studio, seconds: f64) -> Result<Value, Fault> {
    let mut page = Page::enter(studio, "face").await?;
    let library = page.until("library").await?;
    page.order(json!({ "do": "load", "file": "speech" })).await?;
    let counted = page.count(seconds).await?;
    Ok(counted.row("face that speaks, at most 30 per second", library["tets"].clone()))
}

/// What was counted.
struct Counted {
    frames: u32,
    seconds: f64,
    bytes: usize,
    /// Milliseconds that the simulation took, all frames.
    simulated: f64,
    /// Megabytes of the whole program, at first and in the end.
    memory: [f64; 2],
    /// Megabytes in use between frames.
    in_use: [f64; 2],
}

impl Counted {
    fn row(&self, name: &str, tets: Value) -> Value {
        json!({
            "name": name,
            "tets": tets,
            "frames_per_second": f64::from(self.frames) / self.seconds,
            "kilobytes_per_frame": self.bytes as f64 / f64::from(self.frames.max(1)) / 1e3,
            "simulated_ms_per_frame": self.simulated / f64::from(self.frames.max(1)),
            "seconds": self.seconds,
            "memory_mb": self.memory,
            "in_use_mb": self.in_use,
        })
    }
}

/// A page that shows every frame at once.
struct Page {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Of the last frame.
    bytes: usize,
}

impl Page {
    async fn enter(studio: &Studio, place: &str) -> Result<Page, Fault> {
        let address = studio.address();
        let place = format!("ws://{address}/ws/{place}?token={}", studio.token());
        let mut request = place.into_client_request()?;
        request.headers_mut().insert("origin", format!("http://{address}").parse()?);
        // As browsers do, it sends every message at once.
        let (socket, _) = connect_async_with_config(request, None, true).await?;
        Ok(Page { socket, bytes: 0 })
    }

    async fn order(&mut self, command: Value) -> Result<(), Fault> {
        Ok(self.socket.send(Message::Text(command.to_string().into())).await?)
    }

    async fn until(&mut self, kind: &str) -> Result<Value, Fault> {
        loop {
            let message = self.socket.next().await.ok_or("the studio has closed")??;
            let header: Value = match &message {
                Message::Text(text) => serde_json::from_str(text)?,
                Message::Binary(bytes) => {
                    let length = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                    serde_json::from_slice(&bytes[4..4 + length as usize])?
                }
                _ => continue,
            };
            if header["kind"] == "error" {
                return Err(header["sentence"].as_str().unwrap_or("an error").into());
            }
            if header["kind"] == "frame" {
                self.bytes = message.len();
                self.order(json!({ "do": "shown", "number": header["number"] })).await?;
            }
            if header["kind"] == kind {
                return Ok(header);
            }
        }
    }

    async fn count(&mut self, seconds: f64) -> Result<Counted, Fault> {
        let warm = Instant::now() + Duration::from_secs_f64(WARM);
        while Instant::now() < warm {
            self.until("frame").await?;
        }
        let (start, first) = (Instant::now(), memory());
        let mut counted = Counted {
            frames: 0,
            seconds: 0.0,
            bytes: 0,
            simulated: 0.0,
            memory: [first; 2],
            in_use: [f64::INFINITY; 2],
        };
        loop {
            let passed = start.elapsed().as_secs_f64();
            if passed >= seconds {
                break;
            }
            let in_use = IN_USE.load(Ordering::Relaxed) as f64 / (1 << 20) as f64;
            let windows = [passed < WINDOW, seconds - passed < WINDOW];
            for (least, _) in counted.in_use.iter_mut().zip(windows).filter(|(_, is_in)| *is_in) {
                *least = least.min(in_use);
            }
            let header = self.until("frame").await?;
            let steps = header["samples"][0].as_array().into_iter().flatten();
            counted.simulated += steps.filter_map(|sample| sample[6].as_f64()).sum::<f64>();
            counted.simulated += header["milliseconds"].as_f64().unwrap_or(0.0);
            counted.frames += 1;
            counted.bytes += self.bytes;
        }
        counted.seconds = start.elapsed().as_secs_f64();
        counted.memory[1] = memory();
        Ok(counted)
    }
}

/// Of this program (MB); 0 where the system does not tell.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
