// The panel "See inside": the fluents that hold, the net with the gates that are true, and the
// charts of random play.
//
// While the panel is closed, no requests are sent. The picture is built once; a new state only
// changes its highlights.

import { html, svg } from "./dom.js";

const PARTS = [
  ["state", "State"],
  ["net", "Net"],
  ["analysis", "Analysis"],
  ["rules", "Rules"],
];

export function mount(root, app) {
  const tabs = html("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  const panels = new Map();
  const details = html(
    "details",
    { class: "inside" },
    html("summary", {}, "See inside"),
    tabs,
  );
  for (const [part, title] of PARTS) {
    const tab = html(
      "button",
      { type: "button", role: "tab", id: `tab-${part}`, "aria-controls": `panel-${part}`, "aria-selected": "false" },
      title,
    );
    const panel = html("div", {
      role: "tabpanel",
      id: `panel-${part}`,
      "aria-labelledby": `tab-${part}`,
      tabindex: "0",
      hidden: true,
    });
    tab.addEventListener("click", () => select(part));
    tabs.append(tab);
    panels.set(part, { tab, panel });
    details.append(panel);
  }
  root.append(details);

  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = PARTS.findIndex(([part]) => part === chosen);
    const [part] = PARTS[(at + step + PARTS.length) % PARTS.length];
    select(part);
    panels.get(part).tab.focus();
  });

  const state = statePanel(panels.get("state").panel);
  const net = netPanel(panels.get("net").panel, () => refresh());
  const analysis = analysisPanel(panels.get("analysis").panel, app);
  const rules = rulesPanel(panels.get("rules").panel, app);
  let chosen = "state";
  let shown = "";
  let asked = null;

  const select = (part) => {
    chosen = part;
    for (const [name, { tab, panel }] of panels) {
      const is = name === part;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      panel.hidden = !is;
    }
    refresh();
  };

  const refresh = async () => {
    const view = app.session;
    if (!view || !details.open || chosen === "analysis") return;
    if (chosen === "rules") return rules.show(view);
    const query = new URLSearchParams();
    if (view.seat) query.set("seat", view.seat);
    if (chosen === "net" && net.of()) query.set("of", net.of());
    const key = `${view.id} ${view.place} ${view.seat} ${query}`;
    if (key === shown) return;
    asked?.abort();
    const question = new AbortController();
    asked = question;
    try {
      const sight = await app.api("GET", `/sessions/${view.id}/inside?${query}`, undefined, question.signal);
      if (asked !== question) return;
      shown = key;
      state.show(sight);
      net.show(sight, view);
    } catch (problem) {
      if (problem.name === "AbortError" || asked !== question) return;
      state.fail(problem.message);
    }
  };

  let session = null;
  app.on("view", (view) => {
    if (view?.id !== session) {
      session = view?.id ?? null;
      shown = "";
      net.reset();
      analysis.reset();
    }
    refresh();
  });
  details.addEventListener("toggle", refresh);
  select(chosen);
}

function statePanel(panel) {
  const body = html("div", { class: "relations" });
  panel.append(body);
  return {
    fail: (message) => body.replaceChildren(html("p", { class: "faint" }, message)),
    show: ({ relations }) => {
      if (!relations) {
        body.replaceChildren(
          html("p", { class: "faint" }, "The rules hide part of the state from this role, so nothing is shown."),
        );
        return;
      }
      body.replaceChildren(
        ...relations.map(({ name, size, holding, fluents }) =>
          html(
            "section",
            { class: "relation" },
            html("h3", {}, name, " ", html("small", {}, `${holding} of ${size} hold`)),
            html(
              "ul",
              {},
              ...fluents.map(({ text, holds }) =>
                html(
                  "li",
                  { class: holds ? "true" : "false" },
                  text,
                  html("span", { class: "visually-hidden" }, holds ? " holds" : " does not hold"),
                ),
              ),
            ),
          ),
        ),
      );
    },
  };
}

const KINDS = [
  ["terminal", "The end"],
  ["goal", "Goals"],
  ["legal", "Legal moves"],
  ["next", "Next state"],
  ["sees", "Percepts"],
];

