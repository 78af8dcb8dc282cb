// Terms and rulesheets of Epilog, the language of Stanford's course, as text.

/** A move in KIF, from Epilog, and back. */
export const toKif = (text) => text.replace(/([^\s(),]+)\(/g, "($1 ").replaceAll(",", " ");
export const toEpilog = (text) => text.replace(/\((\S+) /g, "$1(").replaceAll(" ", ",");

/** Returns the name and the arguments of a term. */
export function parts(text) {
  const open = text.indexOf("(");
  if (open < 0) return [text.trim()];
  const found = [text.slice(0, open).trim()];
  for (let [at, start, depth] = [open + 1, open + 1, 0]; depth >= 0 && at < text.length; at++) {
    if ("([".includes(text[at])) depth++;
    if (")]".includes(text[at])) depth--;
    if (depth < 0 || (depth === 0 && text[at] === ",")) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return found;
}

/** Returns the sentences of a rulesheet. One ends before a word that no operator precedes. */
export function sentences(text) {
  const found = [""];
  let ended = false;
  for (const token of text.replace(/%.*/g, "").match(/"[^"]*"|[\w*+./-]+|:-|::|:=|==>|\S/g) ?? []) {
    if (token === ".") continue;
    const word = /^[\w"*+./-]/.test(token);
    if (word && ended) found.push("");
    ended = word || ")]".includes(token);
    found[found.length - 1] += /^[:=&|]/.test(token) ? ` ${token} ` : token;
  }
  return found;
}
