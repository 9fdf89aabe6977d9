import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { OwnTestCoverage, OwnTestFile, OwnTestResult, OwnTestRun, RunOwnTestsParams } from "../generated/protocol.ts";
import { DESIGNS } from "../server/languageClient.ts";
import { errorText, shown } from "../reporting.ts";
import type { Server } from "../server/server.ts";
import type { FailedCheck, Waveforms } from "../design/waveforms.ts";
import { caseOf, toggleSummary } from "./ownTestText.ts";

const AID = "own_tests";
const QUIET_MS = 300;
const FILES = "**/*.{py,v,sv,vh,svh}";

/** The Test Explorer's tests in the open folders: cocotb tests and testbenches, by file, test and parameters. */
export class OwnTests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("benchwright.ownTests", t("Own Tests"));
  private readonly subscriptions: vscode.Disposable[];
  private readonly folders = new Map<string, string>();
  private readonly covered = new WeakMap<vscode.FileCoverage, OwnTestCoverage>();
  /** The waveforms of the last runs, by the item of the file with the tests; the newest last. */
  private readonly waves = new Map<string, KeptWaveform>();
  private looking: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
    private readonly viewer: Pick<Waveforms, "show" | "reload">,
  ) {
    const { Run, Coverage, Debug } = vscode.TestRunProfileKind;
    this.controller.createRunProfile(t("Run"), Run, (request, token) => this.run(request, token), true);
    const coverage = this.controller.createRunProfile(t("Run with Coverage"), Coverage, (request, token) =>
      this.run(request, token, { coverage: true }),
    );
    coverage.loadDetailedCoverage = (_run, file) => Promise.resolve(details(this.covered.get(file)));
    this.controller.createRunProfile(t("Run and Keep Waveforms"), Run, (request, token) =>
      this.run(request, token, { waves: true }),
    );
    this.controller.createRunProfile(t("Debug"), Debug, (request, token) => this.run(request, token, { debug: true }));
    this.controller.refreshHandler = () => this.refresh();
    const watcher = vscode.workspace.createFileSystemWatcher(FILES);
    this.subscriptions = [
      watcher,
      watcher.onDidChange(() => this.refreshSoon()),
      watcher.onDidCreate(() => this.refreshSoon()),
      watcher.onDidDelete(() => this.refreshSoon()),
      server.onDidChangeState((state) => state === "ready" && this.refreshSoon()),
      attempts.onDidChange(({ before, now }) => {
        if (before?.state !== now.state) this.refreshSoon();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refreshSoon()),
      vscode.workspace.onDidSaveTextDocument((document) => this.saved(document)),
    ];
  }

  dispose(): void {
    clearTimeout(this.looking);
    vscode.Disposable.from(...this.subscriptions, this.controller).dispose();
  }

  /** Runs tests by their ids, in the Test Explorer; from a lens. */
  async runIds(uri: string, ids: readonly string[]): Promise<void> {
    await this.refresh();
    const folder = this.folderOf(vscode.Uri.parse(uri));
    const items = folder === undefined ? [] : ids.map((id) => this.find(folder, id)).filter((item) => item !== undefined);
    if (items.length > 0) await this.run(new vscode.TestRunRequest(items), new vscode.CancellationTokenSource().token);
  }

  /** Shows the waveform of a test, which runs again if none was kept; without a test, that of the newest run. */
  async showWaveform(asked?: vscode.TestItem | { readonly test?: vscode.TestItem }): Promise<void> {
    const item = asked && "test" in asked ? asked.test : (asked as vscode.TestItem | undefined);
    const kept = item ? this.waves.get(fileOf(item).id) : [...this.waves.values()].at(-1);
    if (kept) return this.showAtFailure(kept, item);
    if (!item) {
      void vscode.window.showInformationMessage(t("No waveform was kept. Run a test with Run and Keep Waveforms first."));
      return;
    }
    await this.run(new vscode.TestRunRequest([item]), new vscode.CancellationTokenSource().token, { waves: true });
    const made = this.waves.get(fileOf(item).id);
    if (made) await this.showAtFailure(made, item);
  }

  /** Shows a waveform where the test failed, or the first that did if none is named, with the signals of that line. */
  private async showAtFailure({ uri, failures }: KeptWaveform, item: vscode.TestItem | undefined): Promise<void> {
    const ids = item ? [item, ...leaves(item)].map(({ id }) => id) : [...failures.keys()];
    const failure = ids.map((id) => failures.get(id)).find((one) => one !== undefined);
    if (!failure) return this.viewer.show(uri);
    const { place, time } = failure;
    const document = place ? await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri)) : undefined;
    const line = place && document && place.start.line < document.lineCount ? document.lineAt(place.start.line).text : "";
    await this.viewer.show(uri, { time, text: line });
  }

  /** Creates a cocotb test for the module of the active file, and shows it. */
  async begin(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined) return;
    const made = await shown(this.server.request("newTestbench", { uri: uri.toString() }));
    if (!made) return;
    const target = vscode.Uri.parse(made.uri);
    if (!made.applied) await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(made.text));
    const document = await vscode.workspace.openTextDocument(target);
    await document.save();
    await vscode.window.showTextDocument(document);
    await this.refresh();
  }

  private refreshSoon(): void {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => void this.refresh(), QUIET_MS);
  }

  private async refresh(): Promise<void> {
    const found: vscode.TestItem[] = [];
    this.folders.clear();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      if (uri.scheme !== "file" || !(await this.isAllowed(uri)) || this.server.failure) continue;
      // The server may be off, or this feature of it: then there are no tests to show.
      const listed = await this.server.request("ownTests", { uri: uri.toString() }).catch(() => undefined);
      if (!listed) continue;
      this.folders.set(uri.toString(), listed.folder);
      for (const file of listed.files) found.push(this.item(uri.toString(), file));
    }
    this.controller.items.replace(found);
  }

  private async isAllowed(uri: vscode.Uri): Promise<boolean> {
    const status = await this.attempts.of(uri);
    return status?.aids?.includes(AID) ?? true;
  }

  private item(folder: string, file: OwnTestFile): vscode.TestItem {
    const made = this.controller.createTestItem(`${folder}|${file.id}`, file.id, vscode.Uri.parse(file.uri));
    for (const test of file.tests) {
      const { start, end } = test.place;
      const item = this.controller.createTestItem(`${folder}|${test.id}`, test.name, made.uri);
      item.range = new vscode.Range(start.line, start.character, end.line, end.character);
      for (const one of test.cases) {
        const inner = this.controller.createTestItem(`${folder}|${one.id}`, caseOf(one.name), made.uri);
        inner.range = item.range;
        item.children.add(inner);
      }
      made.children.add(item);
    }
    return made;
  }

  private async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    asked: Pick<RunOwnTestsParams, "coverage" | "waves" | "debug"> = {},
  ): Promise<void> {
    const run = this.controller.createTestRun(request);
    const wanted = request.include ?? [...this.controller.items].map(([, item]) => item);
    const left = wanted.filter((item) => !request.exclude?.includes(item));
    for (const item of left.flatMap(leaves)) run.started(item);
    for (const folder of new Set(left.map((item) => folderAndId(item)[0]))) {
      const here = left.filter((item) => folderAndId(item)[0] === folder);
      try {
        const ids = here.map((item) => folderAndId(item)[1]);
        const answer = await this.server.request("runOwnTests", { uri: folder, ids, ...asked }, token);
        for (const one of answer.runs) this.report(run, folder, one);
      } catch (error) {
        for (const item of here.flatMap(leaves)) {
          if (token.isCancellationRequested) run.skipped(item);
          else run.errored(item, new vscode.TestMessage(errorText(error)));
        }
      }
    }
    run.end();
  }

  private report(run: vscode.TestRun, folder: string, one: OwnTestRun): void {
    // Of the run, not of its file: that would be listed as a test without a result.
    run.appendOutput(`${one.output}\n`.replaceAll("\n", "\r\n"));
    const file = `${folder}|${one.file}`;
    this.waves.delete(file);
    if (one.waves) {
      this.waves.set(file, { uri: one.waves, failures: failuresOf(folder, one) });
      this.viewer.reload(one.waves);
    }
    if (one.waves) run.appendOutput(`${t("Waveform: {0}", vscode.Uri.parse(one.waves).fsPath)}\r\n`);
    for (const result of one.results) {
      const item = this.find(folder, result.id) ?? this.addCase(folder, result.id);
      if (item) reportResult(run, item, result);
    }
    for (const covered of one.coverage) {
      const coverage = vscode.FileCoverage.fromDetails(vscode.Uri.parse(covered.uri), details(covered));
      this.covered.set(coverage, covered);
      run.addCoverage(coverage);
    }
  }

  /** A case that only running the test has told of. */
  private addCase(folder: string, id: string): vscode.TestItem | undefined {
    const test = this.find(folder, id.split("/").slice(0, -1).join("/")) ?? this.find(folder, beforeParameters(id));
    if (!test) return undefined;
    const made = this.controller.createTestItem(`${folder}|${id}`, caseOf(id.split("::")[1] ?? id), test.uri);
    if (test.range) made.range = test.range;
    test.children.add(made);
    return made;
  }

  private find(folder: string, id: string): vscode.TestItem | undefined {
    const wanted = `${folder}|${id}`;
    const within = (items: vscode.TestItemCollection): vscode.TestItem | undefined => {
      for (const [, item] of items) {
        if (item.id === wanted) return item;
        const inner = within(item.children);
        if (inner) return inner;
      }
      return undefined;
    };
    return within(this.controller.items);
  }

  private folderOf(uri: vscode.Uri): string | undefined {
    return vscode.workspace.getWorkspaceFolder(uri)?.uri.toString();
  }

  /** Runs the tests of a saved test file, or all of the folder of a saved design, if the setting asks for it. */
  private async saved(document: vscode.TextDocument): Promise<void> {
    const folder = this.folderOf(document.uri);
    const settings = vscode.workspace.getConfiguration("benchwright.ownTests");
    if (folder === undefined || !settings.get("runOnSave")) return;
    await this.refresh();
    const items = [...this.controller.items].map(([, item]) => item).filter((item) => folderAndId(item)[0] === folder);
    const own = items.filter((item) => item.uri?.toString() === document.uri.toString());
    const isDesign = vscode.languages.match(DESIGNS as vscode.DocumentSelector, document) > 0;
    const include = own.length > 0 ? own : isDesign ? items : [];
    if (include.length === 0) return;
    // It must not take the focus from the editor.
    const request = new vscode.TestRunRequest(include, undefined, undefined, false, true);
    await this.run(request, new vscode.CancellationTokenSource().token);
  }
}

