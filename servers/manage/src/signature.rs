//! Signatures: a record becomes JSON signed by its writer, in the way that ggp-base signs and
//! verifies matches.
//!
//! The public key is added to the record, and then the signature of its canonical form: RSA with
//! SHA-1 and the padding of PKCS #1. A signature is in base 64, after a prefix that names the
//! canonical form and RSA. The canonical form has sorted keys, no blanks, and one way to escape
//! texts. Other programs only support SHA-1, which cannot stop the owner of a key from making two
//! records with the same signature.

use base64ct::{Base64, Encoding};
use gdl_players::record::Record;
use gdl_tools::error::{Error, Result};
use rsa::{
    Pkcs1v15Sign, PrivateKey,
    pkcs1::DecodeRsaPrivateKey,
    pkcs8::{DecodePrivateKey, EncodePublicKey},
};
use serde::Deserialize;
use serde_json::Value;
use sha1::{Digest, Sha1};
use std::{
    fmt::{self, Write},
    fs::File,
    io::Read,
    path::Path,
};

/// The most bytes of a key file.
const MOST_BYTES: u64 = 1 << 16;

/// The prefix of keys and signatures that identifies RSA.
const RSA: &str = "0";

/// The prefix of a signature that identifies the canonical form.
const CANONICAL: &str = "A";

/// A private key for signing records.
pub struct Key {
    private: PrivateKey,
    /// The public key, in the form of records.
    public: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("public", &self.public).finish_non_exhaustive()
    }
}

/// A pair of keys in the format of ggp-base.
#[derive(Deserialize)]
struct Pair {
    #[serde(rename = "SK")]
    private: String,
}

impl Key {
    /// Reads a private RSA key from a file: PEM (PKCS #8 or #1), or JSON of ggp-base with the key
    /// as `SK`.
    ///
    /// # Errors
    /// Returns an error if the file has no such key, or is too large for one.
    pub fn open(path: &Path) -> Result<Self> {
        let unreadable =
            |error: &dyn fmt::Display| Error::Input(format!("cannot read {}: {error}", path.display()));
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let mut text = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
        if text.len() as u64 > MOST_BYTES {
            return Err(unreadable(&format!(
                "it has more than {MOST_BYTES} bytes: no key file is that large"
            )));
        }
        Self::read(&String::from_utf8_lossy(&text)).ok_or_else(|| {
            unreadable(
                &"it contains no private RSA key\n  = help: `openssl genpkey -algorithm RSA -out key.pem` makes one",
            )
        })
    }

    /// Parses a key from the text of a key file.
    fn read(text: &str) -> Option<Self> {
        let private = if let Ok(Pair { private }) = serde_json::from_str(text) {
            PrivateKey::from_pkcs8_der(&Base64::decode_vec(private.strip_prefix(RSA)?).ok()?).ok()?
        } else {
            PrivateKey::from_pkcs8_pem(text).ok().or_else(|| PrivateKey::from_pkcs1_pem(text).ok())?
        };
        let public = private.to_public_key().to_public_key_der().ok()?;
        Some(Self { public: format!("{RSA}{}", Base64::encode_string(public.as_bytes())), private })
    }

    /// Returns a record as JSON with its signature.
    ///
    /// # Errors
    /// Returns an error if the key is too small for a signature.
    pub fn sign(&self, record: &Record) -> Result<String> {
        let unsigned = |error: &dyn fmt::Display| Error::Input(format!("cannot sign a record: {error}"));
        let mut value = serde_json::to_value(record).map_err(|error| unsigned(&error))?;
        value["matchHostPK"] = Value::String(self.public.clone());
        let mut text = String::new();
        write_canonical(&value, &mut text);
        let signature = self.private.sign(Pkcs1v15Sign::new::<Sha1>(), &Sha1::digest(text));
        let signature = Base64::encode_string(&signature.map_err(|error| unsigned(&error))?);
        value["matchHostSignature"] = Value::String(format!("{CANONICAL}{RSA}{signature}"));
        Ok(value.to_string())
    }
}

/// Writes JSON in its canonical form. All numbers in a record are integers, and the lists in a
/// record nest at most two deep.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            // Java compares by UTF-16 units; that is the same order, since the keys of records are
            // ASCII.
            fields.sort_by(|a, b| a.0.cmp(b.0));
            text.push('{');
            for (i, (key, value)) in fields.into_iter().enumerate() {
                text.push_str(if i == 0 { "" } else { "," });
                write_quoted(key, text);
                text.push(':');
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                text.push_str(if i == 0 { "" } else { "," });
                write_canonical(item, text);
            }
            text.push(']');
        }
        Value::String(string) => write_quoted(string, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            let _ = write!(text, "{value}");
        }
    }
}

