import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { FlowView, SignalEnd, SignalTrace } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { flowSpoken, signalDescription } from "./signalLabel.ts";
import { cursorInDesign, showRange } from "./sourceRange.ts";

type Way = "drivers" | "loads";
type Row = { readonly flow: FlowView } | { readonly end: SignalEnd };

/** The drivers or the loads of a signal, loaded level by level. */
export class SignalTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Row>;
  private asked: { readonly way: Way; readonly uri: string; readonly trace: SignalTrace } | undefined;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("benchwright.signals", { treeDataProvider: this, showCollapseAll: true });
  }

  /** Shows what drives the signal at the cursor, or what it drives. */
  async show(way: Way): Promise<void> {
    const cursor = cursorInDesign();
    if (!cursor) {
      void vscode.window.showInformationMessage(t("Put the cursor on a signal first."));
      return;
    }
    const trace = await shown(this.server.request(way, cursor));
    if (!trace) return;
    this.asked = { way, uri: cursor.uri, trace };
    const { path } = trace.signal;
    this.view.title = way === "drivers" ? t("Drivers") : t("Loads");
    this.view.description = path;
    this.view.message = message(way, trace);
    this.changed.fire();
    await vscode.commands.executeCommand("benchwright.signals.focus");
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (!this.asked) return [];
    if (!row) return rows(this.asked.trace);
    if ("flow" in row) return row.flow.signals.map((end) => ({ end }));
    const { way, uri } = this.asked;
    const trace = await shown(this.server.request(way, { uri, signal: row.end.signal.path }));
    return trace ? rows(trace) : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    if ("flow" in row) {
      const { flow } = row;
      const item = new vscode.TreeItem(flow.text, flow.signals.length > 0 ? Expanded : None);
      item.description = `${flow.kind} · ${flow.instance}`;
      item.tooltip = t("{0}\n{1} in {2}", flow.text, flow.kind, flow.instance);
      item.iconPath = new vscode.ThemeIcon(flow.kind === "connection" ? "plug" : "arrow-small-right");
      item.accessibilityInformation = { label: flowSpoken(flow) };
      item.command = { command: "benchwright.ui.goToFlow", title: t("Go to Source"), arguments: [row] };
      return item;
    }
    const { signal, part } = row.end;
    const item = new vscode.TreeItem(signal.name, Collapsed);
    item.description = signalDescription(row.end);
    item.tooltip = signal.path;
    item.iconPath = new vscode.ThemeIcon(part === "event" ? "pulse" : part === "condition" ? "question" : "symbol-variable");
    item.accessibilityInformation = { label: `${signal.path}, ${part}` };
    item.command = { command: "benchwright.ui.goToFlow", title: t("Go to Declaration"), arguments: [row] };
    return item;
  }

  async go(row: Row): Promise<void> {
    await showRange("flow" in row ? row.flow.at : row.end.signal.declared);
  }

  dispose(): void {
    vscode.Disposable.from(this.view, this.changed).dispose();
  }
}

function rows({ flows }: SignalTrace): Row[] {
  return flows.map((flow) => ({ flow }));
}

function message(way: Way, trace: SignalTrace): string {
  const port = trace.portOfTop === null ? [] : [t("The design ends here: a port of the top ({0}).", trace.portOfTop)];
  const none = trace.flows.length > 0 ? [] : [way === "drivers" ? t("Nothing in the design drives it.") : t("It drives nothing in the design.")];
  return [...none, ...port, ...(trace.complete ? [] : [t("Only a part is shown: there are too many assignments.")])].join(" ");
}
