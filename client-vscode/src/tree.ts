import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import type { PackSummary, ProblemSummary } from "./generated/protocol.ts";
import { problemIcon, problemSpoken, problemTooltip, rowDescription } from "./problemLabel.ts";
import { countOf, grouped, GROUPINGS, type Group, type Grouping } from "./problemList.ts";
import { showError } from "./reporting.ts";
import type { Server } from "./server.ts";

/** A row of the problem list. */
export type Row = { readonly group: Group } | { readonly problem: ProblemSummary };

const STATE_COLOURS: Readonly<Record<ProblemSummary["state"], string | undefined>> = {
  new: undefined,
  attempted: "charts.blue",
  "waiting for a judge": "charts.yellow",
  failed: "testing.iconFailed",
  passed: "testing.iconPassed",
};

const ICONS: Readonly<Record<Grouping, string>> = {
  pack: "package",
  state: "circle-large-outline",
  kind: "symbol-misc",
  category: "tag",
  difficulty: "dashboard",
};

const GROUPING = "benchwright.problemGrouping";

/** The problems under their headings, those alone that hold the words of a filter. */
export class ProblemTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Row>;
  private readonly subscriptions: vscode.Disposable[];
  private filter = "";
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    attempts: Attempts,
    private readonly memory: vscode.Memento,
  ) {
    this.view = vscode.window.createTreeView("benchwright.problems", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      server.onDidChangeState(() => this.refresh()),
      attempts.onDidChange(({ before, now }) => {
        if (before?.state !== now.state || before.verdict?.number !== now.verdict?.number) this.refresh();
      }),
    ];
  }

  refresh(): void {
    this.changed.fire();
  }

  /** Asks what to group the problems by. */
  async group(): Promise<void> {
    const names = Object.keys(GROUPINGS) as Grouping[];
    const rows = names.map((name) => ({ label: GROUPINGS[name], name, picked: name === this.grouping }));
    const chosen = await vscode.window.showQuickPick(rows, { title: "Group Problems By" });
    if (!chosen) return;
    await this.memory.update(GROUPING, chosen.name);
    this.refresh();
  }

  /** Asks for words, and shows while they are typed which problems hold all of them. */
  search(): void {
    const before = this.filter;
    const input = vscode.window.createInputBox();
    input.title = "Filter Problems";
    input.placeholder = "Words of a title, category, kind, difficulty, state or pack";
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
    if ("problem" in row) return [];
    const { parts, problems } = row.group;
    return parts.length > 0 ? parts.map((group) => ({ group })) : problems.map((problem) => ({ problem }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return "group" in row ? groupItem(row.group) : problemItem(row);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
  }

  private get grouping(): Grouping {
    const kept = this.memory.get<string>(GROUPING, "pack");
    return kept in GROUPINGS ? (kept as Grouping) : "pack";
  }

  private async headings(): Promise<Row[]> {
    const packs = await this.packs();
    const groups = grouped(packs, this.grouping, this.filter);
    const all = packs.reduce((sum, pack) => sum + pack.problems.length, 0);
    this.view.description = this.filter && `“${this.filter}”: ${countOf(groups)} of ${all}`;
    return groups.map((group) => ({ group }));
  }

  private async packs(): Promise<PackSummary[]> {
    try {
      return (await this.server.request("packs", {})).packs;
    } catch (error) {
      // A server that does not run has been reported; an empty list shows the view's welcome content.
      if (!this.server.failure) showError(error);
      return [];
    }
  }
}

function groupItem(group: Group): vscode.TreeItem {
  const passed = group.problems.filter((problem) => problem.state === "passed").length;
  const { label, pack, problems } = group;
  const isOpen = group.parts.length > 0 || pack !== undefined || problems.length <= MANY;
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, isOpen ? Expanded : Collapsed);
  item.id = group.id;
  item.contextValue = group.grouping;
  item.iconPath = new vscode.ThemeIcon(ICONS[group.grouping]);
  item.description = `${passed}/${problems.length} passed`;
  item.tooltip = pack
    ? `${label}\nName: ${pack.name}\nVersion: ${pack.version}\nLicence: ${pack.license}`
    : `${GROUPINGS[group.grouping]}: ${label}`;
  item.accessibilityInformation = { label: `${label}, ${passed} of ${problems.length} problems passed` };
  return item;
}

/** More rows than these start folded. */
const MANY = 40;

function problemItem(row: { readonly problem: ProblemSummary }): vscode.TreeItem {
  const { problem } = row;
  const colour = STATE_COLOURS[problem.state];
  const item = new vscode.TreeItem(problem.title);
  item.id = problem.ref;
  item.contextValue = "problem";
  item.description = rowDescription(problem);
  item.tooltip = problemTooltip(problem);
  item.iconPath = new vscode.ThemeIcon(problemIcon(problem.state), colour ? new vscode.ThemeColor(colour) : undefined);
  item.accessibilityInformation = { label: problemSpoken(problem) };
  item.command = { command: "benchwright.ui.openProblem", title: "Open Problem", arguments: [row] };
  return item;
}
