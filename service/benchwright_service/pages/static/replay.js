// Plays attempts back. What comes from students is put into the page as text only.
import { coloured, shownText } from "./replay-text.js";

const SPEEDS = [1, 10, 60];
/** A gap without an event that is longer plays as a second. */
const IDLE_S = 5;
/** Chunks that are kept: going back needs no request then. */
const KEPT = 12;
const OUTCOMES = ["passed", "failed", "error"];
const KINDS = {
  opened: "the problem was opened", started: "the clock was started", paused: "the clock was paused",
  resumed: "the clock was resumed", save: "saved", run_started: "a run began", run_finished: "a run ended",
  run_cancelled: "a run was cancelled", answered: "the answer was scored", text: "changed outside the editor",
  focus: "the window gained or lost the focus", idle: "a period without activity began or ended",
  submitted: "submitted", abandoned: "given up", timed_out: "the time ran out", assist_shown: "a completion was offered",
  assist_rejected: "a completion was rejected", violation: "a violation of the rules was noted",
  interrupted: "the editor was started again",
};
const ORIGINS = {
  typed: "typed", paste: "pasted", completion: "an assistant's completion",
  "completion-part": "part of an assistant's completion", "own-completion": "a completion of Benchwright's assistant",
  chat: "written by a chat or an agent", suggestion: "selected from the suggestions", snippet: "a snippet",
  undo: "undone or redone", format: "changed by a tool", outside: "changed by another program", unknown: "of unknown origin",
};
const LEGEND = [
  ["g", "from the start files"], ["t", "typed"], ["p", "pasted"], ["a", "by an assistant"], ["o", "by a tool, undo or another program"],
];

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function clock(seconds) {
  const whole = Math.floor(seconds);
  const two = (value) => String(value).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

function spoken(seconds) {
  const whole = Math.floor(seconds);
  const parts = [[Math.floor(whole / 3600), "hour"], [Math.floor(whole / 60) % 60, "minute"], [whole % 60, "second"]];
  return parts.filter(([count, word]) => count || (word === "second" && whole < 60)).map(([count, word]) => plural(count, word)).join(" ");
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Index of the last entry whose value is at most this one; 0 before the first. */
function lastUpTo(entries, value, of) {
  let [low, high] = [0, entries.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (of(entries[middle]) <= value) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** Where a code point is in a string, which counts in units of UTF-16. */
function unitOf(text, codePoint, isWide) {
  if (!isWide) return codePoint;
  let at = 0;
  for (let left = codePoint; left > 0 && at < text.length; left--) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

/** One file at one moment: its text, and a string as long that says where each character came from. */
class File {
  constructor(pieces) {
    this.text = pieces.map(([, text]) => text).join("");
    this.owners = pieces.map(([mark, text]) => mark.repeat(text.length)).join("");
    this.isWide = /[\ud800-\udfff]/.test(this.text);
    this.changed = 0;
  }

  change([start, end, text, mark]) {
    this.isWide ||= /[\ud800-\udfff]/.test(text);
    const from = start === null ? 0 : unitOf(this.text, start, this.isWide);
    const to = end === null ? this.text.length : unitOf(this.text, end, this.isWide);
    this.text = this.text.slice(0, from) + text + this.text.slice(to);
    this.owners = this.owners.slice(0, from) + mark.repeat(text.length) + this.owners.slice(to);
    this.changed = from;
  }
}

class Replay {
  constructor(root, view) {
    this.source = root.dataset.source;
    this.view = view;
    this.kept = new Map();
    this.files = new Map();
    this.at = { chunk: -1, step: -1 };
    this.wanted = 0;
    this.seconds = 0;
    this.step = 0;
    this.stops = [...view.marks, ...view.runs.map((run) => ({ ...run, kind: "run" }))].sort((one, other) => one.step - other.step);
    this.build(root);
    this.goTo(view.steps - 1, view.duration);
  }

  build(root) {
    const id = root.dataset.source.replaceAll(/\W/g, "-");
    this.where = element("p", { class: "moment" });
    this.slider = element("input", { type: "range", min: "0", max: String(Math.max(this.view.duration, 0.001)), step: "any", "aria-label": "Moment of the attempt" });
    this.playing = element("button", { type: "button" }, "Play");
    this.speed = element("select", { id: `${id}-speed` }, ...SPEEDS.map((one) => element("option", { value: one }, `${one} ×`)));
    this.speed.value = "10";
    this.chooser = element("select", { id: `${id}-file` }, ...this.view.paths.map((path) => element("option", { value: path }, shownText(path))));
    this.counts = LEGEND.map(([mark, words]) => [mark, words, element("span", { class: "count" })]);
    this.code = element("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Text of the file at this moment" });
    this.note = element("p", { class: "note" });
    this.status = element("p", { role: "status", class: "only-read" });
    this.list = coloured(this.code, this.note, new Set(this.view.keywords));
    const button = (words, action) => {
      const made = element("button", { type: "button" }, words);
      made.addEventListener("click", action);
      return made;
    };
    this.playing.addEventListener("click", () => (this.timer ? this.pause() : this.play()));
    this.slider.addEventListener("input", () => {
      this.pause();
      this.goToTime(Number(this.slider.value));
    });
    // The arrow keys go from event to event: a step in seconds would miss some of them.
    this.slider.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -20, PageUp: 20, Home: -Infinity, End: Infinity }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.stepBy(by);
    });
    this.chooser.addEventListener("change", () => this.show());
    root.append(
      element("p", {}, `A gap of more than ${IDLE_S} seconds without an event plays as one second.`),
      this.where, this.track(), this.slider,
      element("div", { class: "actions" },
        this.playing, element("label", { for: this.speed.id }, "Speed ", this.speed),
        button("Back", () => this.stepBy(-1, true)), button("Forward", () => this.stepBy(1, true)),
        button("Previous mark", () => this.toMark(-1)), button("Next mark", () => this.toMark(1)),
        element("label", { for: this.chooser.id }, "File ", this.chooser)),
      element("ul", { class: "legend", "aria-label": "Where the text shown came from" },
        ...this.counts.map(([mark, words, count]) => element("li", {}, element("span", { class: `sample from-${mark}`, "aria-hidden": "true" }, "abc"), ` ${words}: `, count))),
      this.note, this.code, this.marks(), this.status);
    if (!this.view.hasText) this.note.textContent = "No text was recorded of this attempt, so only times can be shown.";
    this.code.hidden = this.chooser.parentElement.hidden = !this.view.hasText;
  }

  words(stop) {
    if (stop.kind === "run") {
      const tests = stop.of ? `, ${stop.passed} of ${stop.of} tests` : "";
      return `run ${stop.number} ${stop.word}${tests}`;
    }
    if (stop.kind === "pause") return `paused until ${clock(stop.until_s)}${stop.text ? `: ${shownText(stop.text)}` : ""}`;
    return `${plural(stop.characters, "character")} ${stop.kind === "paste" ? "pasted" : "accepted from an assistant"} in ${shownText(stop.path)}`;
  }

  track() {
    const percent = (seconds) => `${(100 * seconds) / Math.max(this.view.duration, 0.001)}%`;
    const track = element("div", { class: "track", "aria-hidden": "true" });
    for (const stop of this.stops) {
      const outcome = stop.kind === "run" ? ` ${OUTCOMES.includes(stop.outcome) ? stop.outcome : "none"}` : "";
      const mark = element("span", { class: `${stop.kind}${outcome}`, title: `${clock(stop.at_s)}: ${this.words(stop)}` });
      mark.style.left = percent(stop.at_s);
      if (stop.at_s > 0.9 * this.view.duration) mark.classList.add("late");
      if (stop.until_s != null) mark.style.width = percent(stop.until_s - stop.at_s);
      track.append(mark);
    }
    return track;
  }

  marks() {
    const items = this.stops.map((stop) => {
      const jump = element("button", { type: "button", class: "link" }, `${clock(stop.at_s)} ${this.words(stop)}`);
      jump.addEventListener("click", () => this.toStop(stop));
      return element("li", { class: stop.kind }, jump, stop.detail ? ` ${shownText(stop.detail)}` : "");
    });
    const left = this.view.leftOut ? [element("p", {}, `${plural(this.view.leftOut, "shorter one")} not listed.`)] : [];
    return element("details", { class: "marks" }, element("summary", {}, `Runs, pastes, completions and pauses: ${this.stops.length}`),
      ...(items.length ? [element("ul", {}, ...items)] : [element("p", {}, "There were none.")]), ...left);
  }

  toStop(stop) {
    this.pause();
    this.goTo(stop.step, stop.at_s, true);
  }

  toMark(by) {
    const next = by > 0 ? this.stops.find(({ step }) => step > this.step) : this.stops.findLast(({ step }) => step < this.step);
    if (next) this.toStop(next);
    else this.status.textContent = by > 0 ? "There is no mark behind this moment." : "There is no mark before this moment.";
  }

  stepBy(by, isTold = false) {
    this.pause();
    this.goTo(Math.min(Math.max(this.step + by, 0), this.view.steps - 1), undefined, isTold);
  }

  async chunk(number) {
    if (!this.kept.has(number)) {
      const asked = fetch(`${this.source}/${this.view.events}/${number}`).then((reply) => {
        if (!reply.ok) throw new Error(reply.status === 429 ? "Too many parts were asked for. Wait a minute." : "The service did not send the text. Open the page again.");
        return reply.json();
      });
      asked.catch(() => this.kept.delete(number));
      this.kept.set(number, asked);
      if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    }
    return this.kept.get(number);
  }

  chunkOf(step) {
    return lastUpTo(this.view.chunks, step, ([first]) => first);
  }

  async goToTime(seconds) {
    const turn = ++this.wanted;
    const number = lastUpTo(this.view.chunks, seconds, ([, at]) => at);
    const found = await this.load(number, turn);
    if (found) await this.goTo(this.view.chunks[number][0] + lastUpTo(found.steps, seconds * 1000, ([at]) => at), seconds);
  }

  async load(number, turn) {
    try {
      const found = await this.chunk(number);
      return turn === this.wanted ? found : undefined;
    } catch (error) {
      this.pause();
      this.note.textContent = error.message;
      this.status.textContent = error.message;
      return undefined;
    }
  }

  /** Goes to a step. Of several at once, only the newest is shown. */
  async goTo(step, seconds, isTold = false) {
    if (step < 0) return;
    const turn = ++this.wanted;
    this.step = step;
    const number = this.chunkOf(step);
    const found = await this.load(number, turn);
    if (!found) return;
    const first = this.view.chunks[number][0];
    if (this.at.chunk !== number || this.at.step > step) {
      this.files = new Map(Object.entries(found.files).map(([path, pieces]) => [path, pieces && new File(pieces)]));
      this.at = { chunk: number, step: first - 1 };
    }
    let touched;
    for (let place = this.at.step + 1; place <= step; place++) {
      for (const [path, changes] of Object.entries(found.steps[place - first][5])) {
        if (changes === null) this.files.set(path, null);
        else {
          if (!this.files.get(path)) this.files.set(path, new File([]));
          for (const change of changes) this.files.get(path).change(change);
        }
      }
      const [, kind, path] = found.steps[place - first];
      if (path && kind !== "save") touched = path;
    }
    this.at.step = step;
    // Reaching another edit selects its file; otherwise the reader's choice stays.
    if (touched) this.chooser.value = touched;
    const [at, kind, path, origin, characters] = found.steps[step - first];
    this.seconds = seconds ?? at / 1000;
    const edit = characters ? `${plural(characters, "character")} ${ORIGINS[origin] ?? origin}` : "text deleted";
    const happened = origin ? edit : (KINDS[kind] ?? kind.replaceAll("_", " "));
    const run = this.stops.filter((stop) => stop.kind === "run" && stop.step === step).map((stop) => this.words(stop));
    const words = [`${path ? `${shownText(path)}: ` : ""}${happened}`, ...run].join("; ");
    this.where.textContent = `${clock(this.seconds)} of ${clock(this.view.duration)} · event ${step + 1} of ${this.view.steps} · ${words}`;
    this.slider.value = String(this.seconds);
    this.slider.setAttribute("aria-valuetext", `${spoken(this.seconds)}: ${words}`);
    if (isTold) this.status.textContent = `${spoken(this.seconds)}: ${words}`;
    this.show();
  }

  show() {
    const file = this.files.get(this.chooser.value);
    this.list(this.chooser.value, file ?? null);
    const counts = {};
    for (const owner of file?.owners ?? "") counts[owner] = (counts[owner] ?? 0) + 1;
    for (const [mark, , count] of this.counts) count.textContent = String(counts[mark] ?? 0);
  }

  play() {
    this.playing.textContent = "Pause";
    let [seconds, last] = [this.step >= this.view.steps - 1 ? 0 : this.seconds, performance.now()];
    if (seconds === 0) this.goTo(0, 0);
    let isBusy = false;
    this.timer = setInterval(async () => {
      if (isBusy) return;
      isBusy = true;
      const now = performance.now();
      seconds += (Number(this.speed.value) * (now - last)) / 1000;
      last = now;
      const next = await this.nextEvent();
      if (next !== undefined && next - this.seconds > IDLE_S) seconds = Math.max(seconds, next - Number(this.speed.value));
      if (this.timer && seconds >= (next ?? this.view.duration)) await this.goToTime(Math.min(seconds, this.view.duration));
      if (this.step >= this.view.steps - 1) {
        this.pause();
        this.status.textContent = "The attempt has ended.";
      }
      isBusy = false;
    }, 100);
  }

  /** When the next step is, in seconds. */
  async nextEvent() {
    const next = this.step + 1;
    if (next >= this.view.steps) return undefined;
    const number = this.chunkOf(next);
    const found = await this.chunk(number).catch(() => undefined);
    return found && found.steps[next - this.view.chunks[number][0]][0] / 1000;
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.playing.textContent = "Play";
  }
}

async function open(root) {
  if (root.dataset.state) return;
  root.dataset.state = "loading";
  const told = element("p", { role: "status" }, "Loading…");
  root.append(told);
  try {
    const reply = await fetch(root.dataset.source);
    if (!reply.ok) throw new Error("The service did not send the attempt. Open the page again.");
    const replay = new Replay(root, await reply.json());
    told.remove();
    root.dataset.state = "shown";
    return replay;
  } catch (error) {
    told.textContent = error.message;
    delete root.dataset.state;
  }
}

for (const root of document.querySelectorAll("details.replay")) {
  root.addEventListener("toggle", () => root.open && open(root));
  if ("first" in root.dataset) root.open = true;
}
