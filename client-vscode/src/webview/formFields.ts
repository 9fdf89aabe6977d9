import { t } from "@vscode/l10n";
import { answeredBy, hasChoices, isSelected } from "../questions/questionFormats.ts";
import { button, element } from "./elements.ts";
import { richText } from "./richText.ts";

/** What is wrong in a field of a form, or what somebody should check there. */
export interface FieldRemark {
  readonly field: string;
  readonly reason: string;
  readonly isError: boolean;
}

export interface Point {
  readonly text: string;
  /** 1 if it is missing. */
  readonly points?: number;
}

type Options = readonly (readonly [string, string])[];

export const DIFFICULTIES: Options = [
  ["easy", t("easy")],
  ["medium", t("medium")],
  ["hard", t("hard")],
];
const ANSWER = "answer";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export function input(id: string, value: string): HTMLInputElement {
  const made = element("input", { id, type: "text", autocomplete: "off" });
  made.value = value;
  return made;
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** A field of one line, which would drop line breaks, unless there are some. */
function oneOrMoreLines(id: string, value: string): TextField {
  return value.includes("\n") ? area(id, 3, value) : input(id, value);
}

/** A field for a number; empty for none. */
export function numeric(id: string, value: number | null | undefined): HTMLInputElement {
  const made = input(id, value === null || value === undefined ? "" : String(value));
  made.inputMode = "decimal";
  return made;
}

export function area(id: string, rows: number, value: string): HTMLTextAreaElement {
  const made = element("textarea", { id, rows: String(rows) });
  made.value = value;
  return made;
}

/** A list to choose from; a value that is not in it is added, so that nothing is lost. */
export function select(id: string, options: Options, value: string): HTMLSelectElement {
  const all = options.some(([name]) => name === value) ? options : [...options, [value, value] as const];
  const made = element("select", { id }, ...all.map(([name, label]) => element("option", { value: name }, label)));
  made.value = value;
  return made;
}

export function written(label: string, field: HTMLElement): HTMLElement {
  return element("div", { class: "written" }, element("label", { for: field.id }, label), field);
}

export function group(legend: string, id: string, ...content: readonly Node[]): HTMLElement {
  return element("fieldset", { id, tabindex: "-1" }, element("legend", {}, legend), ...content);
}

/** How the Markdown of a field looks, as it is typed. */
export function preview(label: string, field: HTMLTextAreaElement, figures: Readonly<Record<string, string>>): HTMLElement {
  const rich = richText((path) => figures[path]);
  const shown = element("div", { class: "form-preview", role: "region", "aria-label": label });
  const draw = (): void => shown.replaceChildren(rich.block(field.value));
  field.addEventListener("input", draw);
  draw();
  return shown;
}

/** A number that was typed; −1, which is refused at the field, for anything else. */
export function number(text: string): number {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() && Number.isFinite(value) ? value : -1;
}

/** The same, and null if nothing was typed. */
export function numberOrNull(text: string): number | null {
  return text.trim() ? number(text) : null;
}

/** Shows remarks at their fields, instead of those that are there; those without a field are returned. */
export function showRemarks(form: HTMLElement, remarks: readonly FieldRemark[], moves: boolean): FieldRemark[] {
  for (const old of form.querySelectorAll(".field-error")) old.remove();
  for (const old of form.querySelectorAll("[aria-describedby]")) {
    old.removeAttribute("aria-invalid");
    old.removeAttribute("aria-describedby");
  }
  const elsewhere: FieldRemark[] = [];
  for (const [index, remark] of remarks.entries()) {
    const place = fieldOf(form, remark.field);
    if (!place) {
      elsewhere.push(remark);
      continue;
    }
    const id = `remark-${index}`;
    place.after(shownRemark("p", remark, id));
    if (remark.isError) place.setAttribute("aria-invalid", "true");
    place.setAttribute("aria-describedby", [place.getAttribute("aria-describedby"), id].filter(Boolean).join(" "));
    if (index === 0 && moves) place.focus();
  }
  return elsewhere;
}

export function shownRemark(tag: "li" | "p", { reason, isError }: FieldRemark, id = ""): HTMLElement {
  const made = element(tag, { class: "field-error", ...(id && { id }) }, reason);
  made.classList.toggle("is-error", isError);
  return made;
}

/** The field that a remark is about, or the nearest around it. */
function fieldOf(form: HTMLElement, name: string): HTMLElement | null {
  for (let rest = name; rest; rest = rest.split(".").slice(0, -1).join(".")) {
    const field = form.querySelector<HTMLElement>(`[id="${CSS.escape(rest)}"]`);
    if (field) return field;
  }
  return null;
}

/** The options of a question, and which are right; `true` and `false` of an assertion. */
export class ChoiceFields {
  readonly choices: HTMLElement;
  readonly keyed: HTMLElement;
  private readonly one = element("select");
  private readonly oneField: HTMLElement;
  private readonly several = group(t("All right choices"), "all-answers");
  private readonly rows = element("div");

  /** @param least How many fields a question has at least. */
  constructor(
    private readonly format: HTMLSelectElement,
    choices: Readonly<Record<string, string>>,
    least: number,
    answer: string,
  ) {
    for (const [letter, text] of Object.entries(choices)) this.add(letter, text);
    while (this.fields().length < least) this.addNext();
    this.one.id = ANSWER;
    this.oneField = written(t("Answer"), this.one);
    this.keyed = element("div", {}, this.oneField, this.several);
    const more = button(t("Add a Choice"), () => {
      this.addNext()?.focus();
      this.arrange();
    });
    more.className = "quiet";
    this.choices = group(t("Choices"), "choices", this.rows, more);
    format.addEventListener("change", () => this.arrange());
    this.arrange(answer);
  }

  get isChosen(): boolean {
    return isSelected(this.format.value);
  }

  /** The key: a letter, letters in order, `true` or `false`; empty if none is chosen. */
  get key(): string {
    if (this.several.id !== ANSWER) return this.one.value;
    const checked = [...this.several.querySelectorAll<HTMLInputElement>("input:checked")];
    return checked.map(({ value }) => value).join("");
  }

  values(): Record<string, string> {
    const filled = this.fields().filter(({ value }) => value.trim());
    return Object.fromEntries(filled.map((one) => [one.dataset.letter ?? "", one.value]));
  }

  /** Shows the fields of the format. */
  private arrange(answer = this.key): void {
    const areChoices = hasChoices(this.format.value);
    const areSeveral = answeredBy(this.format.value) === "choices";
    this.choices.hidden = !areChoices;
    this.keyed.hidden = !this.isChosen;
    this.oneField.hidden = areSeveral;
    this.several.hidden = !areSeveral;
    // Remarks on the answer are placed by its id.
    this.one.id = areSeveral ? "one-answer" : ANSWER;
    this.several.id = areSeveral ? ANSWER : "all-answers";
    const letters = this.fields().map((one) => one.dataset.letter ?? "");
    if (areSeveral) {
      const offered = [...new Set([...letters, ...(answer.match(/[A-Z]/g) ?? [])])].sort();
      this.several.replaceChildren(...[...this.several.children].slice(0, 1), ...offered.map((letter) => letterBox(letter, answer)));
      return;
    }
    const options = ["", ...(areChoices ? letters : ["true", "false"])];
    if (!options.includes(answer)) options.push(answer);
    this.one.replaceChildren(...options.map((value) => element("option", { value }, value || t("not chosen"))));
    this.one.value = answer;
  }

  private fields(): TextField[] {
    return [...this.rows.querySelectorAll<TextField>("input, textarea")];
  }

  private addNext(): TextField | undefined {
    const used = new Set(this.fields().map((one) => one.dataset.letter));
    const letter = Array.from(LETTERS).find((one) => !used.has(one));
    return letter ? this.add(letter, "") : undefined;
  }

  private add(letter: string, text: string): TextField {
    const field = oneOrMoreLines(`choices.${letter}`, text);
    field.dataset.letter = letter;
    const typed = element("div", { class: "form-typed" }, field);
    this.rows.append(element("div", { class: "form-row" }, element("label", { for: field.id }, letter), typed));
    return field;
  }
}

function letterBox(letter: string, answer: string): HTMLElement {
  const box = element("input", { type: "checkbox", value: letter, id: `right.${letter}` });
  box.checked = answer.includes(letter);
  return element("div", { class: "form-check" }, box, element("label", { for: box.id }, letter));
}

/** What parts of the points are given for. */
export class PointFields {
  readonly element: HTMLElement;
  private readonly rows = element("div");

  /**
   * @param id Of the fields: `ID.0.text`, `ID.0.points`.
   * @param change Is called when one is removed.
   */
  constructor(
    private readonly id: string,
    legend: string,
    points: readonly Point[],
    private readonly change: () => void,
  ) {
    for (const one of points) this.add(one.text, String(one.points ?? 1));
    this.values();
    const more = button(t("Add to the Rubric"), () => this.add("", "1").focus());
    more.className = "quiet";
    this.element = group(legend, id, this.rows, more);
  }

  values(): Point[] {
    const rows = [...this.rows.children].map((row) => [...row.querySelectorAll<TextField>("input, textarea")] as const);
    for (const field of rows.flat()) field.removeAttribute("id");
    return rows
      .filter(([what]) => what?.value.trim())
      .map(([what, worth], index) => {
        if (what) what.id = `${this.id}.${index}.text`;
        if (worth) worth.id = `${this.id}.${index}.points`;
        return { text: what?.value ?? "", points: number(worth?.value ?? "") };
      });
  }

  private add(text: string, points: string): TextField {
    const what = oneOrMoreLines("", text);
    what.setAttribute("aria-label", t("What it is given for"));
    const worth = element("input", { type: "text", inputmode: "decimal", size: "4", "aria-label": t("Points") });
    worth.value = points;
    const row = element("div", { class: "form-row" }, what, worth);
    row.append(
      button(t("Remove"), () => {
        row.remove();
        this.change();
      }),
    );
    this.rows.append(row);
    return what;
  }
}
