import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { Server } from "../server/server.ts";
import { errorText, shown } from "../reporting.ts";
import { cursorInDesign, showRange } from "../language/sourceRange.ts";
import { newerRunNote } from "../text/standing.ts";
import { WebviewHost, type Ready } from "../webviewHost.ts";
import type { FromWaveform, ToWaveform } from "../webview/pages/waveform.ts";
import { ASKED } from "../webview/waveRequests.ts";
import { possibleSignalNames, ticksOfNs } from "./waveformText.ts";
import { widePlace } from "../widePlace.ts";

const VIEW = "benchwright.waveform";
const QUIET_MS = 200;
const IS_SHOWN = "benchwright.hasWaveform";
const HAS_OTHERS = "benchwright.hasOtherViewers";

/** What of a waveform a failed check is about. */
export interface FailedCheck {
  /** When it failed; null where nothing says so. */
  readonly time: { readonly ticks: number } | { readonly ns: number } | null;
  /** Its line or message, with the names of the signals that it reads. */
  readonly text: string;
  /** The test and the time on its own clock, beside the time of the file; empty where nothing says so. */
  readonly note?: string;
}

/** The viewer of waveforms, FST and VCD. */
export class Waveforms implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  private readonly sessions = new Set<WaveformSession>();
  private latest: WaveformSession | undefined;
  private readonly registered: vscode.Disposable[];
  /** What a file shows when it is opened next. */
  private readonly checks = new Map<string, FailedCheck>();

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly memory: vscode.Memento,
    private readonly attempts: Attempts,
  ) {
    this.registered = [
      vscode.window.registerCustomEditorProvider(VIEW, this, { webviewOptions: { retainContextWhenHidden: true } }),
      vscode.extensions.onDidChange(() => this.follow(this.latest)),
    ];
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const session = new WaveformSession(uri, panel.webview, this.extension, this.server, this.memory, this.checks, this.attempts);
    this.sessions.add(session);
    this.follow(session);
    panel.onDidChangeViewState(() => panel.active && this.follow(session));
    panel.onDidDispose(() => {
      this.sessions.delete(session);
      session.dispose();
      if (this.latest === session) this.follow([...this.sessions].at(-1));
    });
  }

  /** Opens a waveform in the wide place, at a check that failed and with its signals. */
  async show(uri: string, check?: FailedCheck): Promise<void> {
    if (check) {
      this.checks.set(vscode.Uri.parse(uri).toString(), check);
      this.reload(uri);
    }
    await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.parse(uri), VIEW, await widePlace());
  }

  /** Shows the waveform of the hidden test that failed, at the failure; the server shows progress, by which it is cancelled. */
  async showHidden(): Promise<void> {
    const { current } = this.attempts;
    if (current?.workspace == null) return;
    const kept = await shown(this.server.request("hiddenWaveform", { uri: current.workspace }));
    if (!kept) return;
    const line = current.verdict?.lines?.find(({ name }) => name === kept.test);
    const note = line?.simTime && kept.failedAt !== null ? t("{0} failed here, {1} after its own start.", line.name, line.simTime) : "";
    await this.show(kept.uri, { time: kept.failedAt === null ? null : { ticks: kept.failedAt }, text: line?.message ?? "", note });
  }

  /** Shows a file that was written again, where it is open; hidden folders may be left out of what the editor watches. */
  reload(uri: string): void {
    for (const session of this.sessions) if (session.uri === vscode.Uri.parse(uri).toString()) session.openSoon();
  }

  /** Adds the signal at the cursor in the source to the waveform that was in front last. */
  async addFromSource(): Promise<void> {
    const cursor = cursorInDesign();
    if (!cursor || !this.latest) {
      void vscode.window.showInformationMessage(t("Open a waveform, then put the cursor on a signal of the design."));
      return;
    }
    await this.latest.addFromSource(cursor);
  }

  /** Opens the waveform that was in front last in another extension. */
  async openElsewhere(): Promise<void> {
    await this.latest?.openElsewhere();
  }

  dispose(): void {
    vscode.Disposable.from(...this.registered).dispose();
    for (const session of this.sessions) session.dispose();
  }

  private follow(session: WaveformSession | undefined): void {
    this.latest = session;
    void vscode.commands.executeCommand("setContext", IS_SHOWN, session !== undefined);
    void vscode.commands.executeCommand("setContext", HAS_OTHERS, session !== undefined && otherViewers(session.uri).length > 0);
  }
}

/** One waveform on the screen. */
class WaveformSession implements vscode.Disposable {
  private readonly host: WebviewHost<ToWaveform, FromWaveform>;
  private readonly subscriptions: vscode.Disposable[];
  private readonly key: string;
  private opening: NodeJS.Timeout | undefined;
  /** The run of the hidden tests that the file is of; null of any other. */
  private run: number | null = null;
  private note = "";

