// The games to choose from.

export async function mount(element, app) {
  const { games } = await app.api("GET", "/games");
  const list = document.createElement("ul");
  for (const game of games) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = game.name;
    button.addEventListener("click", () => app.start({ game: game.name }));
    item.append(button);
    list.append(item);
  }
  element.append(list);
}
