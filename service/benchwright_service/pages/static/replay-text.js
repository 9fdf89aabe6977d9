// A file's text in lines: coloured as SystemVerilog, and marked by where it came from.

const MOST_LINES = 4000;
const LONGEST_LINE = 2000;
/** Longer texts are not coloured as SystemVerilog. */
const MOST_COLOURED = 400_000;
const IS_VERILOG = /\.s?vh?$/i;
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|`\w+|\$\w+|\\\S+|(?:\d[\d_]*)?'s?[bodh][\da-fxz?_]+|\d[\d._]*|[a-z_][\w$]*/gi;
/** Marks of direction, which let text look like another one, and what is not seen at all. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A text with its invisible characters spelled out. */
export function shownText(text) {
  return text.replace(UNSEEN, (one) => (one === "\r" ? "" : `⟨U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`));
}

function kindOf(token, keywords) {
  if (token.startsWith("//") || token.startsWith("/*")) return "comment";
  if (token[0] === '"') return "string";
  if (token[0] === "`" || token[0] === "$") return "directive";
  if (/^[\d']/.test(token)) return "number";
  return keywords.has(token) ? "keyword" : "";
}

/** Start, end and kind of what has a colour. */
function tokensOf(text, keywords) {
  const found = [];
  for (const match of text.matchAll(TOKEN)) {
    const kind = kindOf(match[0], keywords);
    if (kind) found.push([match.index, match.index + match[0].length, kind]);
  }
  return found;
}

/** Start and end of each line, without its end. */
function linesOf(text) {
  const found = [];
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    found.push([start, end]);
    start = end + 1;
  }
  found.push([start, text.length]);
  return found;
}

function lineOf(number, text, owners, tokens, start) {
  const line = document.createElement("span");
  line.className = "line";
  line.dataset.number = String(number);
  const most = Math.min(text.length, LONGEST_LINE);
  let [at, place] = [0, 0];
  while (at < most) {
    while (place < tokens.length && tokens[place][1] - start <= at) place++;
    const [from, to, kind] = tokens[place] ?? [Infinity, Infinity, ""];
    const isInside = from - start <= at;
    let end = Math.min(most, isInside ? to - start : from - start);
    const owner = owners[at];
    for (let next = at; next < end; next++) if (owners[next] !== owner) end = next;
    const part = document.createElement("span");
    part.className = `from-${owner}${isInside ? ` ${kind}` : ""}`;
    part.textContent = shownText(text.slice(at, end));
    line.append(part);
    at = end;
  }
  line.append(text.length > most ? ` … ${text.length - most} more characters\n` : "\n");
  return line;
}

/** Makes a function that shows a file, and renews only the lines that have changed since the last time. */
export function coloured(code, note, keywords) {
  let before = { path: undefined, keys: [] };
  return (path, file) => {
    if (file === null) {
      code.textContent = "This file does not exist at this moment, or its text was not recorded.";
      before = { path: undefined, keys: [] };
      return;
    }
    const { text, owners } = file;
    const tokens = IS_VERILOG.test(path) && text.length <= MOST_COLOURED ? tokensOf(text, keywords) : [];
    const all = linesOf(text);
    const here = all.findIndex(([, end]) => file.changed <= end);
    const first = Math.max(0, Math.min(here - MOST_LINES / 2, all.length - MOST_LINES));
    const lines = all.slice(first, first + MOST_LINES);
    note.textContent = lines.length < all.length ? `Lines ${first + 1} to ${first + lines.length} of ${all.length} are shown.` : "";
    let place = 0;
    const ofLine = lines.map(([start, end]) => {
      while (place < tokens.length && tokens[place][1] <= start) place++;
      const mine = [];
      for (let next = place; next < tokens.length && tokens[next][0] < end; next++) mine.push(tokens[next]);
      return mine;
    });
    const keys = lines.map(([start, end], index) => {
      const kinds = ofLine[index].map(([from, to, kind]) => `${from - start},${to - start},${kind}`).join(" ");
      return `${text.slice(start, end)}\n${owners.slice(start, end)}\n${kinds}`;
    });
    if (before.path !== path || before.first !== first) {
      code.replaceChildren();
      before = { path, first, keys: [] };
    }
    const old = before.keys;
    let head = 0;
    while (head < Math.min(old.length, keys.length) && old[head] === keys[head]) head++;
    let tail = 0;
    while (tail < Math.min(old.length, keys.length) - head && old[old.length - 1 - tail] === keys[keys.length - 1 - tail]) tail++;
    for (let gone = old.length - head - tail; gone > 0; gone--) code.children[head].remove();
    const made = document.createDocumentFragment();
    for (let index = head; index < keys.length - tail; index++) {
      const [start, end] = lines[index];
      made.append(lineOf(first + index + 1, text.slice(start, end), owners.slice(start, end), ofLine[index], start));
    }
    code.insertBefore(made, code.children[head] ?? null);
    before = { path, first, keys };
    const shown = code.children[here - first];
    code.querySelector(".changed")?.classList.remove("changed");
    if (!shown) return;
    shown.classList.add("changed");
    const top = shown.offsetTop - code.offsetTop;
    if (top < code.scrollTop || top + shown.offsetHeight > code.scrollTop + code.clientHeight) code.scrollTop = top - code.clientHeight / 3;
  };
}