function netPanel(panel, refresh) {
  const sizes = html("dl", { class: "sizes" });
  const choice = html("select", { id: "net-of" });
  const figure = html("div", { class: "net", tabindex: "0", role: "group", "aria-label": "The net" });
  const zoom = html("input", { type: "range", min: "20", max: "150", value: "100", id: "net-zoom" });
  const note = html("p", { class: "faint" });
  const detail = html("p", { class: "faint node", role: "status" });
  const holding = html("ul", { class: "holding" });
  const count = html("summary", {});
  const outputs = html("details", {}, count, holding);
  panel.append(
    sizes,
    html(
      "div",
      { class: "row" },
      html("label", { for: "net-of" }, "What depends on what, for"),
      choice,
      html("label", { for: "net-zoom" }, "Size"),
      zoom,
    ),
    html(
      "p",
      { class: "key" },
      ...[
        ["lit", "true"],
        ["unlit", "false"],
        ["open", "depends on the moves or is hidden"],
        ["dashed", "not"],
      ].map(([look, meaning]) => html("span", {}, html("i", { class: look }), meaning)),
    ),
    note,
    figure,
    detail,
    outputs,
  );
  let drawn = null;
  let offered = "";
  let isFirst = true;

  const resize = () => {
    if (!drawn) return;
    const scale = Number(zoom.value) / 100;
    drawn.image.setAttribute("width", drawn.width * scale);
    drawn.image.setAttribute("height", drawn.height * scale);
  };
  zoom.addEventListener("input", resize);
  choice.addEventListener("change", refresh);

  return {
    of: () => choice.value,
    reset: () => {
      drawn = null;
      offered = "";
      isFirst = true;
      choice.replaceChildren();
      figure.replaceChildren();
    },
    show: (sight, view) => {
      showSizes(sizes, sight.sizes, view);
      const names = sight.outputs.join("\n");
      if (names !== offered) {
        offered = names;
        offer(choice, sight);
      }
      const held = sight.holding ?? [];
      count.textContent = `${held.length.toLocaleString("en")} outputs are true`;
      outputs.hidden = !sight.holding;
      holding.replaceChildren(...held.map((name) => html("li", {}, name)));
      const { picture } = sight;
      figure.hidden = !picture;
      note.textContent = picture
        ? ""
        : sight.nodes === null
          ? sight.sizes ? "The net is too large to be shown." : "This game is evaluated state by state: there is no net."
          : `${sight.nodes.toLocaleString("en")} nodes are too many for a picture. Choose a part of the net.`;
      detail.textContent = "";
      if (!picture) {
        drawn = null;
        // If the net is too large for a picture, the gates of a legal move are chosen first.
        const part = sight.outputs.find((name) => name.startsWith("legal "));
        if (isFirst && part) choice.value = part;
        const isOther = choice.value !== (sight.of ?? "");
        isFirst = false;
        if (isOther) refresh();
        return;
      }
      isFirst = false;
      if (drawn?.key !== `${sight.of} ${picture.nodes.length}`) {
        drawn = draw(picture, detail);
        drawn.key = `${sight.of} ${picture.nodes.length}`;
        figure.replaceChildren(drawn.image);
        resize();
      }
      light(drawn, picture);
    },
  };
}

function offer(choice, sight) {
  const of = choice.value;
  const groups = KINDS.map(([kind, title]) => {
    const names = sight.outputs.filter((name) => name.split(" ", 1)[0] === kind);
    if (names.length === 0) return null;
    return html("optgroup", { label: title }, ...names.map((name) => html("option", { value: name }, name)));
  });
  choice.replaceChildren(html("option", { value: "" }, "everything"), ...groups.filter(Boolean));
  choice.value = of;
}

function rulesPanel(panel, app) {
  const text = html("pre", { class: "rules", tabindex: "0", "aria-label": "Rulesheet of this game" });
  const edit = html("button", { type: "button", id: "rules-edit", disabled: true }, "Change a copy");
  panel.append(html("div", { class: "row" }, edit), text);
  let shown = null;
  edit.addEventListener("click", () => app.edit(shown.name, shown.text));
  return {
    show: async ({ id }) => {
      if (shown?.id === id) return;
      try {
        shown = { id, ...(await app.api("GET", `/sessions/${id}/rulesheet`)) };
        text.textContent = shown.text;
        edit.disabled = false;
      } catch (problem) {
        text.textContent = problem.message;
      }
    },
  };
}

function showSizes(list, sizes, view) {
  if (!sizes) {
    list.replaceChildren();
    return;
  }
  const number = (value) => value.toLocaleString("en");
  const rows = [
    ["fluents", number(sizes.fluents)],
    ...view.game.roles.map(({ name }, role) => [`moves of ${name}`, number(sizes.moves[role])]),
    ...(sizes.percepts ? view.game.roles.map(({ name }, role) => [`percepts of ${name}`, number(sizes.percepts[role])]) : []),
    ["rule instances", number(sizes.ground_rules)],
    ["gates", number(sizes.gates)],
    ["operations", number(sizes.operations)],
    ["depth", number(sizes.depth)],
    ["exclusive groups", number(sizes.exclusive_groups)],
    ["operations by phase", sizes.phases.map(number).join(", ")],
  ];
  list.replaceChildren(
    ...rows.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, value))),
  );
}

