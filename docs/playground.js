// Links from rulesheets of the book to the playground, if that is in the folder `playground` of the
// book. The KIF blocks of a page are parts of one rulesheet.
(async () => {
  const playground = new URL(`${path_to_root}playground/`, location.href);
  const { pack } = await import(new URL("page/link.js", playground)).catch(() => ({}));
  if (!pack) return;
  const link = (fragment, place) => {
    const anchor = document.createElement("a");
    anchor.className = "playground";
    anchor.href = `${playground}#${fragment}`;
    anchor.textContent = "Open in the playground";
    place.after(anchor);
  };

  const [, game] = location.pathname.match(/\/reference\/games\/(\w+)(?:\.html)?$/) ?? [];
  if (game) return link(`play=${game}`, document.querySelector("main h1"));
  const blocks = [...document.querySelectorAll("main code.language-kif")];
  const rulesheet = blocks.map((block) => block.textContent).join("\n");
  if (!["role", "init", "legal", "next", "terminal", "goal"].every((word) => rulesheet.includes(`(${word}`) || rulesheet.includes(` ${word}`))) return;
  const name = location.pathname.split("/").pop().replace(".html", "");
  link(`at=${await pack({ name, rulesheet })}`, blocks.at(-1).closest("pre"));
})();
