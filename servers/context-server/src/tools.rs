//! The tools: each is a [`Question`], read from the arguments of a call, with the answer that it
//! gets.
//!
//! The arguments and answers of a tool have JSON Schemas that follow from the types. An
//! answer is text for a reader, and the same as data. [`find`] has a tool by its name, as a
//! function of the arguments.

mod analyze;
mod best_move;
mod check;
mod compare;
mod explain;
mod fix;
mod play;
mod simulate;
mod why;

use crate::{refusal::Refusal, sheet::Shelf};
use gdl_runtime::Cancel;
use rmcp::{
    model::{JsonObject, Tool, ToolAnnotations},
    schemars::JsonSchema,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A question that a tool answers.
pub(crate) trait Question: DeserializeOwned + JsonSchema + Send + 'static {
    /// The name of the tool.
    const NAME: &'static str;
    /// Its purpose, for those who choose among tools.
    const ABOUT: &'static str;

    /// The type of its answer.
    type Answer: Serialize + JsonSchema + 'static;

    /// The answer, with the same as text.
    ///
    /// # Errors
    /// Returns an error if there is none.
    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Self::Answer), Refusal>;
}

/// An answer as it is sent.
#[derive(Debug)]
pub(crate) struct Answer {
    pub text: String,
    pub value: Value,
}

/// The remaining work of a call after its arguments were read.
pub(crate) type Work = Box<dyn FnOnce(&Shelf, &Cancel) -> Result<Answer, Refusal> + Send>;

/// Reads the arguments of a call.
type Reader = fn(JsonObject) -> Result<Work, Refusal>;

fn tool<Q: Question>() -> (Tool, Reader) {
    // Nothing is changed anywhere, and the same question has the same answer.
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    let tool = Tool::new(Q::NAME, Q::ABOUT, JsonObject::new())
        .with_input_schema::<Q>()
        .with_output_schema::<Q::Answer>()
        .with_annotations(annotations);
    (tool, read::<Q>)
}

fn read<Q: Question>(arguments: JsonObject) -> Result<Work, Refusal> {
    let question: Q = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Refusal::new(format!("the arguments of `{}`: {error}", Q::NAME)))?;
    Ok(Box::new(move |shelf, cancel| {
        let (text, answer) = question.answer(shelf, cancel)?;
        let value = serde_json::to_value(answer).map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Answer { text, value })
    }))
}

/// All tools.
fn all() -> Vec<(Tool, Reader)> {
    vec![
        tool::<check::Check>(),
        tool::<explain::Explain>(),
        tool::<fix::Fix>(),
        tool::<simulate::Simulate>(),
        tool::<play::Play>(),
        tool::<play::LegalMoves>(),
        tool::<why::Why>(),
        tool::<best_move::BestMove>(),
        tool::<analyze::Analyze>(),
        tool::<compare::Compare>(),
    ]
}

/// The tools, for clients.
pub(crate) fn list() -> Vec<Tool> {
    all().into_iter().map(|(tool, _)| tool).collect()
}

/// The reader of the arguments of the tool of that name.
pub(crate) fn find(name: &str) -> Option<Reader> {
    all().into_iter().find(|(tool, _)| tool.name == name).map(|(_, read)| read)
}
