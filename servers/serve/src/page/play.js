// The panel next to the board: status and result, seats, controls, the legal moves, the moves made,
// and the fluents that are not on the board.

import { bare, html } from "./dom.js";
import * as clocks from "./clocks.js";
import { counts } from "./marks.js";

// The levels of the computer as an opponent, without the names of searches.
export const LEVELS = { easy: "best:nodes=30", medium: "best:nodes=1000", hard: "best:seconds=3" };

// The seat of a remote person.
const GUEST = "guest";

const count = (number) => Math.round(number).toLocaleString("en");

export function mount(element, app) {
  let view = null;
  let players = [];
  let invites = false;
  let advice = null;
  let wantsAdvice = false;
  let asking = null;
  let waits = false;

  const button = (text, action, attributes = {}) => html("button", { type: "button", onclick: action, ...attributes }, text);

  const status = html("p", { id: "status", tabindex: "-1" });
  const goals = html("p", { id: "goals" });
  const mark = html("p", { id: "revealed", class: "faint", hidden: true }, "Continued after the end revealed what was hidden.");
  const effort = html("p", { id: "effort", class: "faint" });
  const restart = button("Restart", () => app.change("/restart"));
  const seed = html("input", { inputmode: "numeric", size: 12, "aria-label": "Seed of chance", placeholder: "hidden until the end" });
  const sow = button("Restart with this seed", () => {
    const given = Number(seed.value.trim());
    if (!seed.value.trim() || !Number.isSafeInteger(given) || given < 0) return app.warn("A seed is a whole number, such as 7.");
    return app.change("/restart", { seed: given });
  });
  const luck = html("details", { id: "luck" }, html("summary", {}, "Seed"), html("p", { class: "faint" }, "The seed of all random choices."),
    html("div", { class: "row" }, seed, sow));
  const undo = button("Undo", () => app.change("/undo"), { title: "Ctrl+Z" });
  const redo = button("Redo", () => app.change("/redo"), { title: "Ctrl+Shift+Z" });
  const pause = button("Pause", () => app.change("/pause", { paused: !view.paused }));
  const hints = button("Hints", () => advise(!wantsAdvice), { "aria-pressed": "false", title: "The values of the moves" });
  const save = button("Save", saveMatch, { title: "Save the match to a file" });
  const file = html("input", { type: "file", accept: ".json,application/json", hidden: true, "aria-label": "A saved match", onchange: loadMatch });
  const test = button("Save test", saveTest, { title: "Save the moves and the position as a test for gdl test" });
  const load = button("Load", () => file.click(), { title: "Load a match from a file" });
  const link = button("Copy link", copyLink, { title: "Copy a link to this position" });
  const sounds = button("Sounds", () => sound(!audio), { "aria-pressed": "false", title: "A knock for each move" });
  const linked = html("input", { id: "link", readonly: true, hidden: true, "aria-label": "Link to this position" });
  // A guest has only a seat: controls that change the play of others are for the host.
  const controls = html("div", { id: "controls", role: "group", "aria-label": "Play" },
    ...(app.isGuest ? [sounds] : [restart, undo, redo, pause, hints, save, load, file, link, test, sounds, linked]));
  let audio = null;
  const position = html("textarea", { rows: "6", spellcheck: "false", "aria-label": "Position" });
  const edit = html("details", { id: "position", ontoggle: () => { if (edit.open) readPosition(); } }, html("summary", {}, "Position"),
    html("p", { class: "faint" }, "All fluents that hold. Change them, and play from there."),
    position, html("div", { class: "row" }, button("Play from here", playPosition)));
  const seats = html("div", { id: "seats" });
  const eyes = html("div", { id: "eyes" });
  const legal = html("ol", { id: "legal" });
  const legalTitle = html("h2", {}, "Legal moves");
  const made = html("ol", { id: "moves", "aria-label": "Moves made" });
  const go = (place) => (app.isGuest ? false : app.change("/go", { place }));
  const first = button("«", () => go(0), { "aria-label": "To the start", title: "Home" });
  const back = button("‹", () => step(-1), { "aria-label": "One move back", title: "Left arrow" });
  const next = button("›", () => step(1), { "aria-label": "One move on", title: "Right arrow" });
  const last = button("»", () => step(Infinity), { "aria-label": "To the end", title: "End" });
  const auto = button("Replay", () => replay(!timer), { "aria-pressed": "false", title: "Show the moves one after the other" });
  const replays = html("div", { id: "replay", role: "group", "aria-label": "Replay" }, first, back, next, last, auto);
  const evaluation = html("div", { id: "evaluation" });
  const fluents = html("dl", { id: "fluents" });
  const part = (title, ...rest) => html("section", {}, html("h2", {}, title), ...rest);
  const facts = part("Also holds", fluents);

  const invitation = html("dialog", { id: "invitation", "aria-labelledby": "invitation-title" });
  element.append(status, goals, mark, effort, eyes, controls, part("Players", seats),
    html("section", {}, legalTitle, legal), part("Moves", ...(app.isGuest ? [made] : [replays, made, evaluation])), facts,
    ...(app.isGuest ? [] : [edit, luck, invitation]));

  // ---- Sounds -----------------------------------------------------------------------------------

  function sound(wants) {
    audio?.close();
    audio = wants ? new AudioContext() : null;
    sounds.setAttribute("aria-pressed", String(wants));
    if (wants) knock();
  }

  // Plays a short knock, with a lower pitch at the end of the game.
  function knock() {
    if (!audio) return;
    const [tone, loud] = [audio.createOscillator(), audio.createGain()];
    const now = audio.currentTime;
    tone.type = "triangle";
    tone.frequency.setValueAtTime(view.terminal ? 220 : 420, now);
    loud.gain.setValueAtTime(0.25, now);
    loud.gain.exponentialRampToValueAtTime(0.001, now + 0.12);
    tone.connect(loud).connect(audio.destination);
    tone.start(now);
    tone.stop(now + 0.13);
  }

  // ---- Replay -----------------------------------------------------------------------------------

  let timer = 0;

  // Goes `count` moves along the line, at most to its start or its end. Returns false if the
  // current position is there already.
  function step(count) {
    if (!view) return false;
    const places = [0, ...view.line.map(({ place }) => place), ...view.ahead.map(({ place }) => place)];
    const at = places.indexOf(view.place);
    const to = Math.max(0, Math.min(places.length - 1, at + count));
    if (to === at) return false;
    go(places[to]);
    return true;
  }

  function replay(wants) {
    clearInterval(timer);
    timer = 0;
    auto.setAttribute("aria-pressed", String(wants));
    if (!wants) return;
    // At the end of the line the replay starts again.
    if (!step(1)) go(0);
    timer = setInterval(() => { if (!step(1)) replay(false); }, 900);
  }

  if (!app.isGuest) {
    app.api("GET", "/players").then((answer) => {
      [players, invites] = [answer.players, answer.guests];
      if (view) showSeats(true);
    });
  }

  // Returns a button that asks why an atom holds.
  const asked = (text, atom) => button(text, () => app.emit("ask", atom), { class: "fluent", title: "Why?" });

  // ---- Seats ------------------------------------------------------------------------------------

  const isOwn = (seat) => seat === "person";
  // Remote players have an address before their options: `remote:HOST:PORT,start=10`.
  const isElsewhere = (kind) => Boolean(players.find((player) => player.name === kind)?.elsewhere);
  // Seats of remote players whose address is missing or was rejected, by role.
  const unseated = new Map();

  function parse(seat) {
    const [kind, ...rest] = seat.split(":");
    const parts = rest.join(":").split(",").filter(Boolean);
    const address = isElsewhere(kind) ? parts.shift() ?? "" : "";
    return { kind, address, options: Object.fromEntries(parts.map((option) => option.split("="))) };
  }

  function showSeats(anew) {
    const { goals } = view;
    const shape = view.game.roles.map(({ name, seat, absent, clock }) => `${name}=${seat}${absent ? "?" : ""}${clock ? "+" : ""}`).join(" ");
    const told = JSON.stringify([goals, view.game.roles.map(({ name }) => counts(view.fluents, name))]);
    if (!anew && seats.dataset.shape === shape && seats.dataset.told === told) return;
    [seats.dataset.shape, seats.dataset.told] = [shape, told];
    const open = [...seats.querySelectorAll("details[open]")].map((details) => details.dataset.role);
    const on = seats.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    seats.replaceChildren(...view.game.roles.map(({ name, seat, absent, clock }, at) => {
      const face = clock ? [html("span", { class: "clock", role: "timer", "data-role": name, "aria-label": `Time left of ${name}` })] : [];
      if (app.isGuest) return html("div", { class: "seat" }, html("span", {}, name, " ", ...face), html("span", { class: "faint" }, name === view.guest ? "you" : seat));
      if (seat === "chance") return html("div", { class: "seat" }, html("span", {}, name), html("span", { class: "faint" }, "chance"));
      const { kind, address, options } = unseated.has(name)
        ? { options: {}, ...unseated.get(name) } : parse(seat);
      const sit = (kind, options, address = "") => {
        unseated.delete(name);
        if (isElsewhere(kind)) unseated.set(name, { kind, address });
        if (isElsewhere(kind) && !address) return showSeats(true);
        const given = Object.entries(options).filter(([, value]) => value !== "").map(([key, value]) => `${key}=${value}`);
        const text = [address, ...given].filter(Boolean).join(",");
        app.change("/seats", { [name]: text ? `${kind}:${text}` : kind }).then((done) => {
          if (done) unseated.delete(name);
          showSeats(true);
        });
      };
      const choose = () => (select.value === GUEST ? invite(name) : LEVELS[select.value] ? app.change("/seats", { [name]: LEVELS[select.value] })
        : sit(select.value, isOwn(select.value) ? {} : usual(select.value)));
      const select = html("select", { "aria-label": `Who plays ${name}`, onchange: choose },
        html("option", { value: "person" }, "person"),
        ...(invites || seat === GUEST ? [html("option", { value: GUEST }, "a guest, by a link")] : []),
        html("optgroup", { label: "computer" }, ...Object.keys(LEVELS).map((level) => html("option", { value: level }, level))),
        html("optgroup", { label: "players by name" },
          ...players.map((player) => html("option", { value: player.name, title: player.about }, player.name))));
      select.value = Object.keys(LEVELS).find((level) => LEVELS[level] === seat && !unseated.has(name)) ?? kind;
      const where = isElsewhere(kind) ? [html("label", { class: "where" }, "at", html("input", {
        "aria-label": `Address of the player of ${name}`, value: address, placeholder: "127.0.0.1:9147", size: 16, spellcheck: "false",
        onchange: (event) => sit(kind, options, event.target.value.trim()),
      }))] : [];
      const known = players.find((player) => player.name === kind)?.options ?? [];
      const fields = known.map((key) => html("label", {}, key, html("input", {
        inputmode: "decimal", size: 6, value: options[key] ?? "", placeholder: key === "seconds" ? "1" : "",
        onchange: (event) => sit(kind, { ...options, [key]: event.target.value.trim() }, address),
      })));
      const more = fields.length && (address || !isElsewhere(kind))
        ? [html("details", { "data-role": name, open: open.includes(name) }, html("summary", {}, "options"), html("div", { class: "fields" }, ...fields))] : [];
      const guest = seat === GUEST ? [html("div", { class: "row guest" }, html("span", { class: "faint" }, absent ? "has not joined yet" : "has joined"),
        button("New link", () => invite(name), { "aria-label": `A new link for ${name}`, title: "The previous link is no longer valid" }))] : [];
      const held = counts(view.fluents, name).map((text) => html("small", { class: "held" }, text));
      const score = goals?.[at] == null ? held : [html("b", { class: "score", title: "goal" }, String(goals[at]))];
      return html("div", { class: "seat" }, html("label", {}, html("span", {}, name, " ", ...score), " ", ...face, select), ...where, ...guest, ...more);
    }));
    if (on) seats.querySelector(`[aria-label="${CSS.escape(on)}"]`)?.focus();
  }

  // Gives a seat to a guest, and shows the link with its conditions.
  async function invite(role) {
    let invited;
    try {
      invited = await app.invite(role);
    } catch (error) {
      showSeats(true);
      return app.warn([error.message, error.help].filter(Boolean).join(": "));
    }
    const close = () => invitation.close();
    const address = html("input", { readonly: true, value: invited.link, "aria-label": `Link to the seat of ${role}` });
    const copy = button("Copy", async () => {
      address.select();
      await navigator.clipboard.writeText(invited.link).then(() => { copy.textContent = "Copied"; }, () => {});
    });
    invitation.replaceChildren(html("h2", { id: "invitation-title" }, `A guest plays ${role}`),
      html("p", {}, "Send this link to one person on your network:"), html("div", { class: "row" }, address, copy),
      html("ul", {}, ...[
        "Anyone who has the link can play this seat. It opens nothing else on this machine.",
        "Nothing is encrypted: others on the network can read along or use the link. Use it only where you trust them.",
        ...(view.game.hides ? ["The guest sees what this seat may know, and you see what yours may know. But all of it is on this machine, so the guest must trust you not to look, for example by taking the seat back."] : []),
        "You can undo, go back and restart for both. The link ends with this session, or when you give the seat to others. After a restart of the server at the same port, it opens the seat again once you open this page.",
      ].map((text) => html("li", {}, text))),
      html("div", { class: "row" }, button("Done", close)));
    invitation.showModal();
    address.select();
    await app.refresh();
  }

  // The default options of a player: a second for each move if it searches.
  const usual = (kind) => (["first", "random", "greedy"].includes(kind) || isElsewhere(kind) ? {} : { seconds: "1" });

  // Shows whose knowledge the view has, if the rules hide something. If several people play,
  // buttons choose the role.
  function showEyes() {
    const people = app.isGuest ? [] : view.game.roles.filter(({ seat }) => isOwn(seat));
    if (view.closed && !people.length) return eyes.replaceChildren(html("p", {}, "Some information is hidden, and guests play: it is shown at the end."));
    if (!view.closed && !view.seat) return eyes.replaceChildren();
    const parts = [html("p", {}, view.closed ? "Some information is hidden. Who looks at the screen?"
      : `This is what ${view.seat} knows.${view.perceived ? ` Perceived last: ${bare(view.perceived)}.` : ""}`)];
    if (people.length > 1) {
      parts.push(...people.map(({ name }) => button(`${name} looks`, () => { app.seat = name; app.refresh(); },
        { "aria-pressed": String(view.seat === name) })));
      // At another person's turn, nothing hidden is shown until a button confirms who looks.
      const awaited = people.some(({ name }) => view.turn.includes(name));
      if (view.seat && awaited && !view.turn.includes(view.seat)) { app.seat = null; app.refresh(); }
    }
    eyes.replaceChildren(...parts);
  }

  // ---- Advice -----------------------------------------------------------------------------------

  function advise(wants) {
    wantsAdvice = wants;
    hints.setAttribute("aria-pressed", String(wants));
    if (!wants) give(null);
    else askAdvice();
  }

  function give(given) {
    advice = given;
    app.emit("advice", given);
    showLegal();
    showEffort();
  }

  async function askAdvice() {
    if (!wantsAdvice || !view.legal.length) return give(null);
    const asked = asking = `${view.id} ${view.place} ${view.legal[0].role}`;
    while (wantsAdvice && asking === asked) {
      try {
        const told = await app.api("GET", `/sessions/${view.id}/hints?seat=${encodeURIComponent(view.legal[0].role)}`);
        if (!wantsAdvice || asking !== asked) return;
        give({ ...told, moves: new Map(told.moves.map((tried) => [tried.move, tried.value])) });
        if (told.done) return;
      } catch (error) {
        return give(null);
      }
      await new Promise((done) => setTimeout(done, 250));
    }
  }

  // ---- Positions --------------------------------------------------------------------------------

  async function readPosition() {
    const saved = await app.api("GET", `/sessions/${view.id}/record`).catch(() => null);
    if (saved) position.value = saved.states.at(-1).replaceAll(/\) \(/g, ")\n(");
  }

  // Starts a session from the typed position, with the same players.
  async function playPosition() {
    try {
      const { game, name, rulesheet, seats } = await app.api("GET", `/sessions/${view.id}/record`);
      const own = Object.fromEntries(Object.entries(seats).filter(([, seat]) => seat !== "chance"));
      await app.start({ ...(game ? { game } : { rulesheet, name }), seats: own, position: position.value });
    } catch (error) {
      app.warn(error.message);
    }
  }

  // ---- Save, load, link -------------------------------------------------------------------------

  function download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    html("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // If the rules hide something, a match saved before its end contains information that the players
  // must not see. So the user confirms first.
  function telling(what, act) {
    if (!view.game.hides || view.terminal) return act();
    return app.warn(`The ${what} contains all moves, including those hidden from the players until the end.`, button("Continue anyway", () => { app.quiet(); act(); }));
  }

  function saveMatch() {
    telling("file", writeMatch);
  }

  function copyLink() {
    telling("link", writeLink);
  }

  async function writeMatch() {
    try {
      const saved = await app.api("GET", `/sessions/${view.id}/record`);
      download(`${saved.name}.json`, "application/json", JSON.stringify(saved, null, 1));
    } catch (error) {
      app.warn(error.message);
    }
  }

  async function saveTest() {
    try {
      const seat = view.seat ? `?seat=${encodeURIComponent(view.seat)}` : "";
      const { name, test } = await app.api("GET", `/sessions/${view.id}/test${seat}`);
      download(`${name}.plays`, "text/plain", test);
    } catch (error) {
      app.warn(error.message);
    }
  }

  async function loadMatch() {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    try {
      const saved = JSON.parse(await chosen.text());
      await app.start(app.requestOf(saved, view.game.own ? undefined : view.game.name));
      app.say("Match loaded.");
    } catch (error) {
      app.warn(error instanceof SyntaxError ? "This file is not a saved match." : error.message);
    }
  }

  async function writeLink() {
    try {
      const saved = await app.api("GET", `/sessions/${view.id}/record`);
      linked.value = await app.linkTo(saved);
      linked.hidden = false;
      await navigator.clipboard.writeText(linked.value);
      app.say("Link copied.");
      link.textContent = "Copied";
      setTimeout(() => { link.textContent = "Copy link"; }, 1500);
    } catch (error) {
      linked.focus();
      linked.select();
    }
  }

  // ---- What is shown ----------------------------------------------------------------------------

  function showStatus() {
    const text = view.chosen.length ? `${view.status} (${view.chosen.join(", ")} has chosen)` : view.status;
    if (status.textContent !== text) {
      status.textContent = text;
      const last = view.line.at(-1)?.text;
      app.say(last ? `${last}. ${text}` : text);
    }
    status.classList.toggle("over", view.terminal);
    mark.hidden = !view.revealed;
    if (document.activeElement !== seed) seed.value = view.seed ?? "";
    edit.hidden = view.game.hides && !view.terminal;
    luck.hidden = !view.game.roles.some(({ seat }) => seat !== "person");
    goals.hidden = !view.goals;
    const told = (view.goals ?? []).map((goal, i) => ({ goal, ...view.game.roles[i] })).filter(({ seat }) => seat !== "chance");
    goals.replaceChildren(...told.flatMap(({ name, goal }, i) =>
      [i ? " · " : "", goal === null ? `${name} ?` : asked(`${name} ${goal}`, `(goal ${name} ${goal})`)]));
  }

  function showEffort() {
    const thinking = view.thinking.map((one) =>
      one.playouts ? `${one.role} thinks: ${count(one.playouts)} playouts, ${count(one.playouts_per_second)} a second`
        : `${one.role} thinks`);
    if (advice && advice.place === view.place) {
      const { effort } = advice;
      thinking.push(`${advice.done ? "advice" : "advising"}: ${count(effort.playouts)} playouts, ${count(effort.playouts_per_second)} a second`);
    }
    effort.textContent = thinking.join("; ");
  }

  function showControls() {
    [first.disabled, back.disabled] = [!view.can_undo, !view.can_undo];
    [next.disabled, last.disabled] = [!view.can_redo, !view.can_redo];
    replays.hidden = !view.can_undo && !view.can_redo;
    undo.disabled = !view.can_undo;
    redo.disabled = !view.can_redo;
    const machines = view.game.roles.some(({ seat }) => !isOwn(seat) && seat !== "chance");
    pause.hidden = !machines || view.terminal;
    pause.textContent = view.paused ? "Play on" : "Pause";
  }

  function showLegal() {
    const mine = view.legal[0];
    legalTitle.textContent = mine ? `${mine.role} may` : "Legal moves";
    const signature = JSON.stringify([view.id, view.place, mine, advice && advice.place === view.place ? [...advice.moves] : null]);
    if (legal.dataset.shown === signature) return;
    legal.dataset.shown = signature;
    const place = view.place;
    // The status keeps the focus for users of the list while the list is empty.
    const focused = legal.contains(document.activeElement) ? document.activeElement.dataset.move
      : waits && document.activeElement === status ? "" : null;
    legal.replaceChildren(...(mine?.moves ?? []).map(({ move }) => {
      const value = advice && advice.place === view.place ? advice.moves.get(move) : undefined;
      const item = button(bare(move), () => app.change("/moves", { role: mine.role, move, place }), { "data-move": move });
      if (value !== undefined) {
        item.style.setProperty("--worth", `${Math.round(value)}%`);
        item.classList.add("advised");
        item.append(html("small", {}, ` ${Math.round(value)}`));
      }
      return html("li", {}, item);
    }));
    if (view.left_out.moves) legal.append(html("li", { class: "faint" }, more(view.left_out.moves)));
    if (!mine) legal.replaceChildren(html("li", { class: "faint" }, view.terminal ? "none: the game is over" : "none now"));
    waits = focused !== null && !legal.querySelector("button");
    if (focused !== null) (legal.querySelector(`[data-move="${CSS.escape(focused)}"]`) ?? legal.querySelector("button") ?? status).focus();
  }

  function showMade() {
    const signature = JSON.stringify([view.line, view.ahead, view.branches]);
    if (made.dataset.shown === signature) return;
    made.dataset.shown = signature;
    const item = (one, kind) => html("li", { value: one.step }, button(one.text || "(hidden)", () => go(one.place),
      { class: kind, disabled: app.isGuest, "aria-current": one.place === view.place ? "step" : undefined }));
    const start = html("li", { value: 0 }, button("start", () => go(0),
      { disabled: app.isGuest, "aria-current": view.line.length ? undefined : "step" }));
    // Abandoned lines are listed below the move that replaced them.
    const children = Map.groupBy(view.branches, ({ parent }) => parent);
    const line = (one) => {
      const moves = [];
      const others = [];
      for (let at = one; at;) {
        moves.push(at);
        const [next, ...more] = children.get(at.place) ?? [];
        others.push(...more);
        at = next;
      }
      const buttons = moves.slice(0, 12).map((move) => button(move.text || "(hidden)", () => go(move.place), { disabled: app.isGuest }));
      return html("ul", { class: "branch" }, html("li", {}, ...buttons, ...(moves.length > 12 ? [button(`… ${moves.length - 12} more`, () => go(moves.at(-1).place))] : [])),
        ...others.map((other) => html("li", {}, line(other))));
    };
    const main = [[0, start], ...view.line.map((one) => [one.place, item(one, "past")]), ...view.ahead.map((one) => [one.place, item(one, "ahead")])];
    for (const [at, [place]] of main.entries()) {
      for (const other of children.get(place) ?? []) (main[at + 1] ?? main[at])[1].append(line(other));
    }
    made.replaceChildren(...main.map(([, element]) => element));
    // The offset of the current move is known only after layout, which happens once for each frame.
    requestAnimationFrame(() => {
      made.scrollTop = 0;
      const here = made.querySelector("[aria-current]");
      if (here) made.scrollTop = Math.max(0, here.offsetTop - made.clientHeight / 2);
    });
  }

  function showFluents() {
    facts.hidden = !view.fluents.length;
    fluents.replaceChildren(...view.fluents.flatMap(({ relation, values }) =>
      [html("dt", {}, relation), ...(values.length ? values : [""]).map((value) =>
        html("dd", {}, asked(value || "holds", value ? `(true (${relation} ${value}))` : `(true ${relation})`)))]));
    if (view.left_out.fluents) fluents.append(html("dt", { class: "faint" }, more(view.left_out.fluents)));
  }

  function more(count) {
    return `and ${count.toLocaleString("en")} more`;
  }

  // The left and right keys step through the moves, unless the focused element uses these keys
  // itself.
  addEventListener("keydown", (event) => {
    if (!view || app.isGuest || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, select, textarea, dialog, [data-cell], [role=tablist], #inside")) return;
    const count = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!count) return;
    event.preventDefault();
    step(count);
  });

  addEventListener("keydown", (event) => {
    if (!view || app.isGuest || !(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "z") return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    app.change(event.shiftKey ? "/redo" : "/undo");
  });

  app.on("open", (opened) => {
    view = opened; asking = null; unseated.clear(); linked.hidden = true; edit.open = false; replay(false); advise(false);
    // If the focused element is gone, the status takes the focus.
    if (document.activeElement === document.body || !document.activeElement?.checkVisibility()) status.focus({ preventScroll: true });
  });
  app.on("close", () => { replay(false); view = null; wantsAdvice = false; asking = null; });
  app.on("view", (next) => {
    const moved = view?.place !== next.place || view?.id !== next.id || view?.legal[0]?.role !== next.legal[0]?.role;
    view = next;
    showStatus();
    showControls();
    showSeats(false);
    showEyes();
    showMade();
    showFluents();
    linked.hidden ||= moved;
    if (moved) knock();
    if (moved && wantsAdvice) askAdvice();
    showLegal();
    showEffort();
  });
  const form = clocks.mount(app);
  if (!app.isGuest) element.append(form);
}