// Draws the picture, without values. Pointing at a node shows the gates that it depends on.
function draw(picture, detail) {
  const image = svg("svg", {
    viewBox: `0 0 ${picture.width} ${picture.height}`,
    role: "img",
    "aria-label": `A net of ${picture.nodes.length} nodes`,
  });
  const edges = picture.edges.map(({ path, negated }) => svg("path", { d: path, class: negated ? "edge dashed" : "edge" }));
  const nodes = picture.nodes.map(({ kind, text, label, x, y, width, height }) => {
    const isGate = kind === "and" || kind === "or";
    return svg(
      "g",
      { class: `node ${kind}` },
      svg("title", {}, text),
      svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: isGate ? 10 : 4 }),
      svg("text", { x, y: y + 4 }, label),
    );
  });
  const into = picture.nodes.map(() => []);
  picture.edges.forEach(({ to }, edge) => into[to].push(edge));
  const trace = (node) => {
    for (const path of edges) path.classList.remove("traced");
    const seen = new Set();
    const rest = [node];
    while (rest.length > 0) {
      const next = rest.pop();
      if (seen.has(next)) continue;
      seen.add(next);
      for (const edge of into[next]) {
        edges[edge].classList.add("traced");
        rest.push(picture.edges[edge].from);
      }
    }
    image.classList.add("tracing");
    const { kind, text } = picture.nodes[node];
    detail.textContent = kind === "and" || kind === "or" ? `${text} of ${into[node].length}` : `${kind}: ${text}`;
  };
  nodes.forEach((node, number) => {
    node.addEventListener("pointerenter", () => trace(number));
    node.addEventListener("pointerleave", () => image.classList.remove("tracing"));
  });
  image.append(...edges, ...nodes);
  return { image, edges, nodes, width: picture.width, height: picture.height };
}

function light({ edges, nodes }, { edge_values, node_values }) {
  const mark = (shape, value) => {
    shape.classList.toggle("lit", value === true);
    shape.classList.toggle("open", value === null);
  };
  edges.forEach((edge, number) => mark(edge, edge_values[number]));
  nodes.forEach((node, number) => mark(node, node_values[number]));
}

function analysisPanel(panel, app) {
  const games = html(
    "select",
    { id: "analysis-games" },
    ...[100, 1000, 10000].map((count) => html("option", { value: count }, count.toLocaleString("en"))),
  );
  const seed = html("input", { id: "analysis-seed", type: "number", min: "0", value: "0", inputmode: "numeric" });
  const start = html("button", { type: "button", id: "analysis-start", class: "primary" }, "Play them");
  const stop = html("button", { type: "button", id: "analysis-stop", hidden: true }, "Stop");
  const note = html("p", { class: "faint", role: "status" });
  const charts = html("div", { class: "charts" });
  const inner = charts.attachShadow({ mode: "open" });
  panel.append(
    html("p", { class: "faint" }, "Figures from random games: the length, the branching and the fairness of the game."),
    html(
      "div",
      { class: "row" },
      html("label", { for: "analysis-games" }, "Games"),
      games,
      html("label", { for: "analysis-seed" }, "Seed"),
      seed,
      start,
      stop,
    ),
    note,
    charts,
  );
  let asked = null;
  const end = () => {
    asked = null;
    start.hidden = false;
    stop.hidden = true;
  };
  start.addEventListener("click", async () => {
    const question = new AbortController();
    asked = question;
    start.hidden = true;
    stop.hidden = false;
    stop.focus();
    note.textContent = "Playing …";
    const query = new URLSearchParams({ games: games.value, seed: seed.value || "0" });
    try {
      const { page } = await app.api("GET", `/sessions/${app.session.id}/analysis?${query}`, undefined, question.signal);
      if (asked !== question) return;
      // The markup is the server's own, with all names escaped.
      inner.innerHTML = page;
      inner.prepend(html("link", { rel: "stylesheet", href: "/page/charts.css" }));
      note.textContent = "";
      app.say("the analysis is done");
    } catch (problem) {
      if (asked !== question) return;
      note.textContent = problem.name === "AbortError" ? "Stopped." : problem.message;
    }
    end();
    start.focus();
  });
  stop.addEventListener("click", () => asked?.abort());
  return {
    reset: () => {
      asked?.abort();
      end();
      inner.replaceChildren();
      note.textContent = "";
    },
  };
}
