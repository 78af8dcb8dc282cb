// The page: it opens sessions, keeps the latest view of the open one, and tells the other modules of it.

import * as board from "./board.js";
import * as play from "./play.js";
import * as chooser from "./chooser.js";
import * as editor from "./editor.js";
import * as inside from "./inside.js";

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

  // Shows why something was not done, for a while.
  warn(text) {
    const notice = byId("notice");
    notice.textContent = text;
    notice.hidden = false;
    clearTimeout(app.warning);
    app.warning = setTimeout(() => { notice.hidden = true; }, 5000);
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

  // Starts a session: `{game}` or `{rulesheet, name}`, and whatever else the server takes.
  async start(request) {
    app.seat = null;
    show(await app.api("POST", "/sessions", request));
    history.pushState(null, "", `#session=${app.session.id}`);
  },

  // Opens a session that there is.
  async open(id) {
    app.seat = null;
    show(await app.api("GET", `/sessions/${id}`));
  },

  // Leaves the open session, for the chooser.
  close() {
    app.session = null;
    following?.abort();
    byId("game").hidden = byId("inside").hidden = true;
    byId("chooser").hidden = false;
    emit("close");
  },
};

function emit(event, value) {
  for (const listener of listeners.get(event) ?? []) listener(value);
}

function show(view) {
  const other = app.session?.id !== view.id;
  if (!other && view.version < app.session.version) return;
  app.session = view;
  byId("chooser").hidden = true;
  byId("game").hidden = byId("inside").hidden = false;
  if (other) emit("open", view);
  emit("view", view);
  if (other) follow(view.id);
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
      app.warn(error.message);
      if (error.code === "no_session") return;
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

// What the address asks for behind its `#`: a session, a game, or nothing.
async function route() {
  const asked = new URLSearchParams(location.hash.slice(1));
  try {
    if (asked.get("session")) {
      if (asked.get("session") !== app.session?.id) await app.open(asked.get("session"));
    } else if (asked.get("game")) {
      await app.start({ game: asked.get("game") });
    } else {
      app.close();
    }
  } catch (error) {
    app.warn(error.message);
    history.replaceState(null, "", "#");
    app.close();
  }
}

board.mount(byId("board"), app);
play.mount(byId("play"), app);
chooser.mount(byId("chooser"), app);
editor.mount(byId("chooser"), app);
inside.mount(byId("inside"), app);
addEventListener("popstate", route);
route();
