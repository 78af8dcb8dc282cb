// Values of the positions of a match: a bar for the current position, and a graph along the moves,
// where a click goes to a position.
//
// Each value comes from a small search of its position. Searches run one after the other, and only
// while the evaluation is shown.

import { html, svg } from "./dom.js";

const COLOURS = ["family-0", "family-1", "family-2", "family-3", "family-4", "family-5"];

export function mount(element, app) {
  let view = null;
  let wanted = false;
  let asking = false;
  // The known values of positions, by place.
  let known = new Map();

  const toggle = html("button", { type: "button", "aria-pressed": "false", title: "The values of the positions", onclick: () => want(!wanted) }, "Evaluation");
  const bar = html("div", { class: "worth", role: "img" });
  const graph = svg("svg", { class: "graph", viewBox: "0 0 300 80", preserveAspectRatio: "none", role: "img", "aria-label": "Values along the moves" });
  const shown = html("div", { hidden: true }, bar, graph);
  element.append(toggle, shown);

  function want(wants) {
    wanted = wants;
    toggle.setAttribute("aria-pressed", String(wants));
    shown.hidden = !wants;
    if (wants) ask();
    show();
  }

  const places = () => [0, ...view.line.map(({ place }) => place), ...view.ahead.map(({ place }) => place)];

  // Requests the missing values: of the current place first, then of the rest of the line.
  async function ask() {
    if (asking) return;
    asking = true;
    try {
      while (wanted && view) {
        const id = view.id;
        const missing = [view.place, ...places()].find((place) => !known.has(place));
        if (missing === undefined) return;
        const told = await app.api("GET", `/sessions/${id}/evaluation?place=${missing}`);
        if (view?.id !== id) continue;
        known.set(missing, told.goals);
        show();
      }
    } catch (error) {
      if (wanted) app.warn(error.message);
      want(false);
    } finally {
      asking = false;
    }
  }

  function show() {
    if (!wanted || !view) return;
    const roles = view.game.roles.map((role, number) => ({ ...role, number })).filter(({ seat }) => seat !== "chance");
    const goals = known.get(view.place);
    const sum = goals ? roles.reduce((all, { number }) => all + (goals[number] ?? 0), 0) : 0;
    bar.setAttribute("aria-label", goals ? roles.map(({ name, number }) => `${name} ${Math.round(goals[number] ?? 0)}`).join(", ") : "not known yet");
    bar.replaceChildren(...(goals ? roles.map(({ name, number }) => {
      const part = html("span", {}, `${name} ${Math.round(goals[number] ?? 0)}`);
      part.style.flexGrow = sum > 0 ? Math.max(goals[number] ?? 0, 0.1 * sum) : 1;
      return part;
    }) : ["…"]));
    const all = places();
    const x = (at) => (all.length < 2 ? 0 : (300 * at) / (all.length - 1));
    const lines = roles.slice(0, roles.length === 2 ? 1 : undefined).map(({ number }, at) => {
      const points = all.flatMap((place, i) => (known.get(place)?.[number] == null ? [] : [`${x(i)},${78 - 0.76 * known.get(place)[number]}`]));
      return svg("polyline", { class: COLOURS[at % 6], points: points.join(" ") });
    });
    const here = all.indexOf(view.place);
    graph.replaceChildren(svg("line", { class: "middle", x1: 0, x2: 300, y1: 40, y2: 40 }), ...lines,
      svg("line", { class: "here", x1: x(here), x2: x(here), y1: 0, y2: 80 }));
  }

  graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    const all = places();
    const at = Math.round(((event.clientX - box.x) / box.width) * (all.length - 1));
    if (all[at] !== undefined) app.change("/go", { place: all[at] });
  });
  app.on("open", () => { known = new Map(); want(false); });
  app.on("close", () => { view = null; want(false); });
  app.on("view", (next) => {
    // After a restart the places are those of a new history.
    if (view && next.line.length + next.ahead.length + next.branches.length < view.line.length + view.ahead.length + view.branches.length) known = new Map();
    view = next;
    toggle.hidden = view.game.hides && !view.terminal;
    if (wanted) { show(); ask(); }
  });
}
