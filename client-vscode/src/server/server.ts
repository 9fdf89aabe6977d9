import { t } from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  FileChangeType,
  ProgressType,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import type { AttemptStatus, Operations, OwnTestDebugger, ProblemProof } from "../generated/protocol.ts";
import { Client, FOLLOWED } from "./languageClient.ts";
import { errorText } from "../reporting.ts";
import type { ServerCommand } from "./serverCommand.ts";
import { serverSettings } from "../settings.ts";

type Requests = { [K in keyof Operations as Operations[K]["request"] extends true ? K : never]: Operations[K] };
type Notifications = { [K in keyof Operations as Operations[K]["request"] extends false ? K : never]: Operations[K] };

/** `missing`: there is no program to start. */
export type ServerState = "starting" | "ready" | "failed" | "missing";

/** A server that has answered, and what it was started with. */
export interface StartedServer {
  readonly program: ServerCommand;
  readonly version: string;
}

/** What a code lens or a code action is about. */
export interface LensPlace {
  /** A file, or the folder of a workspace. */
  readonly uri: string;
  /** The module below the lens; empty if it is about a workspace. */
  readonly module: string;
  /** Tests of the folder; empty if it is about none. */
  readonly ids: readonly string[];
  /** The rule of a finding and the tool that reported it; empty if it is about none. */
  readonly code: string;
  readonly source: string;
}

/** The language server: one process for the window, started on activation. */
export class Server implements vscode.Disposable {
  /** Lets code lenses and code actions run the palette's commands: the server's command → what to do for a workspace or a module. */
  fromLens: Readonly<Record<string, (place: LensPlace) => Promise<void>>> = {};

  /** Why the server did not start, as a sentence with the next step. */
  failure: string | undefined;

  private state: ServerState = "starting";
  private client: Client | undefined;
  private program: ServerCommand | undefined;
  private starting: Promise<void> = Promise.resolve();
  private readonly proved = new vscode.EventEmitter<ProblemProof>();
  private readonly debuggerWanted = new vscode.EventEmitter<OwnTestDebugger>();
  private readonly attemptChanged = new vscode.EventEmitter<AttemptStatus>();
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  private readonly output = vscode.window.createOutputChannel("Benchwright", { log: true });
  private readonly trace = vscode.window.createOutputChannel("Benchwright Trace", { log: true });

  /** The proof of a problem that was saved has ended. */
  readonly onDidProve = this.proved.event;
  readonly onDebuggerWanted = this.debuggerWanted.event;
  readonly onAttemptChanged = this.attemptChanged.event;
  readonly onDidChangeState = this.stateChanged.event;

  /** @param find Finds the program to start. */
  constructor(readonly find: () => Promise<ServerCommand | undefined>) {}

  /** What has started, and its version; undefined before. */
  get started(): StartedServer | undefined {
    const version = this.client?.initializeResult?.serverInfo?.version;
    return this.program && version !== undefined ? { program: this.program, version } : undefined;
  }

  /** Starts the server, or restarts it; never throws, see `failure`. */
  start(): Promise<void> {
    // One after the other: two launches at once would leave a server that nobody stops.
    this.starting = this.starting.then(() => this.launch());
    return this.starting;
  }

  async request<K extends keyof Requests>(
    name: K,
    params: Requests[K]["params"],
    cancellation?: vscode.CancellationToken,
  ): Promise<Requests[K]["result"]> {
    await this.starting;
    if (!this.client || this.failure) throw new Error(this.failure ?? t("The Benchwright server is not running."));
    // An absent token would be taken for another parameter.
    const others = cancellation ? [cancellation] : [];
    return this.client.sendRequest<Requests[K]["result"]>(`benchwright/${name}`, params, ...others);
  }

  /** The same for an operation that takes `partialResultToken`; each part is given to `hear` as it comes. */
  async requestInParts<K extends keyof Requests, P>(
    name: K,
    params: Requests[K]["params"],
    parts: ProgressType<P>,
    hear: (part: P) => void,
  ): Promise<Requests[K]["result"]> {
    await this.starting;
    const token = randomUUID();
    const heard = this.client?.onProgress(parts, token, hear);
    try {
      return await this.request(name, { ...params, partialResultToken: token });
    } finally {
      heard?.dispose();
    }
  }

