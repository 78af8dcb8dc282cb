// What a browser keeps of the sessions it has open, so that they outlive the server: for each of the last few a saved match,
// and what the links of its guests hold.

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
    // There is no room, or nothing may be kept here: then it is not.
  }
}

// What to start so as to go on with a session that is gone.
export function request(id) {
  const saved = read(name(id));
  if (!saved) return null;
  const { game, name: title, rulesheet, seats, clocks, guests: seated, ...record } = saved;
  const own = Object.fromEntries(Object.entries(seats ?? {}).filter(([, seat]) => seat !== "chance"));
  return { ...(game ? { game } : { rulesheet, name: title }), seats: own, clocks, record };
}

// What the links hold that guests of a session have, by role. A seat that others were given is a guest's no more.
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
    // Thinking alone changes nothing that is kept.
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
