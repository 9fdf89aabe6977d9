import katexModule from "@vscode/markdown-it-katex";
import MarkdownIt from "markdown-it";

// The bundler gives the CommonJS module itself, the compiler expects its default export.
const katex = (katexModule as { readonly default?: typeof katexModule }).default ?? katexModule;

export interface RichText {
  /** A line within other text. */
  readonly line: (markdown: string) => DocumentFragment;
  /** Paragraphs, lists, tables. */
  readonly block: (markdown: string) => DocumentFragment;
}

/** An address without its escapes, or unchanged if they are not UTF-8. */
function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

/**
 * Shows third-party Markdown: emphasis, code, formulas and pictures of the problem, no markup.
 *
 * Formulas become MathML, which browsers draw and screen readers read without styles of ours.
 *
 * @param picture Address of a picture by its path in the problem; undefined if there is no such picture.
 * @param hasLinks Whether links are links; otherwise only their words are shown.
 */
export function richText(picture: (path: string) => string | undefined, hasLinks = false): RichText {
  const renderer = new MarkdownIt({ html: false, linkify: false })
    .disable("autolink")
    .use(katex, { output: "mathml", throwOnError: false, trust: false, maxSize: 20, maxExpand: 500 });
  // Files of the person's own machine are among the places that a link may lead to.
  if (hasLinks) renderer.validateLink = (address) => /^(https?|file):/i.test(address);
  else {
    renderer.renderer.rules.link_open = () => "";
    renderer.renderer.rules.link_close = () => "";
  }
  // A wide table scrolls in a box of its own, also by keys.
  // eslint-disable-next-line no-restricted-syntax -- nobody reads markup
  renderer.renderer.rules.table_open = () => '<div class="scrolled" tabindex="0"><table>';
  renderer.renderer.rules.table_close = () => "</table></div>";
  const image = renderer.renderer.rules.image;
  renderer.renderer.rules.image = (tokens, index, options, environment, self) => {
    const token = tokens[index];
    if (!token || !image) return "";
    const path = decoded(String(token.attrGet("src") ?? ""));
    const isInside = !/^[a-z][a-z0-9+.-]*:|^\/|(^|\/)\.\.(\/|$)/i.test(path);
    token.attrSet("src", (isInside && picture(path)) || "");
    return image(tokens, index, options, environment, self);
  };
  const shown = (html: string): DocumentFragment => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  };
  return {
    line: (markdown) => shown(renderer.renderInline(markdown)),
    block: (markdown) => shown(renderer.render(markdown)),
  };
}
