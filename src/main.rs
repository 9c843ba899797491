//! The command `pliant`.
//!
//! Exit status: 0 done, 1 failed (one sentence on stderr says why), 2 wrong usage, 130 stopped
//! with Ctrl-C.

mod arguments;
mod commands;
mod failure;
mod interrupt;
mod progress;
mod report;
mod work;

use std::panic;
use std::process::ExitCode;

use clap::Parser;

use arguments::Options;
use commands::Command;

/// Physics for faces and for everything soft.
#[derive(Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLE)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    options: Options,
}

const EXAMPLE: &str = "Example:\n  pliant demo\n  pliant simulate scene.toml --out run\n  pliant render run --out run.gif";

fn main() -> ExitCode {
    panic::set_hook(Box::new(say_bug_and_exit));
    let CommandLine { command, options } = CommandLine::parse();
    match commands::run(command, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report::complain(&failure.to_string());
            failure.exit_code()
        }
    }
}

/// The last line of defence: a fault of the program itself is one sentence, too.
fn say_bug_and_exit(fault: &panic::PanicHookInfo<'_>) {
    let message = fault.payload_as_str().unwrap_or("no message");
    let place =
        fault.location().map_or(String::new(), |at| format!(" at {}:{}", at.file(), at.line()));
    report::complain(&format!(
        "pliant itself failed{place} ({message}); this is a bug, please report it with your input"
    ));
    std::process::exit(1);
}
