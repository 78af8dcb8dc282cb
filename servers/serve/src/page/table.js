// The table, for games without a board: piles, dice and cards.
//
// `(on disc1 disc2)` is part of a pile; a thing that is on nothing is the bottom of a pile. A click
// on a thing and another on its destination make the move that names both. Dice and cards are
// recognised by the names of their relations, and cards also by the names of ranks.

import { bare, html, svg } from "./dom.js";

const ON = /^(?:on|is_?on|onto|stacked)$/i;
const DICE = /^(?:dice|die|rolled|roll|thrown|face)$/i;
const CARDS = /(?:card|hand|deal|dealt|holds|deck|community|flop|prize|bid_?card)/i;
const PLAIN = /card|deck|deal|flop|prize/i;
const RANKS = { jack: "J", queen: "Q", king: "K", ace: "A", joker: "★" };
const SUITS = { hearts: "♥", spades: "♠", clubs: "♣", diamonds: "♦", heart: "♥", spade: "♠", club: "♣", diamond: "♦" };
const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];
const MOST = 60;

// Returns the piles, each from the bottom up; null if the fluents form no piles.
function piles(fluents) {
  const on = new Map();
  for (const { relation, values } of fluents) {
    if (!ON.test(relation)) continue;
    for (const value of values.slice(0, MOST)) {
      const words = value.split(" ");
      if (words.length === 2) on.set(words[0], words[1]);
    }
  }
  if (!on.size) return null;
  // A thing with a fluent such as `clear` may be an empty place.
  const clear = fluents.filter(({ relation }) => /^(?:clear|free|top|empty|table|on_?table)$/i.test(relation)).flatMap(({ values }) => values);
  const bases = [...new Set([...on.values(), ...clear])].filter((name) => name && !name.includes(" ") && !on.has(name)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const above = new Map();
  for (const [top, below] of on) {
    if (above.has(below)) return null;
    above.set(below, top);
  }
  return bases.slice(0, MOST).map((base) => {
    const pile = [base];
    while (above.has(pile.at(-1)) && pile.length < MOST) pile.push(above.get(pile.at(-1)));
    return pile;
  });
}

const size = (name) => Number(/\d+$/.exec(name)?.[0] ?? 0);

function die(face) {
  return svg("svg", { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": `a die showing ${face}` },
    svg("rect", { x: 6, y: 6, width: 88, height: 88, rx: 18, class: "body" }),
    ...PIPS[face].map((at) => svg("circle", { cx: 26 + 24 * (at % 3), cy: 26 + 24 * Math.floor(at / 3), r: 9, class: "pip" })));
}

function card(words) {
  const suit = words.map((word) => SUITS[word]).find(Boolean) ?? "";
  const rank = words.map((word) => RANKS[word] ?? (/^[a-z]{0,2}\d+$/.test(word) ? word.replace(/^\D+/, "") : "")).find(Boolean) ?? "";
  if (!rank && !suit) return null;
  return svg("svg", { viewBox: "0 0 70 100", class: `card${"♥♦".includes(suit) && suit ? " red" : ""}`, role: "img", "aria-label": words.join(" ") },
    svg("rect", { x: 3, y: 3, width: 64, height: 94, rx: 8, class: "body" }),
    svg("text", { x: 35, y: suit ? 42 : 52, class: "rank" }, rank || suit),
    ...(suit && rank ? [svg("text", { x: 35, y: 74, class: "suit" }, suit)] : []));
}

// Returns the dice and cards in the fluents, with their labels.
export function dealt(fluents) {
  // A relation such as `hand` may also be about stones. Its values are cards only if some fluent
  // names cards.
  const has = fluents.some(({ relation, values }) => PLAIN.test(relation) || values.some((value) => value.toLowerCase().split(" ").some((word) => RANKS[word] || SUITS[word])));
  return fluents.flatMap(({ relation, values }) => values.slice(0, MOST).flatMap((value) => {
    const words = value.toLowerCase().split(/[\s_()]+/).filter(Boolean);
    const face = Number(words.at(-1)?.replace(/^\D+/, ""));
    const is = DICE.test(relation) && face >= 1 && face <= 6 ? die(face)
      : has && (CARDS.test(relation) || words.some((word) => RANKS[word])) ? card(words) : null;
    const rest = words.slice(0, -1).join(" ");
    return is ? [html("figure", { class: "dealt" }, is, html("figcaption", {}, [relation, rest].filter(Boolean).join(" ")))] : [];
  }));
}

// Returns the table of a view, or null if it is empty. `play` makes a move, and `again` shows the
// table again.
export function table(view, state, play, again) {
  const stacks = piles(view.fluents);
  const things = dealt(view.fluents);
  if (!stacks && !things.length) return null;
  const mine = view.legal[0];
  const moves = (mine?.moves ?? []).map((move) => ({ role: mine.role, ...move, words: bare(move.move).split(/[\s()]+/).slice(1) }));
  const click = (name) => {
    const { picked } = state;
    state.picked = null;
    const fitting = moves.filter(({ words }) => (picked && picked !== name ? words.includes(picked) && words.includes(name) : words.length === 1 && words[0] === name));
    const exact = fitting.filter(({ words }) => !picked || words.indexOf(picked) < words.indexOf(name));
    const [move] = exact.length ? exact : fitting;
    if (move) return play(move);
    if (picked !== name && moves.some(({ words }) => words.includes(name))) state.picked = name;
    return again();
  };
  const largest = Math.max(1, ...(stacks ?? []).flat().map(size));
  const thing = (name, at) => {
    const element = html("button", { type: "button", class: `thing${at ? "" : " base"}`, "aria-pressed": String(state.picked === name), "data-thing": name,
      disabled: !moves.some(({ words }) => words.includes(name)) && !state.picked, onclick: () => click(name) }, name);
    if (at) {
      const sized = /disc|disk|ring/i.test(name) && size(name);
      element.style.width = sized ? `${30 + (70 * size(name)) / largest}%` : "70%";
      element.style.setProperty("--hue", String((size(name) || name.charCodeAt(0)) * 47 % 360));
    }
    return element;
  };
  return html("div", { class: "table", role: "group", "aria-label": "Table" },
    ...(things.length ? [html("div", { class: "dealts" }, ...things)] : []),
    ...(stacks ? [html("div", { class: "stacks" }, ...stacks.map((pile) => html("div", { class: "stack", role: "group", "aria-label": `On ${pile[0]}` }, ...pile.map(thing).reverse())))] : []));
}
