//! Playing on the page by cells, buttons and the status, as a person does.

use super::chromium::Page;
use serde_json::json;

impl Page {
    /// Opens the page with a game.
    pub(super) fn play(game: &str) -> Option<Self> {
        let mut page = Self::open(&[game])?;
        page.wait_for_game();
        Some(page)
    }

    /// Waits until a game is displayed.
    pub(super) fn wait_for_game(&mut self) {
        self.wait("document.getElementById('game')?.hidden === false && document.getElementById('status')?.textContent");
    }

    /// Waits until the status has this text.
    pub(super) fn wait_for_status(&mut self, status: &str) {
        self.wait(&format!("document.getElementById('status')?.textContent === {}", json!(status)));
    }

    /// Waits until the list has `count` past moves.
    pub(super) fn wait_for_moves(&mut self, count: usize) {
        self.wait(&format!("document.querySelectorAll('#moves .past').length === {count}"));
    }

    /// Clicks the button with this text.
    pub(super) fn choose(&mut self, text: &str) {
        let text = json!(text);
        self.click_on(&format!(
            "[...document.querySelectorAll('#game button')].find((button) => button.textContent === {text})"
        ));
    }

    /// Clicks the cell at an index, counted by rows from the top left.
    pub(super) fn click_cell(&mut self, place: usize) {
        self.click(&format!("[data-cell='{place}']"));
    }

    /// Clicks the cell with this name.
    pub(super) fn click_named(&mut self, name: &str) {
        self.click(&format!("[aria-label^='{name}:']"));
    }

    /// The content of a cell by its label: `x`, or `empty`.
    pub(super) fn cell(&mut self, place: usize) -> String {
        let label = self.label(&format!("[data-cell='{place}']"));
        let content = label.split(": ").nth(1).unwrap_or_default();
        content.split(',').next().unwrap_or_default().to_owned()
    }

    /// The accessible label of an element.
    pub(super) fn label(&mut self, selector: &str) -> String {
        let label = self.run(&format!("document.querySelector({}).ariaLabel", json!(selector)));
        label.as_str().unwrap_or_default().to_owned()
    }

    /// The notice after a click without effect, which gives the reason.
    pub(super) fn notice(&mut self) -> String {
        self.wait("!document.getElementById('notice').hidden");
        self.text("#notice")
    }
}
