import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { PackSummary, ProblemSummary, StudySummary } from "../generated/protocol.ts";
import { difficultyBadge, problemIcon, problemSpoken, problemTooltip, rowDescription } from "./problemLabel.ts";
import { countOf, grouped, GROUPINGS, type Group, type Grouping } from "./problemList.ts";
import type { RememberedList } from "./rememberedList.ts";
import { showError } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { standingColour } from "../text/standing.ts";
import { word } from "../text/words.ts";

/** A row of the problem list. */
export type Row = { readonly group: Group } | { readonly problem: ProblemSummary } | { readonly study: StudySummary };

const ICONS: Readonly<Record<Grouping, string>> = {
  pack: "package",
  state: "circle-large-outline",
  kind: "symbol-misc",
  category: "tag",
  difficulty: "dashboard",
};

const GROUPING = "benchwright.problemGrouping";
const VIEW = "benchwright.problems";
const noop = (): void => undefined;

/**
 * The studies to take part in, and the problems under their headings, those alone that hold the words of a filter.
 *
 * Until the server has read the problems, the list is there as it was last, and says so.
 */
export class ProblemTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Row>;
  private readonly subscriptions: vscode.Disposable[];
  private filter = "";
  private studies: readonly StudySummary[] = [];
  private readonly looking: NodeJS.Timeout;
  private isRead = false;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    attempts: Attempts,
    private readonly memory: vscode.Memento,
    private readonly remembered: RememberedList,
  ) {
    this.tellOfPacks("loading");
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      vscode.window.registerFileDecorationProvider(BADGES),
      server.onDidChangeState((state) => {
        if (state === "starting") {
          this.isRead = false;
          this.tellOfPacks("loading");
        }
        this.refresh();
      }),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) void this.loadStudies();
      }),
      vscode.window.onDidChangeWindowState(() => void this.loadIfSeen()),
      new vscode.Disposable(() => clearInterval(this.looking)),
      attempts.onDidChange(({ before, now }) => {
        if (before?.state !== now.state || before.view.headline !== now.view.headline) this.refresh();
      }),
    ];
    this.looking = setInterval(() => void this.loadIfSeen(), LOOK_AGAIN_MS);
  }

  refresh(): void {
    this.changed.fire();
    void this.loadStudies();
  }

  /** Asks what to group the problems by. */
  async group(): Promise<void> {
    const names = Object.keys(GROUPINGS) as Grouping[];
    const rows = names.map((name) => ({ label: GROUPINGS[name], name, picked: name === this.grouping }));
    const chosen = await vscode.window.showQuickPick(rows, { title: t("Group Problems By") });
    if (!chosen) return;
    await this.memory.update(GROUPING, chosen.name);
    this.refresh();
  }

  /** Asks for words, and shows while they are typed which problems hold all of them. */
  search(): void {
    const before = this.filter;
    const input = vscode.window.createInputBox();
    input.title = t("Filter Problems");
    input.placeholder = t("Words of a title, category, kind, difficulty, state or pack");
    input.value = before;
    let isAccepted = false;
    input.onDidChangeValue((words) => this.setFilter(words));
    input.onDidAccept(() => {
      isAccepted = true;
      input.hide();
    });
    input.onDidHide(() => {
      if (!isAccepted) this.setFilter(before);
      input.dispose();
    });
    input.show();
  }

  setFilter(words: string): void {
    this.filter = words.trim();
    void vscode.commands.executeCommand("setContext", "benchwright.isFiltered", this.filter !== "");
    this.refresh();
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row === undefined) return this.headings();
    if (!("group" in row)) return [];
    const { parts, problems } = row.group;
    return parts.length > 0 ? parts.map((group) => ({ group })) : problems.map((problem) => ({ problem }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if ("study" in row) return studyItem(row);
    return "group" in row ? groupItem(row.group) : problemItem(row, this.grouping);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
  }

  private get grouping(): Grouping {
    const kept = this.memory.get<string>(GROUPING, "pack");
    return kept in GROUPINGS ? (kept as Grouping) : "pack";
  }

  private async headings(): Promise<Row[]> {
    const packs = await this.shownPacks();
    const groups = grouped(packs, this.grouping, this.filter);
    const all = packs.reduce((sum, pack) => sum + pack.problems.length, 0);
    this.view.description = this.filter && t("“{0}”: {1} of {2}", this.filter, countOf(groups), all);
    return [...this.studies.map((study) => ({ study })), ...groups.map((group) => ({ group }))];
  }

  /** A study can begin while the list is open: it comes from a terminal, or from another window. */
  private async loadIfSeen(): Promise<void> {
    if (this.view.visible && vscode.window.state.focused && !this.server.failure) await this.loadStudies();
  }

  /** Studies come after the problems: what knows them is not quick to load. */
  private async loadStudies(): Promise<void> {
    const found = await this.going();
    if (JSON.stringify(found) === JSON.stringify(this.studies)) return;
    this.studies = found;
    this.changed.fire();
  }

  private async going(): Promise<StudySummary[]> {
    try {
      const { studies } = await this.server.request("studies", {});
      return studies.filter(({ step }) => !OVER.has(step));
    } catch {
      // The list of problems has reported a server that does not run.
      return [];
    }
  }

  private async shownPacks(): Promise<readonly PackSummary[]> {
    const reading = this.packs();
    const remembered = this.isRead ? undefined : await this.remembered.read();
    this.view.message = remembered ? t("As it was when you left it. Loading the problems …") : "";
    if (!remembered) return reading;
    void reading.then(() => this.changed.fire());
    return remembered;
  }

  /** The packs; the view says that they are read, and shows progress, until they are there. */
  private async packs(): Promise<readonly PackSummary[]> {
    const reading = this.server.request("packs", {});
    void vscode.window.withProgress({ location: { viewId: VIEW }, title: t("Loading the problems …") }, () => reading.then(noop, noop));
    try {
      const { packs } = await reading;
      this.tellOfPacks(packs.length > 0 ? "some" : "none");
      void this.remembered.write(packs);
      return packs;
    } catch (error) {
      // A server that does not run has been reported; an empty list shows the view's welcome content.
      this.tellOfPacks("unread");
      if (!this.server.failure) showError(error);
      return [];
    } finally {
      this.isRead = true;
    }
  }

  /** What an empty list means: see `viewsWelcome` of the manifest. */
  private tellOfPacks(packs: "loading" | "some" | "none" | "unread"): void {
    void vscode.commands.executeCommand("setContext", "benchwright.packs", packs);
  }
}

