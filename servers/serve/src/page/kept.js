// Sessions stored in the browser, so that they survive a restart of the server. For each of the
// latest sessions, a saved match and the tokens in the links of its guests are stored.

const KEPT = 6;
const MOST = 1 << 20;
const name = (id) => `gdl.session.${id}`;
const links = (id) => `gdl.guests.${id}`;

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or not available, so nothing is stored.
  }
}

// Returns the request that continues a stored session; null if there is none.
export function request(id) {
  const saved = read(name(id));
  if (!saved) return null;
  const { game, name: title, rulesheet, seats, clocks, guests: seated, ...record } = saved;
  const own = Object.fromEntries(Object.entries(seats ?? {}).filter(([, seat]) => seat !== "chance"));
  return { ...(game ? { game } : { rulesheet, name: title }), seats: own, clocks, record };
}

// Returns the tokens in the links of a session's guests, by role. A seat that was given to somebody
// else has no guest any more.
export function guests(id) {
  const seated = read(name(id))?.guests ?? [];
  return Object.fromEntries(Object.entries(read(links(id)) ?? {}).filter(([role]) => seated.includes(role)));
}

export function invite(id, role, token) {
  write(links(id), { ...read(links(id)), [role]: token });
}

function remove(id) {
  localStorage.removeItem(name(id));
  localStorage.removeItem(links(id));
}

export function forget(id) {
  remove(id);
  write("gdl.sessions", (read("gdl.sessions") ?? []).filter((other) => other !== id));
}

export function mount(app) {
  let timer = 0;
  let last = "";
  app.on("view", (view) => {
    // A view that differs only by a player's thinking is not stored again.
    const next = JSON.stringify([view.id, view.place, view.game.roles.map(({ name, seat, clock }) => [name, seat, Boolean(clock)])]);
    if (next === last) return;
    last = next;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const saved = await app.api("GET", `/sessions/${view.id}/record`).catch(() => null);
      if (!saved || JSON.stringify(saved).length > MOST) return;
      const ids = [view.id, ...(read("gdl.sessions") ?? []).filter((id) => id !== view.id)];
      ids.slice(KEPT).forEach(remove);
      write("gdl.sessions", ids.slice(0, KEPT));
      write(name(view.id), { ...saved, guests: view.game.roles.filter(({ seat }) => seat === "guest").map(({ name }) => name) });
    }, 200);
  });
}
