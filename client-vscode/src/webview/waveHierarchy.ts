import { t } from "@vscode/l10n";
import type { WaveformItem, WaveformItems } from "../generated/protocol.ts";
import { button, element } from "./elements.ts";
import type { Ask } from "./waveRequests.ts";

const PAGE = 200;
const QUIET_MS = 150;

/** The hierarchy of a waveform with a search, from which signals are chosen. */
export function signalChooser(
  ask: Ask,
  choose: (item: WaveformItem) => void,
  tell: (text: string) => void,
): { readonly root: HTMLElement; readonly show: (tops: readonly string[]) => void } {
  const search = element("input", { type: "search", "aria-label": t("Find signals"), placeholder: t("Find signals") });
  const tree = element("ul", { class: "wave-tree", "aria-label": t("Hierarchy") });
  const root = element("nav", { class: "wave-chooser", "aria-label": t("Hierarchy of signals") }, search, tree);
  let tops: readonly string[] = [];
  let searching: ReturnType<typeof setTimeout> | undefined;

  const fill = async (place: HTMLElement, asked: { scope?: string; words?: string[] }, offset = 0): Promise<void> => {
    let found: WaveformItems;
    try {
      found = await ask("waveformItems", { ...asked, offset, limit: PAGE });
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
      return;
    }
    place.append(...found.items.map((item) => (item.kind === "scope" ? scopeElement(item.path, item.name) : signalElement(item, Boolean(asked.words)))));
    const shown = offset + found.items.length;
    if (shown < found.total) {
      const more = element("li", {});
      more.append(
        button(t("Show more ({0} left)", found.total - shown), () => {
          more.remove();
          void fill(place, asked, shown);
        }),
      );
      place.append(more);
    }
    if (asked.words) tell(found.total === 1 ? t("1 signal found.") : t("{0} signals found.", found.total));
  };

  const scopeElement = (path: string, name: string): HTMLElement => {
    const inner = element("ul", {});
    inner.hidden = true;
    const toggle = button(`▸ ${name}`, () => {
      inner.hidden = !inner.hidden;
      toggle.textContent = `${inner.hidden ? "▸" : "▾"} ${name}`;
      toggle.setAttribute("aria-expanded", String(!inner.hidden));
      if (!inner.hidden && inner.childElementCount === 0) void fill(inner, { scope: path });
    });
    toggle.setAttribute("aria-expanded", "false");
    toggle.title = path;
    return element("li", {}, toggle, inner);
  };

  const signalElement = (item: WaveformItem, isFound: boolean): HTMLElement => {
    const width = item.bits !== null && item.bits > 1 ? ` [${item.bits}]` : "";
    const label = `${isFound ? item.path : item.name}${width}`;
    const made = button(label, () => choose(item));
    made.title = `${item.path} (${item.type})`;
    made.setAttribute("aria-label", t("Add {0}", label));
    return element("li", { class: "signal" }, made);
  };

  const showTops = (): void => tree.replaceChildren(...tops.map((path) => scopeElement(path, path)));

  search.addEventListener("input", () => {
    clearTimeout(searching);
    searching = setTimeout(() => {
      const words = search.value.split(/\s+/).filter(Boolean);
      if (words.length === 0) showTops();
      else {
        tree.replaceChildren();
        void fill(tree, { words });
      }
    }, QUIET_MS);
  });

  return {
    root,
    show: (names) => {
      tops = names;
      search.value = "";
      showTops();
      if (names.length === 1) tree.querySelector("button")?.click();
    },
  };
}
