import * as vscode from "vscode";

/** View types of pages that need width. */
const VIEWS = ["waveform", "replay", "numbers", "trace", "schematic", "stateMachines", "report"].map((name) => `benchwright.${name}`);

/** An arrangement of editor groups as the editor's own commands exchange it. */
interface Layout {
  /** 0 if the groups are side by side, 1 if they are above one another; groups within them the other way. */
  readonly orientation: 0 | 1;
  readonly groups: readonly object[];
}

/**
 * The editor group that waveforms, drawings and time lines share, so that none of them opens a third column.
 *
 * It is where one of them is open already, below the code otherwise, or beside it if the setting says so.
 */
export async function widePlace(): Promise<vscode.ViewColumn> {
  const groups = vscode.window.tabGroups.all;
  const shared = groups.find(({ tabs }) => tabs.some(isWide));
  if (shared) return shared.viewColumn;
  if (groups.every(({ tabs }) => tabs.length === 0)) return vscode.ViewColumn.One;
  if (vscode.workspace.getConfiguration("benchwright").get("widePages") === "beside") return vscode.ViewColumn.Two;
  if (groups.length === 1) {
    await vscode.commands.executeCommand("workbench.action.newGroupBelow");
    return vscode.ViewColumn.Two;
  }
  const layout = await vscode.commands.executeCommand<Layout>("vscode.getEditorLayout");
  const above = layout.orientation === 0 ? [{ groups: layout.groups, size: 0.5 }] : layout.groups;
  await vscode.commands.executeCommand("vscode.setEditorLayout", { orientation: 1, groups: [...above, { size: 0.5 }] });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- groups are numbered from 1 without a gap
  return groups.length + 1;
}

function isWide({ input }: vscode.Tab): boolean {
  if (input instanceof vscode.TabInputCustom) return VIEWS.includes(input.viewType);
  // The editor puts a prefix of its own before the type of a webview.
  return input instanceof vscode.TabInputWebview && VIEWS.some((view) => input.viewType.endsWith(view));
}
