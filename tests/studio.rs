//! `pliant studio` from outside: it prints where it is, answers there, and leaves on Ctrl-C.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use crate::pliant::Folder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

#[test]
fn it_prints_an_address_answers_there_and_leaves_on_ctrl_c() {
    let folder = Folder::new("studio");
    let mut command = folder.command(&["studio", "--no-open", "--threads", "1"]);
    let mut program = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (host, query) = line.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(host.starts_with("127.0.0.1:") && query.starts_with("?token="), "{line}");
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let page = ask(query);
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    // With Node a page, without it a sentence.
    assert!(page.contains("app.js") || page.contains("the studio has no page"), "{page}");
    assert!(ask("?token=guess").starts_with("HTTP/1.1 403"));
    kill(Pid::from_raw(program.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(0));
}

#[test]
fn a_file_that_is_not_there_is_a_sentence() {
    let folder = Folder::new("studio-missing");
    let run = folder.pliant(&["studio", "nowhere.toml", "--no-open"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.starts_with("error: nowhere.toml: "), "{}", run.stderr);
}
