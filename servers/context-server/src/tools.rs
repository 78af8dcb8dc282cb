//! The tools: each is a [`Question`], parsed from the arguments of a call, that returns an answer.
//!
//! The JSON Schemas of arguments and answers follow from the types. An answer is text for a reader
//! and the same content as data. [`find`] returns the function that parses the arguments of a tool.

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

/// The arguments of a tool, which compute its answer.
pub(crate) trait Question: DeserializeOwned + JsonSchema + Send + 'static {
    /// The name of the tool.
    const NAME: &'static str;
    /// The description of the tool for a client's model.
    const ABOUT: &'static str;

    /// The type of its answer.
    type Answer: Serialize + JsonSchema + 'static;

    /// Computes the answer, as text and as data.
    ///
    /// # Errors
    /// Returns the reason if there is no answer.
    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Self::Answer), Refusal>;
}

/// The answer of a tool: text, and the same content as JSON.
#[derive(Debug)]
pub(crate) struct Answer {
    pub text: String,
    pub value: Value,
}

/// The computation of a call whose arguments are parsed.
pub(crate) type Work = Box<dyn FnOnce(&Shelf, &Cancel) -> Result<Answer, Refusal> + Send>;

/// A parser of the arguments of a call.
type Reader = fn(JsonObject) -> Result<Work, Refusal>;

fn tool<Q: Question>() -> (Tool, Reader) {
    // Tools change nothing, and equal calls have equal answers.
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

/// Returns all tools with the parsers of their arguments.
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

/// Returns the descriptions of all tools.
pub(crate) fn list() -> Vec<Tool> {
    all().into_iter().map(|(tool, _)| tool).collect()
}

/// Returns the parser of a tool's arguments. `None` if there is no such tool.
pub(crate) fn find(name: &str) -> Option<Reader> {
    all().into_iter().find(|(tool, _)| tool.name == name).map(|(_, read)| read)
}
