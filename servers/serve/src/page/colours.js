// The colours of a rulesheet in the box: comments, variables, keywords, operators, names before
// arguments, and numbers, in KIF, infix GDL and Epilog.
//
// Colours are ranges over existing text. Only the visible part is coloured, so colouring takes no
// longer in a long rulesheet. No token of any syntax continues after the end of its line. A browser
// without such ranges shows text in one colour.

const KINDS = ["comment", "variable", "word", "sign", "name", "number"];
const WORDS = /^(?:role|init|true|does|next|legal|goal|base|input|sees|terminal)$/i;
const OF_INFIX = /^(?:role|init|true|does|next|legal|goal|base|input|sees|terminal|distinct|or|not)$/;
const OF_EPILOG = /^(?:role|init|legal|goal|base|action|terminal|control|same|distinct|less|leq|plus|minus|times|max|min|countofall)$/;
const KIF = /(?<comment>;.*)|(?<variable>\?[^\s();]*)|(?<open>\(\s*)?(?<text><=|[^\s();?][^\s();]*)/g;
const INFIX = /(?<comment>[%;].*)|(?<sign>:-|::|==>|[~&|])|(?<variable>\b[A-Z_][\w*+./-]*)|(?<text>[a-z0-9][\w*+./]*(?:-(?!-)[\w*+./]+)*)(?<open>\()?/g;
// The most characters of a line that are coloured, and of a text that are read to detect its
// syntax.
const LONGEST = 2000;
const ENOUGH = 100000;

// Returns the syntax of a text, as the server detects it. A text with a list that starts with `(<=`
// is KIF. Any other text that begins with a call, a name or `~` is infix GDL or Epilog.
export function syntax(whole) {
  const text = whole.slice(0, ENOUGH);
  const rules = text.replace(/[;%].*/g, "");
  if (/\(\s*<=/.test(text.replace(/;.*/g, "")) || !/^\s*(?:[\w*+./-]+\s*(?:\(|:-|::|==>|$)|~)/.test(rules)) return "kif";
  return /::|==>/.test(rules) ? "epilog" : "infix";
}

// Returns the tokens of a line: the start, end and kind of each.
export function tokens(line, written) {
  const found = [];
  for (const match of line.slice(0, LONGEST).matchAll(written === "kif" ? KIF : INFIX)) {
    const { comment, variable, sign, open, text } = match.groups;
    const add = (part, kind) => {
      const start = match.index + match[0].indexOf(part);
      found.push({ start, end: start + part.length, kind });
    };
    if (comment) add(comment, "comment");
    else if (variable) add(variable, "variable");
    else if (sign) add(sign, "sign");
    else if (/^\d+$/.test(text)) add(text, "number");
    else if (written === "kif" && open && /^(?:<=|not|or|distinct)$/i.test(text)) add(text, "sign");
    else if (written === "kif" ? WORDS.test(text) && (open || /^terminal$/i.test(text)) : (written === "epilog" ? OF_EPILOG : OF_INFIX).test(text)) add(text, "word");
    else if (open) add(text, "name");
  }
  return found;
}

// Colours the text of `layer` from one line to another; `starts` has the offsets of the lines.
export function paint(layer, whole, written, starts, from, to) {
  if (!globalThis.CSS?.highlights) return;
  const ranges = new Map(KINDS.map((kind) => [kind, []]));
  const nodes = texts(layer);
  let at = 0;
  for (let line = from; line < Math.min(to, starts.length); line++) {
    const end = line + 1 < starts.length ? starts[line + 1] - 1 : whole.length;
    for (const token of tokens(whole.slice(starts[line], end), written)) {
      const range = document.createRange();
      const set = (edge, place) => {
        while (at + 1 < nodes.length && nodes[at + 1].start < place) at++;
        while (at > 0 && nodes[at].start >= place) at--;
        range[edge](nodes[at].node, Math.min(place - nodes[at].start, nodes[at].node.length));
      };
      set("setStart", starts[line] + token.start);
      set("setEnd", starts[line] + token.end);
      ranges.get(token.kind).push(range);
    }
  }
  for (const [kind, list] of ranges) CSS.highlights.set(`gdl-${kind}`, new Highlight(...list));
}

// Returns the text nodes of an element, with the offset of each.
function texts(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let start = 0; walker.nextNode(); start += walker.currentNode.length) found.push({ node: walker.currentNode, start });
  return found;
}
