// The page: it opens sessions, keeps the latest view of the open one, and tells the other modules of it.

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

// What a request came to that the server refused.
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
  // If this is the page of a guest, who has a seat and nothing else.
  isGuest: document.body.classList.contains("guest"),
  // The role through whose eyes the game is seen, where the rules hide something; null is for the server to decide.
  seat: null,

  // A request; gives its JSON, or throws `Refused`.
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

  // For the live region, which screen readers read out.
  say(text) {
    byId("live").textContent = text;
  },

  // Shows why something was not done, for a while, and a button for more of it.
  warn(text, more) {
    const notice = byId("notice");
    notice.replaceChildren(text, ...(more ? [more] : []));
    notice.hidden = false;
    clearTimeout(app.warning);
    app.warning = setTimeout(app.quiet, 5000);
  },

  // What was said is of the past.
  quiet() {
    byId("notice").hidden = true;
  },

  // A request about the open session, whose answer is its next view.
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

  // Starts a session: `{game}` or `{rulesheet, name}`, and whatever else the server takes. A rulesheet that takes more than the
  // usual is given it, as long as it is wanted.
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
    // What the address asked for is this session now.
    if (location.hash.length > 1) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  },

  // Opens a session that there is, or one that there was before the server began anew.
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
      // Links that guests have open their seats again.
      const again = await Promise.allSettled(links.map(([role, token]) => app.invite(role, token)));
      const lost = again.find(({ status }) => status === "rejected")?.reason;
      app.warn(`The server was restarted: the match continues from where it was.${lost ? ` The links of guests are no longer valid: ${lost.message}.` : ""}`);
      if (links.length) await app.refresh();
    }
  },

  // Makes a link to the seat of a role for a guest, or has one that there was open it again.
  async invite(role, token) {
    const { id } = app.session;
    const invited = await app.api("POST", `/sessions/${id}/invitations`, { role, token });
    kept.invite(id, role, new URL(invited.link).hash.replace("#session=", ""));
    return invited;
  },

  // Tells in words how far a compilation is, twice a second, until it ends; its ticket belongs into the request that compiles.
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

  // Asks for the view again, as after a change of eyes.
  async refresh() {
    try {
      app.session.version = 0;
      const seat = app.seat ? `?seat=${encodeURIComponent(app.seat)}` : "";
      show(await app.api("GET", `/sessions/${app.session.id}${seat}`));
    } catch (error) {
      app.warn(error.message);
    }
  },

  // What to start so as to go on with a saved match: the game it names, else `game`.
  requestOf(saved, game) {
    if (!Array.isArray(saved?.moves) || !Array.isArray(saved?.states)) {
      throw new Refused({ code: "no_match", message: "This file is not a saved match: it has no moves and no positions." });
    }
    const { game: known, name, rulesheet, seats, clocks, ...record } = saved;
    const start = known ? { game: known } : rulesheet ? { rulesheet, name } : { game };
    return { ...start, seats: people(seats), clocks, record };
  },

  // An address that holds the position: the game and the moves that led here, packed.
  async linkTo(saved) {
    const { game, name, rulesheet, seats, states, moves } = saved;
    const packed = await pack({ game, name: rulesheet && name, rulesheet, seats: people(seats), position: states[0], moves });
    return `${location.origin}/#at=${packed}`;
  },

  emit,

  // Leaves the open session, for the chooser or for the results.
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

// Seats without those of chance, which nobody can be given.
const people = (seats) => Object.fromEntries(Object.entries(seats ?? {}).filter(([, seat]) => seat !== "chance"));

function emit(event, value) {
  for (const listener of listeners.get(event) ?? []) listener(value);
}

function show(view) {
  const other = app.session?.id !== view.id;
  const title = titled(view.game.name);
  document.title = `${title} · gdl`;
  byId("name").textContent = title;
  // The same may come twice: as the answer to a move, and to a request that waits for changes.
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

// A name as words: `connect_four` is `Connect four`.
function titled(name) {
  const words = name.replace(/^(base|stanford|dresden|testbase)__/, "").replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ").trim() || name;
  return words[0].toUpperCase() + words.slice(1);
}

let following = null;

// Asks for views as they change, as long as the session is open.
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
      // A server that begins anew counts versions anew.
      app.session.version = 0;
      app.warn(error.message);
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

// What the address asks for behind its `#`: a session, a game, or nothing.
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
    // The link of a guest stays: the seat may be had again.
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
