import { connect } from "../connection.ts";
import { element, main } from "../elements.ts";
import { richText } from "../richText.ts";

export interface ToText {
  readonly markdown: string;
  /** A sentence about the text, such as that it is of an older run; empty if there is nothing to say. */
  readonly note: string;
}

export interface FromText {
  readonly type: "follow";
  readonly address: string;
}

// The live region stays in the page, so that screen readers announce a note.
const note = element("p", { role: "status", "aria-live": "polite", class: "headline error" });
const body = element("div", { class: "rich" });
main().append(note, body);

const rich = richText(() => undefined, true);
const send = connect<ToText, FromText>((text) => {
  note.textContent = text.note;
  body.replaceChildren(rich.block(text.markdown));
});
body.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link) return;
  event.preventDefault();
  send({ type: "follow", address: link.href });
});