/** A waveform, and the tests that failed in it, by item. */
interface KeptWaveform {
  readonly uri: string;
  readonly failures: ReadonlyMap<string, FailedTest>;
}

interface FailedTest {
  readonly place: OwnTestResult["place"];
  readonly time: FailedCheck["time"];
}

/** cocotb runs the tests of a file one after the other, in the order of their results. */
function failuresOf(folder: string, { results }: OwnTestRun): ReadonlyMap<string, FailedTest> {
  const failures = new Map<string, FailedTest>();
  let ns = 0;
  for (const { id, outcome, place, simTimeNs, failedAt } of results) {
    ns += simTimeNs;
    const time = failedAt !== null ? { ticks: failedAt } : simTimeNs > 0 ? { ns } : null;
    if (outcome === "failed") failures.set(`${folder}|${id}`, { place, time });
  }
  return failures;
}

function fileOf(item: vscode.TestItem): vscode.TestItem {
  return item.parent ? fileOf(item.parent) : item;
}

function folderAndId(item: vscode.TestItem): [string, string] {
  const at = item.id.indexOf("|");
  return [item.id.slice(0, at), item.id.slice(at + 1)];
}

function beforeParameters(id: string): string {
  const [file, test = ""] = id.split("::");
  return `${file}::${test.split("/")[0]}`;
}

