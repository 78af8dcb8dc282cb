//! `gdl completions`: prints a shell script that completes commands and the names of games,
//! players, codes and lints.
//!
//! Clap generates the script from the possible values of arguments. Code in the shell's own
//! language is added where a file is possible too, and for positional arguments that clap does not
//! complete.

use clap::{Arg, Args, Command, builder::PossibleValuesParser};
use clap_complete::Shell;
use gdl_compiler::{
    Severity,
    diagnostic::{Code, codes},
};
use gdl_tools::{error::Result, players};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Arguments of `gdl completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gdl completions bash > ~/.local/share/bash-completion/completions/gdl
  gdl completions fish > ~/.config/fish/completions/gdl.fish
  gdl completions zsh > ~/.zfunc/_gdl

zsh also needs `fpath+=~/.zfunc` before `compinit` in .zshrc.")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Prints the script for a command.
///
/// # Errors
/// Returns an error if writing to stdout fails.
pub(crate) fn run(args: &CompletionsArgs, command: fn() -> Command) -> Result {
    let mut command = named(command());
    // The script is built in memory, because the generator panics if a write fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "gdl", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let mut places = Vec::new();
    positionals(&command, &mut Vec::new(), &mut places);
    let script = match args.shell {
        Shell::Bash => bash(script, &places),
        Shell::Fish => fish(script, &places),
        Shell::Zsh => zsh(&script),
        _ => script,
    };
    let mut out = io::stdout().lock();
    out.write_all(script.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Returns the possible values of an argument, by its value name. Returns no words if the values
/// are not a known list.
fn words(argument: &Arg) -> Vec<&'static str> {
    let is_lint = |code: &&&Code| !code.reserved && code.severity != Severity::Error;
    let lints = || codes::ALL.iter().filter(is_lint).map(|code| code.name);
    let called = argument.get_value_names().and_then(|names| names.first());
    let id = argument.get_id().as_str();
    match called.map_or(id, |name| name.as_str()) {
        "GAME" | "game" => gdl_games::LIST.iter().map(|entry| entry.name).collect(),
        "PLAYER" => players::KINDS.iter().map(|kind| kind.name).collect(),
        "CODE" => {
            let codes = codes::ALL.iter().filter(|code| !code.reserved);
            codes.flat_map(|code| [code.id, code.name]).collect()
        }
        "LINT" => match id {
            "warn" => lints().chain(["lints"]).collect(),
            "deny" => lints().chain(["warnings"]).collect(),
            _ => lints().collect(),
        },
        _ => Vec::new(),
    }
}

/// Returns the command with the possible values of its arguments set.
fn named(command: Command) -> Command {
    let command = command.mut_args(|argument| match words(&argument) {
        words if words.is_empty() => argument,
        words => argument.value_parser(PossibleValuesParser::new(words)),
    });
    command.mut_subcommands(named)
}

/// The path of a subcommand, and the possible values of its positional arguments.
type Place = (Vec<String>, Vec<&'static str>);

fn positionals(command: &Command, path: &mut Vec<String>, places: &mut Vec<Place>) {
    let words: Vec<&str> = command.get_positionals().flat_map(words).collect();
    if !words.is_empty() {
        places.push((path.clone(), words));
    }
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        path.push(subcommand.get_name().to_owned());
        positionals(subcommand, path, places);
        path.pop();
    }
}

/// Adds completions of positional arguments for Bash. Clap completes only options and the first
/// argument. If it finds nothing, all words of the command are offered, and files if no word
/// matches.
fn bash(mut script: String, places: &[Place]) -> String {
    script.push_str(
        "
_gdl_with_names() {
    _gdl \"$@\"
    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"
    if [[ ${#COMPREPLY[@]} -gt 0 || ${COMP_CWORD} -lt 2 || ${cur} == -* || ${prev} == -* ]]; then
        return 0
    fi
    case \"${COMP_WORDS[1]} ${COMP_WORDS[2]} \" in
",
    );
    for (path, words) in places {
        let _ = writeln!(
            script,
            "        \"{} \"*) COMPREPLY=( $(compgen -W \"{}\" -- \"${{cur}}\") ) ;;",
            path.join(" "),
            words.join(" ")
        );
    }
    script.push_str(
        "    esac
}

complete -F _gdl_with_names -o bashdefault -o default gdl
",
    );
    script
}

/// Adds completions of positional arguments for fish, where clap completes only options.
fn fish(mut script: String, places: &[Place]) -> String {
    for (path, words) in places {
        let _ = write!(script, "complete -c gdl -n \"__fish_gdl_using_subcommand {}", path[0]);
        for inner in &path[1..] {
            let _ = write!(script, "; and __fish_seen_subcommand_from {inner}");
        }
        let _ = writeln!(script, "\" -a \"{}\"", words.join(" "));
    }
    script
}

/// Adds files to the completions of games for Zsh, where clap offers only the built-in names.
fn zsh(script: &str) -> String {
    let games: Vec<&str> = gdl_games::LIST.iter().map(|entry| entry.name).collect();
    let list = format!("({})", games.join(" "));
    let function = format!(
        "\n_gdl_games() {{\n    _alternative 'games:game:{list}' 'files:rulesheet:_files'\n}}\n\n_gdl() {{"
    );
    script
        .replace(&format!(":{list}'"), ":_gdl_games'")
        .replace(&format!(":{list}\""), ":_gdl_games\"")
        .replacen("\n_gdl() {", &function, 1)
}
