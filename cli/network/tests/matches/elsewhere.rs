//! A match with a real manager. The environment variable `GDL_MANAGER` has the manager's command,
//! in which `{PORT}` stands for the player's port.

use crate::listen;
use gdl_network::Host;
use gdl_runtime::player::Random;
use std::{
    process::Command,
    sync::{Arc, Mutex},
};

#[test]
#[ignore = "needs a manager: `GDL_MANAGER=COMMAND cargo test -p gdl-network -- --ignored a_real_manager`"]
fn a_real_manager_finishes_a_match() {
    let command = std::env::var("GDL_MANAGER").expect("GDL_MANAGER has the command of a manager");
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let host = Host::new("gdl", |seed| Some(Box::new(Random::new().seed(seed)))).without_pondering();
    let address = listen(host.log(move |note| told.lock().expect("it is whole").push(note.clone())));
    let command = command.replace("{PORT}", &address.port().to_string());
    let status = Command::new("sh").args(["-c", &command]).status().expect("a shell");
    assert!(status.success(), "{command}");
    let notes = notes.lock().expect("it is whole");
    let answers = |what: &str| -> Vec<&str> {
        notes.iter().filter(|note| note.what == what).filter_map(|note| note.answer.as_deref()).collect()
    };
    let (starts, plays, stops) = (answers("START"), answers("PLAY"), answers("STOP"));
    assert!(!starts.is_empty() && starts.iter().all(|answer| *answer == "ready"), "{notes:?}");
    assert!(!plays.is_empty() && !plays.contains(&"nil") && !plays.contains(&"busy"), "{notes:?}");
    assert_eq!(stops.len(), starts.len(), "{notes:?}");
}