function leaves(item: vscode.TestItem): vscode.TestItem[] {
  const children = [...item.children].map(([, child]) => child);
  return children.length === 0 ? [item] : children.flatMap(leaves);
}

function reportResult(run: vscode.TestRun, item: vscode.TestItem, result: OwnTestResult): void {
  const milliseconds = result.wallS * 1000;
  for (const one of leaves(item)) {
    if (result.outcome === "passed") run.passed(one, milliseconds);
    else if (result.outcome === "skipped") run.skipped(one);
    else run.failed(one, message(result), milliseconds);
  }
}

function message(result: OwnTestResult): vscode.TestMessage {
  const { expected, got, place } = result;
  const made =
    expected !== null && got !== null
      ? vscode.TestMessage.diff(result.message, expected, got)
      : new vscode.TestMessage(result.message);
  if (place) {
    const range = new vscode.Range(place.start.line, place.start.character, place.end.line, place.end.character);
    made.location = new vscode.Location(vscode.Uri.parse(place.uri), range);
  }
  return made;
}

/** What VS Code shows of a file: each line with its branches, and the toggles of what is declared in it. */
function details(covered: OwnTestCoverage | undefined): vscode.FileCoverageDetail[] {
  if (!covered) return [];
  const lines = covered.lines.map(({ line, count }) => {
    const branches = covered.branches
      .filter((branch) => branch.line === line)
      .map((branch) => new vscode.BranchCoverage(branch.count, new vscode.Position(line, branch.character), branch.name));
    return new vscode.StatementCoverage(count, new vscode.Position(line, 0), branches);
  });
  const declared = new Set(covered.toggles.map(({ line }) => line));
  const signals = [...declared].map((line) => {
    const here = covered.toggles.filter((toggle) => toggle.line === line);
    const { name, moved } = toggleSummary(here);
    return new vscode.DeclarationCoverage(name, moved, new vscode.Position(line, 0));
  });
  return [...lines, ...signals];
}
