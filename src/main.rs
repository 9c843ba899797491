//! The command `pliant`.
//!
//! Exit status: 0 done, 1 failed (one sentence on stderr says why), 2 wrong usage, 130 stopped
//! with Ctrl-C.

mod arguments;
mod command_line;
mod commands;
mod failure;
mod interrupt;
mod next_step;
mod progress;
mod report;
mod viewpoint;
mod work;

use std::panic;
use std::process::ExitCode;

use clap::Parser;

use command_line::CommandLine;

fn main() -> ExitCode {
    panic::set_hook(Box::new(say_bug_and_exit));
    let CommandLine { command, options } = CommandLine::parse();
    if !options.quiet {
        options.thread_note().iter().for_each(|note| report::remark(note));
    }
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
