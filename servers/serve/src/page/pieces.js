// Pieces and surfaces: a drawing for the name of a mark.
//
// Names such as `white pawn`, `wp`, `black man`, `red` or `x` are drawn as the things they name,
// all others as their letters. Colours are classes: the named colour, otherwise one for each family
// of marks.

import { svg } from "./dom.js";

const COLOURS = {
  white: "white", black: "black", red: "red", blue: "blue", green: "green", yellow: "yellow", orange: "orange",
  purple: "purple", violet: "purple", pink: "pink", brown: "brown", grey: "grey", gray: "grey", cyan: "cyan",
  teal: "cyan", gold: "yellow", silver: "grey", dark: "black", light: "white", magenta: "pink", aqua: "cyan", lime: "green",
};
const SHORT = { w: "white", b: "black", r: "red", y: "yellow", g: "green" };
const CHESS = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const CHESSMEN = new Set(Object.values(CHESS));
const MEN = new Set([
  "man", "men", "checker", "disc", "disk", "stone", "piece", "marble", "token", "counter", "peg", "pin", "ball", "chip", "bead", "pebble",
]);
const WALLS = new Set(["wall", "block", "blocked", "brick", "hole", "arrow", "burned", "burnt", "#", "rock", "water", "border", "obstacle"]);
// Other figures, by the words that name them.
const FIGURES = {
  person: ["explorer", "robot", "player", "soldier", "terrorist", "pacman", "bomberman", "bomberwoman", "hero", "agent", "guard", "thief", "hunter", "runner", "person"],
  ghost: ["ghost", "blinky", "inky", "pinky", "clyde", "mummy", "monster", "enemy", "zombie"],
  door: ["exit", "door", "gate"],
  flag: ["flag", "finish"],
  bomb: ["bomb", "grenade", "mine"],
  pellet: ["pellet", "point", "food", "gold", "coin", "apple", "egg", "diamond", "treasure"],
  fire: ["fire", "flame", "burning"],
  sheep: ["sheep", "lamb"],
  wolf: ["wolf", "fox", "dog"],
};
const FIGURE = new Map(Object.entries(FIGURES).flatMap(([kind, names]) => names.map((name) => [name, kind])));
// The pieces of shogi, by their letters.
const SHOGI = { pawn: "P", lance: "L", knight: "N", silver: "S", gold: "G", bishop: "B", rook: "R", king: "K" };
const WAYS = { up: "↑", down: "↓", left: "←", right: "→", north: "↑", south: "↓", west: "←", east: "→" };
const CODE = /^([wbryg])_?([pnbrqk])$/;
// The pieces of Quarto: four properties with two values each.
const FOUR = /^[a-z]?([01])([01])([01])([01])$/;

// Outlines in a square of 100 by 100 units.
const SHAPES = {
  pawn: "M50 18a14 14 0 0 1 9 25c9 5 11 17 13 29h4v10H24V72h4c2-12 4-24 13-29a14 14 0 0 1 9-25z",
  rook: "M26 20h12v8h7v-8h10v8h7v-8h12v20l-7 6v26h5v10H28V72h5V46l-7-6z",
  knight: "M34 82c0-20 13-26 14-38-8 4-12 11-19 11-6 0-9-6-5-11l12-17-2-9 10 4c22-2 35 15 34 40 0 8-2 14-2 20z",
  bishop: "M50 12a6 6 0 0 1 4 10c9 7 15 16 15 25 0 8-4 14-9 17l2 8h12v10H26V72h12l2-8c-5-3-9-9-9-17 0-9 6-18 15-25a6 6 0 0 1 4-10z",
  queen: "M20 26a6 6 0 1 1 7 6l8 20 5-27a6 6 0 1 1 5-1l5 26 5-26a6 6 0 1 1 5 1l5 27 8-20a6 6 0 1 1 7 5l-9 35h3v10H26V72h3l-8-35z",
  king: "M46 10h8v7h7v8h-7v8c10-8 28-6 28 9 0 11-9 16-11 30h4v10H25V72h4c-2-14-11-19-11-30 0-15 18-17 28-9v-8h-7v-8h7z",
  person: "M50 14a15 15 0 0 1 9 27c13 4 20 15 21 39H20c1-24 8-35 21-39a15 15 0 0 1 9-27z",
  ghost: "M22 84V48a28 28 0 0 1 56 0v36l-9-9-10 9-9-9-9 9-10-9z",
  door: "M28 86V30a22 22 0 0 1 44 0v56z",
  flag: "M28 14h6v4h44l-12 16 12 16H34v36h-6z",
  bomb: "M60 12l10 4-7 13a29 29 0 1 1-12-6z",
  fire: "M50 10c4 18 26 28 26 50a26 26 0 0 1-52 0c0-10 6-17 11-22 2 6 5 9 8 10-2-14 0-27 7-38z",
  sheep: "M30 34c4-10 18-12 24-5 10-5 22 2 22 12 8 4 8 16 0 20-2 6-8 8-14 7v14h-7V69H44v13h-7V68c-8 1-14-4-15-10-12-1-13-16-3-19-1-2 5-6 11-5z",
  wolf: "M22 16l16 14h24l16-14 2 34-14 20-16 16-16-16-14-20z",
  shogi: "M50 10l26 16 8 62H16l8-62z",
  crown: "M30 60l-4-26 13 11 11-17 11 17 13-11-4 26z",
};

