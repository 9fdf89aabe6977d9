import * as vscode from "vscode";
import type { Attempts } from "./attempts.ts";
import type { PackSummary, ProblemSummary } from "./generated/protocol.ts";
import { problemDescription, problemIcon, problemSpoken, problemTooltip } from "./problemLabel.ts";
import { showError } from "./reporting.ts";
import type { Server } from "./server.ts";

/** A row of the problem list. */
export type Row = { readonly pack: PackSummary } | { readonly problem: ProblemSummary };

const STATE_COLOURS: Readonly<Record<ProblemSummary["state"], string | undefined>> = {
  new: undefined,
  attempted: "charts.blue",
  "waiting for a judge": "charts.yellow",
  failed: "testing.iconFailed",
  passed: "testing.iconPassed",
};

/** Packs and their problems. */
export class ProblemTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    attempts: Attempts,
  ) {
    this.subscriptions = [
      server.onDidChangeState(() => this.refresh()),
      attempts.onDidChange(({ before, now }) => {
        if (before?.state !== now.state || before.verdict?.number !== now.verdict?.number) this.refresh();
      }),
      vscode.window.createTreeView("benchwright.problems", { treeDataProvider: this, showCollapseAll: true }),
    ];
  }

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row === undefined) return (await this.packs()).map((pack) => ({ pack }));
    return "pack" in row ? row.pack.problems.map((problem) => ({ problem })) : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return "pack" in row ? packItem(row.pack) : problemItem(row);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
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

function packItem(pack: PackSummary): vscode.TreeItem {
  const passed = pack.problems.filter((problem) => problem.state === "passed").length;
  const item = new vscode.TreeItem(pack.title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = pack.name;
  item.contextValue = "pack";
  item.iconPath = new vscode.ThemeIcon("package");
  item.description = `${passed}/${pack.problems.length} passed`;
  item.tooltip = `${pack.title}\nName: ${pack.name}\nVersion: ${pack.version}\nLicence: ${pack.license}`;
  item.accessibilityInformation = { label: `${pack.title}, ${passed} of ${pack.problems.length} problems passed` };
  return item;
}

function problemItem(row: { readonly problem: ProblemSummary }): vscode.TreeItem {
  const { problem } = row;
  const colour = STATE_COLOURS[problem.state];
  const item = new vscode.TreeItem(problem.title);
  item.id = problem.ref;
  item.contextValue = "problem";
  item.description = problemDescription(problem);
  item.tooltip = problemTooltip(problem);
  item.iconPath = new vscode.ThemeIcon(problemIcon(problem.state), colour ? new vscode.ThemeColor(colour) : undefined);
  item.accessibilityInformation = { label: problemSpoken(problem) };
  item.command = { command: "benchwright.ui.openProblem", title: "Open Problem", arguments: [row] };
  return item;
}
