//! Serialisation of states with serde.

use gdl_runtime::bits::{BitBox, Bits};
use serde::{
    Deserialize,
    de::value::{Error, SeqDeserializer},
};

#[test]
fn rows_are_sequences_of_words() {
    let read = |words: Vec<u64>| Bits::<2>::deserialize(SeqDeserializer::<_, Error>::new(words.into_iter()));
    assert_eq!(read(vec![5, 1 << 63]), Ok(Bits::new([5, 1 << 63])));
    assert_eq!(read(vec![5]).unwrap_err().to_string(), "invalid length 1, expected 2 words");
    assert!(read(vec![1, 2, 3]).is_err());
    let boxed = BitBox::deserialize(SeqDeserializer::<_, Error>::new([7_u64, 8].into_iter()));
    assert_eq!(boxed, Ok(BitBox::from(vec![7, 8])));
}