  async notify<K extends keyof Notifications>(name: K, params: Notifications[K]["params"]): Promise<void> {
    await this.starting;
    if (this.client && !this.failure) await this.client.sendNotification(`benchwright/${name}`, params);
  }

  /** Shows what the server and the extension wrote. */
  showLog(): void {
    this.output.show();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.state === State.Running) await client.stop();
  }

  /** Reports that a file was written; of files that are not synchronised the editor reports nothing by itself. */
  wrote(uri: vscode.Uri): void {
    const change = { uri: uri.toString(), type: FileChangeType.Changed };
    if (this.client?.state === State.Running) {
      void this.client.sendNotification("workspace/didChangeWatchedFiles", { changes: [change] });
    }
  }

  dispose(): void {
    void this.stop();
    for (const owned of [this.attemptChanged, this.debuggerWanted, this.proved, this.stateChanged, this.output, this.trace]) owned.dispose();
  }

  private async launch(): Promise<void> {
    await this.stop();
    this.enter("starting");
    const settings = vscode.workspace.getConfiguration("benchwright");
    this.program = await this.find();
    if (!this.program) {
      this.fail(NOT_INSTALLED, undefined, "missing");
      return;
    }
    const { command, source } = this.program;
    const args = ["lsp", "--sandbox", settings.get<string>("sandbox", "bwrap")];
    this.output.info(`Starting ${command} ${args.join(" ")} (found by: ${source})`);
    const client = new Client("benchwright", "Benchwright", { command, args }, this.options());
    client.onNotification("benchwright/ownTestDebugger", (told: OwnTestDebugger) => this.debuggerWanted.fire(told));
    client.onNotification("benchwright/problemProof", (proof: ProblemProof) => this.proved.fire(proof));
    client.onNotification("benchwright/attemptChanged", (status: AttemptStatus) => this.attemptChanged.fire(status));
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.enter("ready");
    });
    // Does nothing if `errorHandler` has already reported the failure.
    await client.start().catch((error: unknown) => this.fail(didNotStart(command), error));
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: FOLLOWED,
      initializationOptions: serverSettings(vscode.workspace.getConfiguration("benchwright")),
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      initializationFailedHandler: () => false,
      errorHandler: this.errorHandler(),
      middleware: {
        executeCommand: (command, args, next) => {
          const { uri, module, ids, code, source } = (args[0] ?? {}) as Partial<Record<keyof LensPlace, unknown>>;
          const step = this.fromLens[command];
          if (!step || typeof uri !== "string") return next(command, args) as unknown;
          const tests = Array.isArray(ids) ? ids.map(String) : [];
          return step({ uri, module: text(module), ids: tests, code: text(code), source: text(source) });
        },
      },
    };
  }

  /** Restarts a server that crashes after its start, but not one that can't start. */
  private errorHandler(): ErrorHandler {
    let usual: ErrorHandler | undefined;
    return {
      error: () => ({ action: ErrorAction.Continue }),
      closed: async () => {
        if (this.state !== "ready" || !this.client) {
          this.fail(didNotStart(this.program?.command ?? ""));
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        usual ??= this.client.createDefaultErrorHandler();
        const result = await usual.closed();
        if (result.action === CloseAction.Restart) this.enter("starting");
        else this.fail(t("The Benchwright server keeps crashing. The output channel Benchwright has its messages."));
        return { ...result, handled: true };
      },
    };
  }

  private fail(failure: string, cause?: unknown, state: "failed" | "missing" = "failed"): void {
    if (cause !== undefined) this.output.error(errorText(cause));
    if (this.state === "failed") return;
    this.failure = failure;
    this.enter(state);
  }

  private enter(state: ServerState): void {
    if (state === "starting" || state === "ready") this.failure = undefined;
    this.state = state;
    void vscode.commands.executeCommand("setContext", "benchwright.server", state);
    this.stateChanged.fire(state);
  }
}

const NOT_INSTALLED = t("Benchwright is not installed. Run the command Benchwright: Install Server.");

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function didNotStart(command: string): string {
  return t(
    "The Benchwright server did not start (tried: {0}). Run ./run once in the Benchwright folder, " +
      "or put the full path of the benchwright program into the setting benchwright.server.command.",
    command,
  );
}
