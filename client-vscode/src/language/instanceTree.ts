import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { InstanceView } from "../generated/protocol.ts";
import { instanceDescription, instanceIcon, instanceSpoken, instanceTooltip } from "./instanceLabel.ts";
import { DESIGNS } from "../server/languageClient.ts";
import { shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import { showRange } from "./sourceRange.ts";

/** The instances of the design that is open, loaded level by level. */
export class InstanceTree implements vscode.TreeDataProvider<InstanceView>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<InstanceView>;
  private readonly subscriptions: vscode.Disposable[];
  private place: string | undefined;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("benchwright.instances", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      server.onDidChangeState(() => this.refresh()),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (vscode.languages.match(DESIGNS as vscode.DocumentSelector, document)) this.refresh();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => {
        if (designPlace() !== this.place) this.refresh();
      }),
    ];
  }

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(instance?: InstanceView): Promise<InstanceView[]> {
    this.place = designPlace();
    if (this.place === undefined || this.server.failure) return [];
    const { path } = instance ?? {};
    const level = await shown(this.server.request("hierarchy", { uri: this.place, ...(path === undefined ? {} : { path }) }));
    if (path === undefined) {
      this.view.description = level?.top ? t("top: {0}", level.top) : "";
      void vscode.commands.executeCommand("setContext", "benchwright.hasTop", Boolean(level?.top));
      delete this.view.message;
    }
    if (level?.complete === false) {
      this.view.message = t("Only the first {0} instances in {1} are shown.", level.instances.length, path ?? t("the design"));
    }
    return level?.instances ?? [];
  }

  getTreeItem(instance: InstanceView): vscode.TreeItem {
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(instance.name, instance.hasChildren ? Collapsed : None);
    item.id = instance.path;
    item.contextValue = instance.kind === "unknown" ? "unknown" : instance.instantiated ? "instance" : "top";
    item.description = instanceDescription(instance);
    item.tooltip = instanceTooltip(instance);
    item.iconPath = new vscode.ThemeIcon(instanceIcon(instance));
    item.accessibilityInformation = { label: instanceSpoken(instance) };
    item.command = { command: "benchwright.ui.goToInstance", title: t("Go to Instantiation"), arguments: [instance] };
    return item;
  }

  /** Shows where an instance is written; a top's module. */
  async goToInstance(instance: InstanceView): Promise<void> {
    await showRange(instance.instantiated ?? instance.declared);
  }

  async goToModule(instance: InstanceView): Promise<void> {
    await showRange(instance.declared);
  }

  /** Views the modules above and below an instance as they are there. */
  async viewHere({ path }: InstanceView): Promise<void> {
    if (this.place !== undefined) await shown(this.server.request("viewHere", { uri: this.place, path }));
    this.refresh();
  }

  async viewDefaults(): Promise<void> {
    const uri = designPlace();
    if (uri !== undefined) await shown(this.server.request("viewAs", { uri }));
    this.refresh();
  }

  /** Elaborates only what is below an instance's module; without one, whatever the design has. */
  async setTop(instance?: InstanceView): Promise<void> {
    const uri = designPlace();
    if (uri !== undefined) await shown(this.server.request("setTop", { uri, module: instance?.module ?? null }));
    this.refresh();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
  }
}

/** The folder of the design that the person works on: that of the active file, else the first; or the file itself. */
function designPlace(): string | undefined {
  const file = vscode.window.activeTextEditor?.document.uri;
  const folder = file && vscode.workspace.getWorkspaceFolder(file);
  if (folder) return folder.uri.toString();
  const isDesign = file?.scheme === "file" && /\.s?vh?$/.test(file.path);
  return isDesign ? file.toString() : vscode.workspace.workspaceFolders?.[0]?.uri.toString();
}