/// Writes a text in quotes, with the escapes of org.json.
fn write_quoted(string: &str, text: &mut String) {
    text.push('"');
    let mut before = ' ';
    for c in string.chars() {
        match c {
            '\\' | '"' => text.extend(['\\', c]),
            '/' if before == '<' => text.push_str("\\/"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            '\0'..' ' | '\u{80}'..'\u{a0}' | '\u{2000}'..'\u{2100}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            _ => text.push(c),
        }
        before = c;
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A key that was made for this test alone.
    const KEY: &str = include_str!("signature/test.pem");

    #[test]
    fn the_canonical_form_is_that_of_ggp_base() {
        let value = json!({ "b": [1, true, null, ["x"]], "a": "q\"\\/</\u{7}\u{85}\u{2028}é", "C": {} });
        let mut text = String::new();
        write_canonical(&value, &mut text);
        assert_eq!(
            text,
            "{\"C\":{},\"a\":\"q\\\"\\\\/<\\/\\u0007\\u0085\\u2028é\",\"b\":[1,true,null,[\"x\"]]}"
        );
    }

    #[test]
    fn a_signature_is_of_the_record_and_of_no_other() {
        let key = Key::read(KEY).expect("a key");
        let record = Record { match_id: "cup.1.x".into(), goal_values: vec![100, 0], ..Record::default() };
        let signed: Value = serde_json::from_str(&key.sign(&record).expect("a signature")).expect("JSON");
        let holds = |mut signed: Value| {
            let signature =
                signed.as_object_mut().and_then(|fields| fields.shift_remove("matchHostSignature"));
            let signature =
                signature.as_ref().and_then(Value::as_str).and_then(|text| text.strip_prefix("A0"));
            let signature = Base64::decode_vec(signature.expect("a signature")).expect("base 64");
            let mut text = String::new();
            write_canonical(&signed, &mut text);
            let public = key.private.to_public_key();
            public.verify(Pkcs1v15Sign::new::<Sha1>(), &Sha1::digest(text), &signature).is_ok()
        };
        assert!(holds(signed.clone()));
        let public = signed["matchHostPK"].as_str().and_then(|text| text.strip_prefix('0')).expect("a key");
        assert!(Base64::decode_vec(public).is_ok_and(|der| der.starts_with(&[0x30])));
        let mut forged = signed.clone();
        forged["goalValues"] = json!([0, 100]);
        assert!(!holds(forged));
        // A signed record can still be parsed.
        assert_eq!(serde_json::from_value::<Record>(signed).expect("a record"), record);
    }

    /// The expected text is the output of `openssl dgst -sha1 -sign test.pem` for the same bytes.
    #[test]
    fn signatures_are_those_of_openssl() {
        let key = Key::read(KEY).expect("a key");
        let signature = key.private.sign(Pkcs1v15Sign::new::<Sha1>(), &Sha1::digest("a record"));
        assert_eq!(
            Base64::encode_string(&signature.expect("a signature")),
            "nw8BEpN2Pl+RkObNyDU56xQPzGyuN6SmuXpg5Rz7UG0Z7j62yguz6qmV83EjBIP7tsD1hfF3uoizMPCto6ObLokIyJPKir1n\
             Mse2QW+BMx8cEIjLVQjeEr96L0+fxQHpvyOfPbIv3Z6UtxEDdFsZbFbvalH8beJFWaZqkZcwq3w="
        );
    }

    #[test]
    fn keys_are_read_as_both_keep_them() {
        let pem = Key::read(KEY).expect("a key");
        let body: String = KEY.lines().filter(|line| !line.starts_with('-')).collect();
        let pair = json!({ "PK": pem.public, "SK": format!("0{body}") }).to_string();
        assert_eq!(Key::read(&pair).expect("a key").public, pem.public);
        assert!(!format!("{pem:?}").contains(&body[..40]));
        for text in
            ["", "{}", "{\"SK\":\"0\"}", "{\"SK\":\"1abc\"}", &KEY[..200], "-----BEGIN PRIVATE KEY-----"]
        {
            assert!(Key::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_file_too_large_for_a_key_is_refused_for_its_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key.pem");
        let open = |length: u64| {
            let text = format!("{KEY}{}", "\n".repeat(length as usize - KEY.len()));
            std::fs::write(&path, text).expect("a file");
            Key::open(&path).map(drop).map_err(|error| error.to_string())
        };
        for (length, expected) in
            [(MOST_BYTES, "it contains no private RSA key"), (MOST_BYTES + 1, "it has more than 65536 bytes")]
        {
            let error = open(length).expect_err("blank lines end no key");
            assert!(error.contains(expected), "{error}");
        }
    }
}
