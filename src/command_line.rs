//! The command line of `pliant`: options of every command, and the commands.

use clap::Parser;

use crate::arguments::Options;
use crate::commands::Command;

/// Simulate soft bodies, faces and lips, and add physics to animations
#[derive(Parser)]
#[command(name = "pliant", version, arg_required_else_help = true, after_help = EXAMPLE)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub options: Options,
}

const EXAMPLE: &str = "Examples:\n  pliant demo\n  pliant new scene\n  \
    pliant simulate scene.toml --out run\n  pliant render run --out run.gif";

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use clap::{Arg, Command, CommandFactory};

    use super::*;

    /// Every command and group of commands with the words that a user types for it.
    fn commands() -> Vec<(String, Command)> {
        let mut whole = CommandLine::command();
        whole.build();
        let mut found = Vec::new();
        collect("pliant", &whole, &mut found);
        found
    }

    fn collect(words: &str, command: &Command, found: &mut Vec<(String, Command)>) {
        found.push((words.to_owned(), command.clone()));
        for own in command.get_subcommands().filter(|own| own.get_name() != "help") {
            collect(&format!("{words} {}", own.get_name()), own, found);
        }
    }

    /// The long names of an option that help shows.
    fn names(argument: &Arg) -> Vec<String> {
        let aliases = argument.get_visible_aliases().unwrap_or_default();
        argument.get_long().into_iter().chain(aliases).map(str::to_owned).collect()
    }

    /// How help writes the value of an option; empty for a switch.
    fn value(argument: &Arg) -> String {
        if !argument.get_action().takes_values() {
            return String::new();
        }
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn clap_finds_no_fault() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does_and_shows_an_example() {
        for (words, command) in commands() {
            let about = command.get_about().unwrap_or_else(|| panic!("{words} says nothing"));
            let about = about.to_string();
            let first = about.chars().next().unwrap();
            assert!(first.is_uppercase() && !about.ends_with('.'), "{words}: {about}");
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.starts_with("Example"), "{words} has no example: {after}");
            assert!(
                after.contains(&format!("  {words} ")) || words == "pliant",
                "{words}: {after}"
            );
        }
    }

    #[test]
    fn every_example_is_understood() {
        for (words, command) in commands() {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in after.lines().filter(|line| line.trim_start().starts_with("pliant ")) {
                let line = line.split(" > ").next().unwrap();
                let typed = crate::next_step::words(line);
                let read = CommandLine::try_parse_from(typed);
                assert!(read.is_ok(), "{words}: {line}: {}", read.err().unwrap());
            }
        }
    }

    /// One name, one kind of value. `--frames` of `lips` is the captured animation, and the range
    /// is `--range` there; `--out` is a file or a folder.
    #[test]
    fn an_option_means_the_same_in_every_command() {
        let mut meanings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (words, command) in commands() {
            for argument in command.get_arguments() {
                let value = value(argument);
                for name in names(argument) {
                    match name.as_str() {
                        "frames" if words.starts_with("pliant lips") => {
                            assert_eq!(value, "CAPTURE", "{words}");
                            assert!(names(argument).contains(&"capture".to_owned()), "{words}");
                        }
                        "out" => assert!(
                            value == "DIR" || value == "FILE" || value.starts_with("FILE."),
                            "{words}: {value}"
                        ),
                        _ => {
                            meanings.entry(name).or_default().insert(value.clone());
                        }
                    }
                }
            }
        }
        let several: Vec<_> = meanings.iter().filter(|(_, values)| values.len() > 1).collect();
        assert!(several.is_empty(), "{several:#?}");
        for shared in ["quiet", "threads", "fps", "frames", "range", "capture", "size", "pixels"] {
            assert!(meanings.contains_key(shared), "--{shared} is gone");
        }
    }

    #[test]
    fn every_range_of_frames_has_both_names_and_every_output_is_short() {
        for (words, command) in commands() {
            for argument in command.get_arguments() {
                let names = names(argument);
                if value(argument) == "A..B" && !words.starts_with("pliant lips") {
                    assert_eq!(names, ["frames", "range"], "{words}");
                }
                if names.contains(&"out".to_owned()) {
                    assert_eq!(argument.get_short(), Some('o'), "{words}");
                }
            }
        }
    }

    /// The page of shared options names them all: those of more than one command.
    #[test]
    fn the_page_of_commands_is_complete() {
        let page = include_str!("../docs/commands.md");
        let mut users: BTreeMap<String, usize> = BTreeMap::new();
        for (words, command) in commands() {
            if command.get_subcommands().next().is_none() {
                assert!(page.contains(&format!("`{words}")), "docs/commands.md has no `{words}`");
            }
            for argument in command.get_arguments() {
                names(argument).into_iter().for_each(|name| *users.entry(name).or_default() += 1);
            }
        }
        for (name, _) in users.iter().filter(|(name, users)| **users > 1 && *name != "help") {
            assert!(page.contains(&format!("`--{name}")), "docs/commands.md has no `--{name}`");
        }
    }
}