  constructor(
    private readonly file: vscode.Uri,
    webview: vscode.Webview,
    extension: vscode.Uri,
    private readonly server: Server,
    private readonly memory: vscode.Memento,
    private readonly checks: Map<string, FailedCheck>,
    private readonly attempts: Attempts,
  ) {
    // Those of hidden tests have the number of their run in the name, and one layout.
    this.key = `${VIEW}|${file.toString().replace(/-run-\d+\.vcd$/, ".vcd")}`;
    this.host = new WebviewHost(webview, { extension, page: "waveform", title: t("Waveform") }, (message) => this.receive(message));
    const [folder, name] = [vscode.Uri.joinPath(file, ".."), file.path.split("/").at(-1) ?? ""];
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
    this.subscriptions = [
      watcher,
      watcher.onDidChange(() => this.openSoon()),
      watcher.onDidCreate(() => this.openSoon()),
      server.onDidChangeState((state) => state === "ready" && void this.open()),
      attempts.onDidChange(() => this.noteNewerRun()),
    ];
  }

  async addFromSource({ uri, position }: NonNullable<ReturnType<typeof cursorInDesign>>): Promise<void> {
    const found = await shown(this.server.request("waveformSignal", { uri: this.uri, source: uri, position }));
    if (found) this.host.post({ type: "add", path: found.path });
  }

  async openElsewhere(): Promise<void> {
    const viewers = otherViewers(this.uri);
    const choice = viewers.length > 1 ? await vscode.window.showQuickPick(viewers, { placeHolder: t("Open the waveform in …") }) : viewers[0];
    if (choice) await vscode.commands.executeCommand("vscode.openWith", this.file, choice.viewType, await widePlace());
  }

  openSoon(): void {
    clearTimeout(this.opening);
    this.opening = setTimeout(() => void this.open(), QUIET_MS);
  }

  dispose(): void {
    clearTimeout(this.opening);
    vscode.Disposable.from(...this.subscriptions).dispose();
    void this.server.request("closeWaveform", { uri: this.uri }).catch(() => undefined);
  }

  get uri(): string {
    return this.file.toString();
  }

  private async receive(message: FromWaveform | Ready): Promise<void> {
    switch (message.type) {
      case "ready":
        await this.open();
        break;
      case "ask":
        await this.answer(message);
        break;
      case "layout":
        await this.memory.update(this.key, message.layout);
        break;
      case "cursor":
        await this.server.request("waveformCursor", { uri: this.uri, time: message.time }).catch(() => undefined);
        break;
      case "source": {
        const found = await shown(this.server.request("waveformSource", { uri: this.uri, signal: message.path }));
        if (found) await showRange(found.declared, vscode.ViewColumn.One);
      }
    }
  }

  private async open(): Promise<void> {
    try {
      const view = await this.server.request("waveform", { uri: this.uri });
      const check = this.checks.get(this.uri);
      this.checks.delete(this.uri);
      const time = check?.time ? ("ns" in check.time ? ticksOfNs(check.time.ns, view) : check.time.ticks) : null;
      const names = possibleSignalNames(check?.text ?? "");
      this.host.post({ type: "opened", view, layout: this.memory.get(this.key), time, names });
      this.run = view.run;
      if (check) this.note = check.note ?? "";
      this.noteNewerRun();
    } catch (error) {
      this.host.post({ type: "failed", reason: errorText(error) });
    }
  }

  private noteNewerRun(): void {
    const status = this.run === null ? undefined : this.attempts.known(this.file);
    const newer = status ? newerRunNote(this.run, status.view) : "";
    this.host.post({ type: "note", text: newer || this.note });
  }

  private async answer({ number, name, params }: Extract<FromWaveform, { type: "ask" }>): Promise<void> {
    if (!ASKED.includes(name)) return;
    try {
      const result = await this.server.request(name, { ...params, uri: this.uri });
      this.host.post({ type: "answer", number, result });
    } catch (error) {
      this.host.post({ type: "answer", number, failure: errorText(error) });
    }
  }
}

interface Contribution {
  readonly viewType: string;
  readonly displayName: string;
  readonly selector: readonly { readonly filenamePattern?: string }[];
}

/** A custom editor of another extension. */
interface Viewer extends vscode.QuickPickItem {
  readonly viewType: string;
}

/** The installed editors of other extensions for files of this kind, such as VaporView's and Surfer's. */
function otherViewers(uri: string): Viewer[] {
  const kind = uri.split(".").at(-1)?.toLowerCase() ?? "";
  const isAbout = ({ filenamePattern = "" }: Contribution["selector"][number]) => filenamePattern.toLowerCase().split(/\W+/).includes(kind);
  return vscode.extensions.all.flatMap(({ packageJSON }) => {
    const { contributes } = packageJSON as { contributes?: { customEditors?: readonly Contribution[] } };
    const editors = (contributes?.customEditors ?? []).filter(({ viewType, selector }) => viewType !== VIEW && selector.some(isAbout));
    return editors.map(({ viewType, displayName }) => ({ viewType, label: displayName }));
  });
}
