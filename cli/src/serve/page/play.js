// Status, moves and buttons beside the board.

export function mount(element, app) {
  app.on("view", (view) => {
    element.replaceChildren();
    const status = document.createElement("p");
    status.id = "status";
    status.textContent = view.status;
    app.say(view.status);
    element.append(status);
    for (const [text, path] of [["Restart", "/restart"], ["Undo", "/undo"], ["Redo", "/redo"]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => app.change(path));
      element.append(button);
    }
    for (const { role, moves } of view.legal) {
      for (const move of moves) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = `${role}: ${move.move}`;
        button.addEventListener("click", () => app.change("/moves", { role, move: move.move, place: view.place }));
        element.append(button);
      }
    }
  });
}
