//! Writes mutants of short built-in games to files, as candidates for `gdl judge`. Most mutants are
//! not valid games (`docs/how-to/judging.md`).
//!
//! ```text
//! cargo run -p gdl-tests --example candidates -- FOLDER COUNT SEED
//! ```

use gdl_tests::mutant::mutate;
use std::{env, error::Error, fs, path::PathBuf};

/// The size in bytes below which a rulesheet is mutated.
const SHORT: usize = 4_200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, count, seed] = &arguments[..] else {
        return Err("say a folder, how many candidates, and a seed".into());
    };
    let (folder, count, seed) = (PathBuf::from(folder), count.parse::<u64>()?, seed.parse()?);
    fs::create_dir_all(&folder)?;
    let games: Vec<_> = gdl_games::LIST.iter().filter(|entry| entry.text.len() < SHORT).collect();
    for (number, entry) in (0..count).zip(games.iter().cycle()) {
        let text = mutate(entry.text, seed, number).join("\n") + "\n";
        fs::write(folder.join(format!("{}_{number:05}.kif", entry.name)), text)?;
    }
    Ok(())
}
