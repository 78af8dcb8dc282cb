// Clocks: the remaining time of each role, counted down next to its name between two views, and the
// form that sets clocks.

import { html } from "./dom.js";

// The suggested clocks: minutes, and the seconds that each move adds.
const USUAL = ["1", "3+2", "5", "10+5", "30+20"];
// The number of seconds below which tenths are shown.
const SHORT = 20;
const PULSE = 100;

// Returns seconds as a clock shows them.
export function shown(seconds) {
  if (seconds < SHORT) return (Math.floor(10 * seconds) / 10).toFixed(1);
  const whole = Math.floor(seconds);
  const two = (part) => String(part).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}:${two(whole % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

// Rounds the minutes of a clock to two decimals.
const rounded = (text) => text.replace(/^[\d.]+/, (minutes) => String(Math.round(100 * minutes) / 100)).replace(/\+0$/, "");

export function mount(app) {
  let view = null;
  let since = 0;
  let timer = 0;

  const all = html("select", { "aria-label": "Time of each player", onchange: () => give(all.value ? Object.fromEntries(roles().map(({ name }) => [name, all.value])) : {}) },
    html("option", { value: "" }, "no clocks"), html("option", { value: "-", hidden: true }, "as below"),
    ...USUAL.map((text) => html("option", { value: text }, text.includes("+") ? `${text.replace("+", " min + ")} s a move` : `${text} min`)));
  const each = html("div", { class: "fields" });
  const form = html("details", { id: "clocks" }, html("summary", {}, "Clocks"),
    html("p", { class: "faint" }, "Clocks start with the next move, and stop while you look back or play is paused. When a clock has run down, play halts."),
    html("div", { class: "row" }, all), each);

  const roles = () => view.game.roles.filter(({ seat }) => seat !== "chance");
  const give = (clocks) => app.change("/clocks", clocks);

  // Returns the remaining seconds of a role.
  const left = ({ left, runs }) => Math.max(0, left - (runs ? (performance.now() - since) / 1000 : 0));

  function tick() {
    for (const { name, clock } of view?.game.roles ?? []) {
      const face = clock && document.querySelector(`#seats .clock[data-role="${CSS.escape(name)}"]`);
      if (!face) continue;
      const text = shown(left(clock));
      if (face.textContent !== text) face.textContent = text;
      face.classList.toggle("low", left(clock) < SHORT);
      face.classList.toggle("runs", clock.runs);
    }
  }

  function fill() {
    if (form.contains(document.activeElement)) return;
    const given = roles().map(({ clock }) => clock?.text.replace("+0", "") ?? "");
    all.value = given.every((text) => text === given[0]) && ["", ...USUAL].includes(given[0]) ? given[0] : "-";
    each.replaceChildren(...roles().map(({ name, clock }) => html("label", {}, name, html("input", {
      "aria-label": `Time of ${name}`, size: 8, value: clock ? rounded(clock.text) : "", placeholder: "3+2", title: "Minutes, and the seconds that a move adds",
      onchange: (event) => give(Object.fromEntries(roles().flatMap((other) => {
        const text = other.name === name ? event.target.value.trim() : other.clock?.text ?? "";
        return text ? [[other.name, text]] : [];
      }))),
    }))));
  }

  app.on("close", () => { view = null; clearInterval(timer); timer = 0; });
  app.on("view", (next) => {
    [view, since] = [next, performance.now()];
    if (!app.isGuest) fill();
    tick();
    const runs = view.game.roles.some(({ clock }) => clock?.runs);
    if (runs && !timer) timer = setInterval(tick, PULSE);
    if (!runs) { clearInterval(timer); timer = 0; }
  });
  return form;
}