function groupItem(group: Group): vscode.TreeItem {
  const passed = group.problems.filter((problem) => problem.state === "passed").length;
  const { label, pack, problems } = group;
  const isWord = pack === undefined && group.grouping !== "category";
  const isOpen = group.parts.length > 0 || pack !== undefined || problems.length <= MANY;
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(isWord ? word(label) : label, isOpen ? Expanded : Collapsed);
  item.id = group.id;
  item.contextValue = group.grouping;
  item.iconPath = new vscode.ThemeIcon(ICONS[group.grouping]);
  const due = pack?.due ? t("due {0}", new Date(pack.due).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })) : "";
  item.description = [t("{0}/{1} passed", passed, problems.length), due].filter(Boolean).join(" · ");
  item.tooltip = pack
    ? [
        t("{0}\nName: {1}\nVersion: {2}\nLicence: {3}", label, pack.name, pack.version, pack.license),
        ...(pack.service ? [t("Assignment of {0}, where its hidden tests run", pack.service), due] : []),
        ...(pack.assistance ? [pack.assistance] : []),
      ].join("\n")
    : `${GROUPINGS[group.grouping]}: ${label}`;
  item.accessibilityInformation = {
    label: [`${label}, ${t("{0} of {1} problems passed", passed, problems.length)}`, due].filter(Boolean).join(", "),
  };
  return item;
}

function studyItem(row: { readonly study: StudySummary }): vscode.TreeItem {
  const { study, title, participant, done, total } = row.study;
  const item = new vscode.TreeItem(title);
  item.id = "study " + study;
  item.contextValue = "study";
  item.description = t("{0}/{1} done", done, total);
  item.tooltip = t("Study: {0}\nYou take part as {1}.", title, participant);
  item.iconPath = new vscode.ThemeIcon("beaker");
  item.accessibilityInformation = { label: t("Study {0}, {1} of {2} tasks done", title, done, total) };
  item.command = { command: "benchwright.ui.study", title: t("Take Part"), arguments: [row] };
  return item;
}

/** Steps after which there is nothing more to do. */
const OVER: ReadonlySet<string> = new Set(["finished", "withdrawn", "closed"]);

const LOOK_AGAIN_MS = 5000;

/** What VS Code knows a problem's row by, to show its badge. */
const SCHEME = "benchwright-problem";

const BADGES: vscode.FileDecorationProvider = {
  provideFileDecoration: ({ scheme, query }) =>
    scheme === SCHEME ? new vscode.FileDecoration(difficultyBadge(query), t("Difficulty: {0}", word(query))) : undefined,
};

/** More rows than these start folded. */
const MANY = 40;

function problemItem(row: { readonly problem: ProblemSummary }, grouping: Grouping): vscode.TreeItem {
  const { problem } = row;
  const colour = standingColour(problem.state);
  const item = new vscode.TreeItem(problem.title);
  item.id = problem.ref;
  item.contextValue = "problem";
  item.description = rowDescription(problem, grouping);
  if (grouping !== "difficulty") item.resourceUri = vscode.Uri.from({ scheme: SCHEME, path: `/${problem.ref}`, query: problem.difficulty });
  item.tooltip = problemTooltip(problem);
  item.iconPath = new vscode.ThemeIcon(problemIcon(problem.state), colour ? new vscode.ThemeColor(colour) : undefined);
  item.accessibilityInformation = { label: problemSpoken(problem) };
  item.command = { command: "benchwright.ui.openProblem", title: t("Open Problem"), arguments: [row] };
  return item;
}
