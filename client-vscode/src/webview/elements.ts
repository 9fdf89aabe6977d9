import { iconShape, type Icon } from "./icons.ts";

/** Makes an element; its content is text or other elements, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", onClick);
  return made;
}

/** A button that looks like a link: for what is always there and seldom wanted, and for a place in a sentence. */
export function linkButton(label: string, onClick: () => void): HTMLButtonElement {
  const made = button(label, onClick);
  made.classList.add("link");
  return made;
}

/** A button that shows an icon; its label is read, and shown where the pointer rests. */
export function iconButton(icon: Icon, label: string, onClick: () => void): HTMLButtonElement {
  const made = button("", onClick);
  made.append(iconShape(icon));
  made.classList.add("icon");
  made.title = label;
  made.setAttribute("aria-label", label);
  return made;
}

/** A place for what is not there yet, with how it comes there. */
export function emptyState(sentence: string): HTMLElement {
  return element("p", { class: "empty" }, sentence);
}

export function main(): HTMLElement {
  const found = document.querySelector("main");
  if (!found) throw new Error("The page has no main element.");
  return found;
}

/** The value of a field of a form; empty if the form has no such field. */
export function fieldValue(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value : "";
}

/** A sentence of ours, with what is between backticks as code. */
export function withCode(sentence: string): (Node | string)[] {
  return sentence.split(/`([^`'\n]+)`/).map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

/** Restores the focus when the person returns to the page, for example from the command palette. */
export function keepFocus(first: () => HTMLElement | null): void {
  let last: HTMLElement | undefined;
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body) last = target;
  });
  window.addEventListener("focus", () => {
    const wanted = last?.isConnected && !last.hidden ? last : first();
    if (document.activeElement === document.body) wanted?.focus();
  });
}
