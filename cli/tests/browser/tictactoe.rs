//! The whole story of tic-tac-toe, as the LED document describes it, on each of its three
//! rulesheets.

use super::chromium::Page;

/// A rulesheet and the names of its players.
struct Told {
    game: &'static str,
    x: &'static str,
    o: &'static str,
}

impl Told {
    fn turn(role: &str) -> String {
        format!("{role}'s turn")
    }

    /// Makes moves by clicks, x first, and waits for the resulting status.
    fn play(&self, page: &mut Page, cells: &[usize], end: &str) {
        for (ply, &cell) in cells.iter().enumerate() {
            let (mover, mark) = if ply % 2 == 0 { (self.x, "x") } else { (self.o, "o") };
            page.wait_for_status(&Self::turn(mover));
            assert_eq!(page.cell(cell), "empty");
            page.click_cell(cell);
            page.wait_for_moves(ply + 1);
            assert_eq!(page.cell(cell), mark);
        }
        page.wait_for_status(end);
    }

    fn restart(&self, page: &mut Page) {
        page.choose("Restart");
        page.wait_for_moves(0);
        page.wait_for_status(&Self::turn(self.x));
        for cell in 0..9 {
            assert_eq!(page.cell(cell), "empty");
        }
    }

    fn tell(&self) {
        let Some(mut page) = Page::play(self.game) else { return };
        // The board is an empty grid of three by three, and x moves first.
        assert_eq!(page.run("document.querySelectorAll('[data-cell]').length"), 9);
        assert_eq!(page.run("getComputedStyle(document.querySelector('.grid')).gridTemplateRows.split(' ').filter(size => parseFloat(size) > 60).length"), 3);
        for cell in 0..9 {
            assert_eq!(page.cell(cell), "empty");
        }
        page.wait_for_status(&Self::turn(self.x));
        // A click on an empty cell marks it and passes the turn. A click on an occupied cell has no
        // effect, and a notice gives the reason.
        page.click_cell(4);
        page.wait_for_moves(1);
        page.wait_for_status(&Self::turn(self.o));
        page.click_cell(4);
        assert!(page.notice().contains("has x"), "{}", page.notice());
        assert_eq!((page.cell(4).as_str(), page.text("#status")), ("x", Self::turn(self.o)));
        page.wait_for_moves(1);
        self.restart(&mut page);

        self.play(&mut page, &[0, 3, 1, 4, 2], &format!("{} won", self.x));
        // After the end no move can be made.
        page.click_cell(8);
        assert!(page.notice().contains("over"), "{}", page.notice());
        assert_eq!(page.cell(8), "empty");
        self.restart(&mut page);
        self.play(&mut page, &[0, 3, 1, 4, 8, 5], &format!("{} won", self.o));
        self.restart(&mut page);
        self.play(&mut page, &[0, 1, 2, 4, 3, 5, 7, 6, 8], "draw");
        self.restart(&mut page);
    }
}

#[test]
fn the_led_story() {
    Told { game: "tictactoe_led", x: "x", o: "o" }.tell();
}

#[test]
fn the_same_story_with_blank_cells() {
    Told { game: "tictactoe", x: "xplayer", o: "oplayer" }.tell();
}

#[test]
fn the_same_story_as_stanford_tells_it() {
    Told { game: "tictactoe_stanford", x: "white", o: "black" }.tell();
}
