//! `pliant bench`: the suites of `pliant-bench`, in builds with the feature `bench`.

#[cfg(not(feature = "bench"))]
pub use missing::{Arguments, run};
#[cfg(feature = "bench")]
pub use suites::{Arguments, run};

#[cfg(feature = "bench")]
mod suites {
    use std::cell::OnceCell;

    use clap::Args;
    use pliant::project::picture::figure;
    use pliant_bench::command::{self, CommandError};

    use crate::arguments::Options;
    use crate::failure::Failure;
    use crate::interrupt;
    use crate::progress::Progress;
    use crate::report;

    /// Run benchmark suites: a table for people, JSON for programs
    #[derive(Args)]
    #[command(after_help = "Examples:\n  pliant bench --list\n  \
        pliant bench conservation --only \"spinning neo-hookean\"\n  \
        pliant bench conservation --json > conservation.json")]
    pub struct Arguments {
        #[command(flatten)]
        words: command::Arguments,
    }

    pub fn run(arguments: Arguments, options: &Options) -> Result<(), Failure> {
        interrupt::listen()?;
        let progress = OnceCell::new();
        let show = |done: usize, total: usize| {
            progress
                .get_or_init(|| Progress::start(options, "rows", total as u64))
                .at(done as u64)
        };
        let answer = command::run(arguments.words, options.threads(), &interrupt::asked, show)?;
        drop(progress);
        answer.lines.iter().for_each(|line| report::say(line));
        if !options.quiet {
            answer.remarks.iter().for_each(|line| report::remark(line));
        }
        if let Some((drawn, path)) = &answer.figure {
            figure::save(drawn, path)?;
        }
        answer.unfinished.map_or(Ok(()), |sentence| Err(Failure::interrupted(sentence)))
    }

    impl From<CommandError> for Failure {
        fn from(error: CommandError) -> Failure {
            match error.status() {
                2 => Failure::usage(error.to_string()),
                _ => Failure::new(error.to_string()),
            }
        }
    }
}

#[cfg(not(feature = "bench"))]
mod missing {
    use clap::Args;

    use crate::arguments::Options;
    use crate::failure::Failure;

    /// Run benchmark suites, in builds that have them
    #[derive(Args)]
    #[command(after_help = "Examples:\n  pliant bench --list\n  pliant bench conservation\n\n\
        Builds have them with `cargo install --path . --features bench`.")]
    pub struct Arguments {
        /// Arguments of `pliant-bench`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    }

    pub fn run(arguments: Arguments, _: &Options) -> Result<(), Failure> {
        let words: String = arguments.words.iter().map(|word| format!(" {word}")).collect();
        let separator = if words.is_empty() { "" } else { " --" };
        Err(Failure::new(format!(
            "this build has no benchmarks; run `cargo run --release -p pliant-bench{separator}{words}`, \
             or install a build that has them with `cargo install --path . --features bench`"
        )))
    }
}