// Splits a name at spaces, at changes of case, before digits and after a colour: `whitePawn`,
// `black_king2`, `redpawn`.
function split(text) {
  const words = text.replace(/([a-z])([A-Z0-9])/g, "$1 $2").toLowerCase().split(/[\s_-]+/).filter(Boolean);
  return words.flatMap((word) => {
    const colour = Object.keys(COLOURS).find((name) => word.startsWith(name) && (CHESSMEN.has(word.slice(name.length)) || MEN.has(word.slice(name.length)) || word.slice(name.length) === "king"));
    return colour && colour !== word ? [colour, word.slice(colour.length)] : [word];
  });
}

// Returns whether all pieces stand on squares of one colour, as in draughts.
function isOfOneColour({ cells, columns, rows, grids }, marks) {
  if (!cells || grids.length > 1 || rows.length < 6) return false;
  const held = cells.flatMap((list, place) => ((list ?? []).some((mark) => !marks[mark].blank) ? [place] : []));
  const shades = new Set(held.map((place) => (place % columns.length + Math.floor(place / columns.length)) % 2));
  return held.length > 1 && shades.size === 1;
}

// Returns the drawing of each mark of a board: its kind, colour and text.
export function kinds(marks, board = {}) {
  const words = marks.map((mark) => split(mark.text));
  const shown = marks.filter((mark) => !mark.blank);
  const codes = shown.map((mark) => CODE.exec(mark.text.toLowerCase())).filter(Boolean);
  const letters = new Set(codes.map(([, , man]) => man));
  // Codes of pieces such as `wp`: of two colours, or of one colour if all marks are codes.
  const coded = codes.length >= 3 && letters.size > 1 && (new Set(codes.map(([, side]) => side)).size > 1 || codes.length === shown.length);
  const named = new Set(words.flat().filter((word) => CHESSMEN.has(word)));
  const only = (set, known) => set.size > 0 && [...set].every((word) => known.includes(word));
  const draughts = (words.some((list) => list.includes("man")) && !named.has("pawn"))
    || ((coded ? only(letters, ["p", "k"]) : only(named, ["pawn", "king"])) && isOfOneColour(board, marks));
  const quarto = shown.length > 4 && shown.filter((mark) => FOUR.test(mark.text)).length >= shown.length - 1;
  const shogi = words.some((list) => list.includes("lance")) && words.some((list) => list.includes("gold"));
  // If there is one mark for each player, marks without a drawing of their own are discs in
  // different colours.
  const sides = new Set(shown.map(({ family }) => family));
  const two = shown.filter((mark) => ["w", "b"].includes(mark.text.toLowerCase())).length === 2;
  const short = shown.every((mark) => SHORT[mark.text.toLowerCase()]);
  return marks.map((mark, place) => {
    const text = mark.text.toLowerCase();
    const list = words[place];
    const colour = list.map((word) => COLOURS[word]).find(Boolean);
    const paint = colour ? `colour-${colour}` : `family-${mark.family % 6}`;
    const rank = { pawn: "man", man: "man", king: "crowned" };
    if (coded && CODE.test(text)) {
      const [, side, man] = CODE.exec(text);
      const kind = CHESS[man];
      return { kind: draughts ? rank[kind] ?? kind : kind, paint: `colour-${SHORT[side]}` };
    }
    if (quarto && FOUR.test(text)) return { kind: "quarto", paint: `colour-${FOUR.exec(text)[1] === "0" ? "white" : "black"}`, text };
    if (shogi) {
      const man = list.find((word) => SHOGI[word]);
      const side = list.find((word) => COLOURS[word]);
      if (man) return { kind: "shogi", paint, text: `${list.includes("promoted") ? "+" : ""}${SHOGI[man]}`, turned: side === "white" || side === "gote" };
    }
    if (text === "x" || text === "o") return { kind: text, paint: `stroke-${text}` };
    if (list.some((word) => WALLS.has(word))) return { kind: "wall", paint: "wall" };
    const man = list.find((word) => CHESSMEN.has(word));
    if (draughts && rank[man]) return { kind: rank[man], paint };
    if (man) return { kind: man, paint };
    if (list.some((word) => MEN.has(word))) return { kind: draughts ? "man" : "disc", paint };
    if (colour && list.length === 1) return { kind: "disc", paint };
    if (two && SHORT[text]) return { kind: "disc", paint: `colour-${SHORT[text]}` };
    if (short && shown.length > 1 && SHORT[text]) return { kind: "disc", paint: `colour-${SHORT[text]}` };
    if (["lit", "on", "light"].includes(text)) return { kind: "lamp", paint: "lamp" };
    const figure = list.map((word) => FIGURE.get(word)).find(Boolean);
    if (figure) return { kind: figure, paint };
    const way = list.length > 1 && list.map((word) => WAYS[word]).find(Boolean);
    if (way) return { kind: "letters", paint, text: way };
    // A mark such as `filled` fills its cell if it is the only mark.
    if (shown.filter(({ extra }) => !extra).length === 1 && !mark.blank && !mark.extra && /^(?:v|m|f|marked|visited|filled|full|black|mark|taken|true)$/.test(text)) return { kind: "wall", paint: "wall" };
    if (sides.size === shown.length && shown.length >= 2 && shown.length <= 4 && shown.length === board.sides && !/^\d/.test(text) && !mark.blank) return { kind: "disc", paint };
    if (/^\d+$/.test(text)) return { kind: "number", paint: "number", text };
    return { kind: "letters", paint, text: mark.symbol };
  });
}

