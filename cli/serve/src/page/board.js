// The board: a button for each cell, which makes moves; where the app changes nothing, a picture of each cell.
//
// A move of one cell takes one click on it, a move from cell to cell two, a move of a column a click anywhere in it; where several fit
// one is asked which. A click that makes no move says why, and offers the reason by the rules.

import { bare, html } from "./dom.js";
import { draw, kinds, surface } from "./pieces.js";

export function mount(element, app) {
  const still = !app.change;
  let view = null;
  let cells = [];
  let drawn = [];
  let looks = [];
  let selected = null;
  let advice = null;
  let current = 0;
  const chooser = html("dialog", { class: "chooser", "aria-label": "Which move?" });

  // The moves of the person who chooses now: one after the other where several do at the same time. By the cell they begin at.
  let moves = [];
  let startsAt = new Map();
  let singlesAt = new Map();
  const starts = (place) => startsAt.get(place) ?? [];
  const singles = (place) => singlesAt.get(place) ?? [];

  function index() {
    const mine = view.legal[0];
    moves = (mine?.moves ?? []).map((move) => ({ role: mine.role, ...move }));
    [startsAt, singlesAt] = [new Map(), new Map()];
    const add = (map, place, move) => { map.has(place) ? map.get(place).push(move) : map.set(place, [move]); };
    for (const move of moves) {
      if (move.cells.length > 1) add(startsAt, move.cells[0], move);
      for (const place of move.cells.length === 1 ? move.cells : move.area) add(singlesAt, place, move);
    }
  }

  const between = (from, to) => starts(from).filter((move) => move.cells.at(-1) === to);

  function play(move) {
    select(null);
    app.change("/moves", { role: move.role, move: move.move, place: view.place });
  }

  function ask(list) {
    if (list.length === 1) return play(list[0]);
    const close = () => chooser.close();
    const choices = list.map((move) =>
      html("button", { type: "button", onclick: () => { close(); play(move); } }, ...face(move, list), bare(move.move)));
    chooser.replaceChildren(html("p", {}, "Which move?"), ...choices,
      html("button", { type: "button", class: "quiet", onclick: close }, "None"));
    chooser.showModal();
  }

  // The piece that only this one of several moves names, as what a pawn becomes: drawn in the colours of its player.
  function face(move, list) {
    const words = (text) => bare(text).split(/[\s()]+/);
    const others = new Set(list.filter((other) => other !== move).flatMap((other) => words(other.move)));
    const names = words(move.move).filter((word) => !others.has(word)).flatMap((word) => [`${move.role} ${word}`, word]);
    const mark = view.board.marks.findIndex(({ text }) => names.includes(text));
    return mark < 0 ? [] : [draw([looks[mark]], false)];
  }

  function click(place) {
    if (selected !== null) {
      const fitting = between(selected, place);
      if (fitting.length) return ask(fitting);
      if (place === selected) return select(null);
    }
    const here = singles(place);
    const from = starts(place);
    if (from.length && !here.length) return select(place);
    if (here.length) return ask([...here, ...from]);
    app.warn(reason(place), html("button", { type: "button", onclick: () => app.emit("ask-cell", place) }, "Why?"));
    select(null);
  }

  // Why a click does nothing.
  function reason(place) {
    if (view.terminal) return "The game is over: restart it, or take a move back.";
    if (view.trouble) return view.trouble;
    if (view.paused) return "The machines are waiting: let them play on first.";
    if (!view.legal.length) return `It is not your move: ${view.status}.`;
    const { role } = view.legal[0];
    if (selected !== null) return `${role} cannot move from ${name(selected)} to ${name(place)}.`;
    const content = contents(place);
    const any = moves.some((move) => move.cells.length || move.area.length);
    if (!any) return `${role} has no move on the board now: see the list of moves.`;
    if (content) return `${role} cannot move here: ${name(place)} has ${content}.`;
    return `${role} has no legal move at ${name(place)}.`;
  }

  const name = (place) => view.board.names[place];
  const contents = (place) => (view.board.cells[place] ?? []).map((mark) => view.board.marks[mark].text).join(" and ");

  function select(place) {
    selected = place;
    if (place !== null) {
      const targets = starts(place).map((move) => name(move.cells.at(-1)));
      app.say(`${name(place)} selected; to ${[...new Set(targets)].join(", ")}`);
    }
    update();
  }

  // The way from cell to cell with arrow keys.
  function travel(event) {
    const { columns, rows, grids } = view.board;
    const [wide, high] = [columns.length, rows.length * grids.length];
    const steps = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-wide, 0], End: [wide, 0], PageUp: [0, -high], PageDown: [0, high],
    };
    if (event.key === "Escape" && selected !== null) return select(null);
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const clamp = (value, most) => Math.max(0, Math.min(most - 1, value));
    let [x, y] = [current % wide, Math.floor(current / wide)];
    const far = Math.abs(step[0]) > 1 || Math.abs(step[1]) > 1;
    const direction = [Math.sign(step[0]), Math.sign(step[1])];
    let best = current;
    for (;;) {
      const [nx, ny] = [clamp(x + direction[0], wide), clamp(y + direction[1], high)];
      if (nx === x && ny === y) break;
      [x, y] = [nx, ny];
      if (cells[y * wide + x]) best = y * wide + x;
      if (!far && best !== current) break;
    }
    focus(best);
  }

  function focus(place) {
    cells[current]?.setAttribute("tabindex", "-1");
    current = place;
    cells[place].setAttribute("tabindex", "0");
    cells[place].focus();
  }

  // Cells, once for each session.
  function build() {
    const { board } = view;
    element.replaceChildren();
    [cells, drawn, selected, advice] = [[], [], null, null];
    if (!board) return;
    looks = kinds(board.marks);
    const [wide, high] = [board.columns.length, board.rows.length];
    const hex = board.tiling !== "square";
    const per = wide * high;
    const style = surface(board, looks);
    current = -1;
    board.grids.forEach((title, grid) => {
      const area = html("div", { class: `grid ${style}` });
      const sizes = (count, breaks) =>
        Array.from({ length: count }, (_, i) => `minmax(0, 1fr)${breaks.includes(i) ? " 0.6rem" : ""}`).join(" ");
      const after = (breaks, i) => breaks.filter((place) => place < i).length;
      const named = !hex && (board.columns.some(Boolean) || board.rows.some(Boolean));
      if (hex) {
        area.style.gridTemplateColumns = `repeat(${2 * wide + high - 1}, minmax(0, 1fr))`;
        area.style.gridTemplateRows = `repeat(${high}, minmax(0, 1fr))`;
        area.style.aspectRatio = `${(2 * wide + high - 1) / (1.732 * (high + 1 / 3))}`;
      } else {
        area.style.gridTemplateColumns = `${named ? "auto " : ""}${sizes(wide, board.breaks[0])}`;
      }
      area.style.setProperty("--shape", wide / high);
      area.style.setProperty("--wide", wide);
      for (let row = 0; row < high; row++) {
        const y = row + 1 + after(board.breaks[1], row);
        if (named && board.rows[row]) {
          const label = html("span", { class: "label row", "aria-hidden": "true" }, board.rows[row]);
          label.style.gridArea = `${y} / 1`;
          area.append(label);
        }
        for (let column = 0; column < wide; column++) {
          const place = grid * per + row * wide + column;
          const x = column + 1 + after(board.breaks[0], column) + (named ? 1 : 0);
          const shade = (row + column) % 2 === 0 ? "even" : "odd";
          const shift = board.tiling === "hex" ? row : high - 1 - row;
          const position = hex ? `${y} / ${1 + 2 * column + shift} / auto / span 2` : `${y} / ${x}`;
          if (board.cells[place] === null) {
            if (style === "checkered") {
              const square = html("span", { class: `cell none ${shade}` });
              square.style.gridArea = position;
              area.append(square);
            }
            continue;
          }
          const cell = still
            ? html("span", { role: "img", class: `cell ${shade}`, "data-cell": place })
            : html("button", { type: "button", class: `cell ${shade}`, tabindex: "-1", "data-cell": place });
          cell.style.gridArea = position;
          if (!still) cell.addEventListener("click", () => { focus(place); click(place); });
          cells[place] = cell;
          area.append(cell);
          if (current < 0) current = place;
        }
      }
      if (named) {
        board.columns.forEach((text, column) => {
          const label = html("span", { class: "label column", "aria-hidden": "true" }, text);
          const y = high + 1 + board.breaks[1].length;
          label.style.gridArea = `${y} / ${column + 2 + after(board.breaks[0], column)}`;
          area.append(label);
        });
      }
      const caption = title ? [html("figcaption", {}, title)] : [];
      element.append(html("figure", {}, ...caption, area));
    });
    if (!still) cells[current]?.setAttribute("tabindex", "0");
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", still ? "Board" : "Board; arrow keys go from cell to cell");
    element.append(chooser);
  }

  // What the best advised move of a cell is worth.
  function worth(place) {
    if (!advice || advice.place !== view.place) return null;
    const fitting = selected === null ? [...singles(place), ...starts(place)] : between(selected, place);
    const values = fitting.map((move) => advice.moves.get(move.move)).filter((value) => value !== undefined);
    return values.length ? Math.max(...values) : null;
  }

  function update() {
    if (!view?.board) return;
    const last = new Set(view.line.at(-1)?.cells ?? []);
    view.board.cells.forEach((marks, place) => {
      const cell = cells[place];
      if (!cell) return;
      const content = JSON.stringify(marks);
      if (drawn[place] !== content) {
        drawn[place] = content;
        const shown = marks.map((mark) => looks[mark]);
        cell.replaceChildren(...(shown.length ? [draw(shown, view.board.rows.length === 1)] : []));
      }
      const target = selected !== null && between(selected, place).length > 0;
      const may = selected === null ? singles(place).length + starts(place).length > 0 : target;
      cell.classList.toggle("may", may);
      cell.classList.toggle("target", target);
      cell.classList.toggle("selected", place === selected);
      cell.classList.toggle("last", last.has(place));
      const value = worth(place);
      cell.classList.toggle("advised", value !== null);
      if (value === null) {
        cell.style.removeProperty("--worth");
        delete cell.dataset.worth;
      } else {
        cell.style.setProperty("--worth", `${Math.round(value)}%`);
        cell.dataset.worth = Math.round(value);
      }
      const notes = [
        place === selected ? "selected" : "",
        target ? "can be moved to" : may ? "can be played" : "",
        value !== null ? `worth ${Math.round(value)} of 100` : "",
      ].filter(Boolean);
      const label = `${name(place) || "cell"}: ${contents(place) || "empty"}${notes.length ? `, ${notes.join(", ")}` : ""}`;
      if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
    });
  }

  if (!still) element.addEventListener("keydown", (event) => { if (view?.board) travel(event); });
  app.on("open", (opened) => { view = opened; index(); build(); });
  app.on("view", (next) => {
    if (next.place !== view.place) selected = null;
    view = next;
    index();
    update();
  });
  app.on("advice", (given) => { advice = given; update(); });
}
