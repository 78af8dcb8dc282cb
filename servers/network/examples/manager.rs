//! Plays a match with a real manager, and fails unless the player answers each message.
//!
//! COMMAND is the manager's command for a shell, in which `{PORT}` stands for the player's port.
//!
//!     cargo run -p gdl-network --example manager -- COMMAND

use gdl_network::{Host, serve};
use gdl_players::player::Random;
use std::{
    error::Error,
    net::{Ipv4Addr, TcpListener},
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

fn main() -> Result<(), Box<dyn Error>> {
    let command = std::env::args().nth(1).ok_or("usage: manager COMMAND")?;
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let host = Host::new("gdl", |seed| Some(Box::new(Random::new().seed(seed)))).without_pondering();
    let host = host.log(move |note| told.lock().expect("it is whole").push(note.clone()));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let command = command.replace("{PORT}", &listener.local_addr()?.port().to_string());
    thread::spawn(move || serve(listener, host));
    let status = Command::new("sh").args(["-c", &command]).status()?;
    assert!(status.success(), "{command}");
    let notes = notes.lock().expect("it is whole");
    let answers = |what: &str| -> Vec<&str> {
        notes.iter().filter(|note| note.what == what).filter_map(|note| note.answer.as_deref()).collect()
    };
    let (starts, plays, stops) = (answers("START"), answers("PLAY"), answers("STOP"));
    assert!(!starts.is_empty() && starts.iter().all(|answer| *answer == "ready"), "{notes:?}");
    assert!(!plays.is_empty() && !plays.contains(&"nil") && !plays.contains(&"busy"), "{notes:?}");
    assert_eq!(stops.len(), starts.len(), "{notes:?}");
    println!("{} matches, {} moves", starts.len(), plays.len());
    Ok(())
}