const disc = (radius, extra = {}) => svg("circle", { cx: 50, cy: 50, r: radius, ...extra });

function drawing({ kind, text, turned }, row) {
  switch (kind) {
    case "x":
      return [svg("path", { d: "M24 24L76 76M76 24L24 76", class: "mark" })];
    case "o":
      return [disc(29, { class: "mark" })];
    case "wall":
      return [svg("rect", { x: 4, y: 4, width: 92, height: 92, rx: 8 })];
    case "lamp":
      return [svg("rect", { x: 12, y: 12, width: 76, height: 76, rx: 16 })];
    case "disc":
      return [disc(38, { class: "body" }), disc(29, { class: "ring" })];
    case "man":
      return [disc(38, { class: "body" }), disc(29, { class: "ring" }), disc(20, { class: "ring" })];
    case "crowned":
      return [disc(38, { class: "body" }), disc(31, { class: "ring" }), svg("path", { d: SHAPES.crown, class: "crown" })];
    case "quarto": {
      const [, , round, tall, hollow] = FOUR.exec(text);
      const size = tall === "1" ? 40 : 27;
      const body = round === "0" ? disc(size, { class: "body" })
        : svg("rect", { x: 50 - size, y: 50 - size, width: 2 * size, height: 2 * size, rx: 6, class: "body" });
      return [body, ...(hollow === "1" ? [disc(size / 2.4, { class: "hollow" })] : [])];
    }
    case "pellet":
      return [disc(16, { class: "body" })];
    case "shogi":
      return [svg("g", turned ? { transform: "rotate(180 50 50)" } : {}, svg("path", { d: SHAPES.shogi, class: "body" }),
        svg("text", { x: 50, y: 60, class: `letters length-${Math.min(text.length, 3)}` }, text))];
    case "number":
      return number(Number(text), row);
    case "letters":
      return [
        svg("rect", { x: 12, y: 12, width: 76, height: 76, rx: 18, class: "body" }),
        svg("text", { x: 50, y: 52, class: `letters length-${Math.min(text.length, 3)}` }, text),
      ];
    default:
      return [svg("path", { d: SHAPES[kind], class: "body" })];
  }
}

// Draws a quantity. On a board of one row, up to 12 are drawn as sticks, with the number below.
function number(count, row) {
  const digits = (y) => svg("text", { x: 50, y, class: "digits" }, String(count));
  if (!row || count === 0 || count > 12) return [digits(52)];
  const wide = Math.min(12, 76 / count);
  const first = 50 - (wide * (count - 1)) / 2;
  const sticks = Array.from({ length: count }, (_, i) =>
    svg("path", { d: `M${first + wide * i} 14V60`, class: "stick" }));
  return [...sticks, digits(82)];
}

// Draws the content of a cell: its marks side by side.
export function draw(list, row) {
  const picture = svg("svg", { viewBox: `0 0 ${100 * list.length} 100`, "aria-hidden": "true", class: "piece" });
  list.forEach((kind, place) => {
    const group = svg("g", { class: `${kind.paint} kind-${kind.kind}` }, ...drawing(kind, row));
    if (place > 0) group.setAttribute("transform", `translate(${100 * place} 0)`);
    picture.append(group);
  });
  return picture;
}

// Returns the look of a board, by its pieces: `hex`, `ring`, `dots`, `rack`, `checkered`, `lines`,
// `felt` or `plain`.
export function surface(board, looks) {
  if (board.tiling.startsWith("hex")) return "hex";
  if (looks.some(({ kind }) => kind === "shogi")) return "plain";
  if (board.drops) return "rack";
  if (board.tiling === "ring") return "ring";
  const isWide = board.rows.length > 1;
  // Marks that are names of cells are drawn as lines to these cells.
  const shown = board.marks.filter(({ blank }) => !blank);
  if (isWide && shown.length > 3 && board.names && shown.every(({ text }) => text.includes(" ") && board.names.includes(text))) return "dots";
  if (board.travels && isWide) return "checkered";
  if (looks.some(({ kind }) => kind === "x" || kind === "o")) return "lines";
  const discs = looks.filter((_, place) => !board.marks[place].blank).every(({ kind }) => kind === "disc");
  return discs && isWide ? "felt" : "plain";
}
