// The board: a button for each cell.

export function mount(element, app) {
  app.on("view", (view) => {
    element.replaceChildren();
    if (!view.board) return;
    const grid = document.createElement("div");
    grid.className = "grid";
    grid.style.setProperty("--columns", view.board.columns.length);
    view.board.cells.forEach((cell, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = cell ? cell.map((mark) => view.board.marks[mark].symbol).join("/") : "";
      button.addEventListener("click", () => {
        const moves = view.legal.flatMap(({ role, moves }) => moves.map((move) => ({ role, ...move })));
        const fitting = moves.find((move) => move.cells[0] === place || move.area.includes(place));
        if (fitting) app.change("/moves", { role: fitting.role, move: fitting.move, place: view.place });
      });
      grid.append(button);
    });
    element.append(grid);
  });
}
