// The page: it opens sessions, stores the latest view of the open session, and emits that view to
// the other modules.

import * as board from "./board.js";
import * as play from "./play.js";
import * as chooser from "./chooser.js";
import * as editor from "./editor.js";
import * as inside from "./inside.js";
import * as evaluation from "./evaluation.js";
import * as kept from "./kept.js";
import { pack, unpack } from "./link.js";
import * as results from "./results.js";
import * as why from "./why.js";

const byId = (id) => document.getElementById(id);

// The error of a request that the server refused.
export class Refused extends Error {
  constructor(problem) {
    super(problem.message);
    Object.assign(this, { diagnostics: [] }, problem);
  }
}

const listeners = new Map();

export const app = {
  // The latest view of the open session, or null.
  session: null,
  // True for the page of a guest, who has only a seat.
  isGuest: document.body.classList.contains("guest"),
  // The role whose view is shown if the rules hide something; the server chooses the role if null.
  seat: null,

  // Sends a request. Returns the JSON of its response, or throws `Refused`.
  async api(method, path, body, signal) {
    let response;
    try {
      response = await fetch(`/api${path}`, {
        method,
        signal,
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refused({ code: "gone", message: "the server does not answer: is `gdl serve` still running?" });
    }
    const answer = response.status === 204 ? null : await response.json();
    if (!response.ok) throw new Refused(answer);
    return answer;
  },

  on(event, listener) {
    if (!listeners.has(event)) listeners.set(event, []);
    listeners.get(event).push(listener);
  },

  // Writes to the live region, which screen readers read out.
  say(text) {
    byId("live").textContent = text;
  },

  // Shows a notice for some seconds, with buttons for more if given.
  warn(text, more) {
    const notice = byId("notice");
    notice.replaceChildren(text, ...(more ? [more] : []));
    notice.hidden = false;
    clearTimeout(app.warning);
    app.warning = setTimeout(app.quiet, 5000);
  },

  // Hides the notice.
  quiet() {
    byId("notice").hidden = true;
  },

  // Sends a request that changes the open session. The response is the session's next view.
  async change(path, body) {
    try {
      const seat = app.seat ? `?seat=${encodeURIComponent(app.seat)}` : "";
      show(await app.api("POST", `/sessions/${app.session.id}${path}${seat}`, body ?? {}));
      return true;
    } catch (error) {
      app.warn(error.message);
      return false;
    }
  },

  // Starts a session: `{game}` or `{rulesheet, name}`, and other fields that the server accepts. A
  // rulesheet that exceeds the usual limits gets larger limits, until the user cancels.
  async start(request) {
    app.seat = null;
    let view;
    try {
      view = await app.api("POST", "/sessions", request);
    } catch (problem) {
      if (!request.rulesheet || request.patient || problem.code !== "too_large_to_play") throw problem;
      const control = new AbortController();
      const cancel = Object.assign(document.createElement("button"), { type: "button", textContent: "Cancel", onclick: () => control.abort() });
      const asked = app.follow((words) => app.warn(`This rulesheet takes a while: ${words}`, cancel));
      try {
        view = await app.api("POST", "/sessions", { ...request, patient: true, ticket: asked.ticket }, control.signal);
      } catch (error) {
        throw error.name === "AbortError" ? problem : error;
      } finally {
        asked.end();
        app.quiet();
      }
    }
    show(view);
    const address = `#session=${app.session.id}`;
    // The address now names this session.
    if (location.hash.length > 1) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  },

  // Opens an existing session, or restores a stored one after a restart of the server.
  async open(id) {
    app.seat = null;
    try {
      show(await app.api("GET", `/sessions/${id}`));
    } catch (problem) {
      const request = problem.code === "no_session" && !app.isGuest && kept.request(id);
      if (!request) throw problem;
      const links = Object.entries(kept.guests(id));
      await app.start(request);
      kept.forget(id);
      // The links of guests open their seats again.
      const again = await Promise.allSettled(links.map(([role, token]) => app.invite(role, token)));
      const lost = again.find(({ status }) => status === "rejected")?.reason;
      app.warn(`The server was restarted: the match continues from where it was.${lost ? ` The links of guests are no longer valid: ${lost.message}.` : ""}`);
      if (links.length) await app.refresh();
    }
  },

  // Makes a link to the seat of a role for a guest, or makes an existing link valid again.
  async invite(role, token) {
    const { id } = app.session;
    const invited = await app.api("POST", `/sessions/${id}/invitations`, { role, token });
    kept.invite(id, role, new URL(invited.link).hash.replace("#session=", ""));
    return invited;
  },

  // Reports the progress of a compilation in words, twice a second, until `end` is called. The
  // request that compiles must carry `ticket`.
  follow(tell) {
    const ticket = crypto.randomUUID?.() ?? String(Math.random());
    const began = performance.now();
    const ask = async () => {
      const stage = await app.api("GET", `/compilations/${ticket}`).catch(() => null);
      const seconds = Math.round((performance.now() - began) / 1000);
      if (timer && stage) tell(`${stage.phase || "waiting for its turn"}${stage.made ? `, ${stage.made.toLocaleString("en")} ${stage.unit}` : ""}, ${seconds} s`);
    };
    let timer = setInterval(ask, 500);
    return { ticket, end: () => { clearInterval(timer); timer = 0; } };
  },

  // Loads the view again, as after a change of the seat whose view is shown.
  async refresh() {
    try {
      app.session.version = 0;
      const seat = app.seat ? `?seat=${encodeURIComponent(app.seat)}` : "";
      show(await app.api("GET", `/sessions/${app.session.id}${seat}`));
    } catch (error) {
      app.warn(error.message);
    }
  },

  // Returns the request that continues a saved match. The game is the one that the match names, its
  // rulesheet, or `game`, in this order.
  requestOf(saved, game) {
    if (!Array.isArray(saved?.moves) || !Array.isArray(saved?.states)) {
      throw new Refused({ code: "no_match", message: "This file is not a saved match: it has no moves and no positions." });
    }
    const { game: known, name, rulesheet, seats, clocks, ...record } = saved;
    const start = known ? { game: known } : rulesheet ? { rulesheet, name } : { game };
    return { ...start, seats: people(seats), clocks, record };
  },

  // Returns a link that contains the game, the players, the initial position and the moves,
  // compressed.
  async linkTo(saved) {
    const { game, name, rulesheet, seats, states, moves } = saved;
    const packed = await pack({ game, name: rulesheet && name, rulesheet, seats: people(seats), position: states[0], moves });
    return `${location.origin}/#at=${packed}`;
  },

  emit,

  // Leaves the open session and shows the chooser or the results.
  close(part = "chooser") {
    app.session = null;
    following?.abort();
    document.title = "gdl";
    byId("name").textContent = "";
    byId("game").hidden = byId("inside").hidden = true;
    for (const other of ["chooser", "results"]) byId(other).hidden = other !== part;
    emit("close");
  },
};

// The seats without those of chance, which nobody can take.
const people = (seats) => Object.fromEntries(Object.entries(seats ?? {}).filter(([, seat]) => seat !== "chance"));

function emit(event, value) {
  for (const listener of listeners.get(event) ?? []) listener(value);
}

function show(view) {
  const other = app.session?.id !== view.id;
  const title = titled(view.game.name);
  document.title = `${title} · gdl`;
  byId("name").textContent = title;
  // The same view may arrive twice: as the response to a move, and to a request that waits for
  // changes.
  if (!other && view.version <= app.session.version) return;
  if (app.session && (other || view.place !== app.session.place)) app.quiet();
  app.session = view;
  byId("chooser").hidden = byId("results").hidden = true;
  byId("game").hidden = false;
  byId("inside").hidden = app.isGuest;
  if (other) emit("open", view);
  emit("view", view);
  if (other) follow(view.id);
}

// Returns a name as words: `connect_four` becomes `Connect four`.
function titled(name) {
  const words = name.replace(/^(base|stanford|dresden|testbase)__/, "").replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").trim() || name;
  return words[0].toUpperCase() + words.slice(1);
}

let following = null;

// Waits for changed views as long as the session is open.
async function follow(id) {
  following?.abort();
  const control = following = new AbortController();
  while (!control.signal.aborted && app.session?.id === id) {
    const seat = app.seat ? `&seat=${encodeURIComponent(app.seat)}` : "";
    try {
      const view = await app.api("GET", `/sessions/${id}?after=${app.session.version}&wait=20${seat}`, undefined, control.signal);
      if (!control.signal.aborted && app.session?.id === id) show(view);
    } catch (error) {
      if (control.signal.aborted) return;
      if (error.code === "no_session" && !app.isGuest) return route();
      // A restarted server counts versions from the beginning.
      app.session.version = 0;
      app.warn(error.message);
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

// Opens what the fragment of the address names: a session, a linked position, a game, the results
// or a match. Otherwise shows the chooser.
async function route() {
  const asked = new URLSearchParams(location.hash.slice(1));
  try {
    if (asked.get("session")) {
      await app.open(asked.get("session"));
    } else if (asked.get("at")) {
      let start;
      try {
        start = await unpack(asked.get("at"));
      } catch {
        throw new Refused({ code: "bad_link", message: "this link is damaged" });
      }
      await app.start(start);
    } else if (asked.get("game")) {
      await app.start({ game: asked.get("game"), against: asked.get("against") ?? undefined });
    } else if (asked.has("results") || asked.has("match")) {
      app.close("results");
      emit("results", asked.get("match"));
    } else {
      app.close();
    }
  } catch (error) {
    app.warn([error.message, error.help].filter(Boolean).join(": "));
    // The address of a guest stays, because the seat may become available again.
    if (!app.isGuest) history.replaceState(null, "", "#");
    app.close();
  }
}

board.mount(byId("board"), app);
play.mount(byId("play"), app);
why.mount(byId("why"), app);
if (app.isGuest) {
  byId("chooser").append("This page is for guests. Open the link to your seat, which the person who invited you has.");
} else {
  chooser.mount(byId("chooser"), app);
  editor.mount(byId("chooser"), app);
  evaluation.mount(byId("evaluation"), app);
  kept.mount(app);
  inside.mount(byId("inside"), app);
  results.mount(byId("results"), app);
}
document.querySelector("header a").addEventListener("click", (event) => {
  event.preventDefault();
  if (app.isGuest) return;
  history.pushState(null, "", "#");
  app.close();
});
addEventListener("popstate", route);
route();
