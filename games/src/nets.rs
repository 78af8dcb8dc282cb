//! The nets of built-in games, which the player `best` uses. `games/nets/train` makes them.

/// Lists the nets by the names of their games.
#[cfg(not(target_family = "wasm"))]
macro_rules! nets {
    ($($name:ident),* $(,)?) => {
        &[$((stringify!($name), include_bytes!(concat!("../nets/", stringify!($name), ".net")))),*]
    };
}

/// The games that have a net, with the bytes of the file of `gdl train`. Empty on WebAssembly,
/// where they would make a page larger by half.
#[cfg(not(target_family = "wasm"))]
pub static NETS: &[(&str, &[u8])] = nets![
    breakthrough,
    breakthrough_small,
    checkers,
    chess,
    connect_four,
    dots_and_boxes,
    kalah,
    nine_mens_morris,
    pentago,
    reversi,
    xiangqi,
    yavalath,
];

/// No game has a net here.
#[cfg(target_family = "wasm")]
pub static NETS: &[(&str, &[u8])] = &[];

#[cfg(test)]
mod tests {
    use super::NETS;
    use std::{fs, path::Path};

    #[test]
    fn every_file_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets");
        let mut files: Vec<String> = fs::read_dir(folder)
            .expect("the folder of the nets")
            .map(|file| file.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "net"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        files.sort();
        assert!(NETS.iter().map(|(name, _)| name).eq(&files), "{files:?}");
    }
}
