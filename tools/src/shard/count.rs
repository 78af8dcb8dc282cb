//! Numbers of sequences, which may exceed 64 bits.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::Value;

/// A number of sequences. JSON has it as a number if it fits into 64 bits, otherwise as a string of
/// decimal digits, since few JSON readers support longer numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub u128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(count) => serializer.serialize_u64(count),
            Err(_) => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let long = || value.as_str().and_then(|digits| digits.parse().ok());
        let count = value.as_u64().map(u128::from).or_else(long);
        count.map(Self).ok_or_else(|| D::Error::custom(format!("{value} is not a number of sequences")))
    }
}
