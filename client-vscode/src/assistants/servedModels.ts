import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { isUnfinished, type Attempts } from "../attempts/attempts.ts";
import { ModelServer, noSuchModel, Refusal, type Message, type Models, type Question } from "./modelServer.ts";
import { commandLines, consentText, environmentFile, servedName } from "./servedModelText.ts";

/** Lets programs on this machine ask the editor's language models, once its user has agreed, and until it is stopped. */
export class ServedModels implements vscode.Disposable {
  private readonly attempts: Attempts;
  private readonly folder: string;
  private readonly item = vscode.window.createStatusBarItem("servedModels", vscode.StatusBarAlignment.Right, 50);
  private server: ModelServer | undefined;

  constructor(attempts: Attempts, context: vscode.ExtensionContext) {
    this.attempts = attempts;
    this.folder = context.globalStorageUri.fsPath;
    this.item.name = t("Benchwright Served Models");
    this.item.command = "benchwright.ui.stopServingModels";
  }

  dispose(): void {
    this.item.dispose();
    void this.end();
  }

  /** Asks, and begins to serve. */
  async start(): Promise<void> {
    if (this.server) return this.show(this.server);
    const status = this.attempts.current;
    if (status?.study && isUnfinished(status)) {
      void vscode.window.showWarningMessage(t("A task of a study is open. Submit it, or leave it, before you serve models."));
      return;
    }
    const found = await vscode.lm.selectChatModels();
    if (found.length === 0) {
      void vscode.window.showWarningMessage(
        t("No extension of this editor offers a language model. Install one, such as a copilot, and sign in to it."),
      );
      return;
    }
    const names = found.map((one) => `${one.name} (${servedName(one)})`);
    const detail = consentText(names);
    const title = t("Serve this editor's language models to programs on this machine?");
    const agreed = t("Serve");
    if ((await vscode.window.showWarningMessage(title, { modal: true, detail }, agreed)) !== agreed) return;
    const server = await ModelServer.start(new EditorModels(), () => this.draw());
    await mkdir(this.folder, { recursive: true });
    await rm(this.file, { force: true });
    await writeFile(this.file, environmentFile(server.address, server.token), { mode: 0o600 });
    this.server = server;
    await vscode.commands.executeCommand("setContext", "benchwright.servesModels", true);
    this.draw();
    this.item.show();
    await this.show(server, found[0] && servedName(found[0]));
  }

  async stop(): Promise<void> {
    await this.end();
    await vscode.commands.executeCommand("setContext", "benchwright.servesModels", false);
    this.item.hide();
  }

  private get file(): string {
    return join(this.folder, "editor-models.env");
  }

  private async end(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (server) await Promise.all([server.stop(), rm(this.file, { force: true })]);
  }

  private draw(): void {
    const asked = this.server?.asked ?? 0;
    this.item.text = `$(broadcast) ${t("Models served: {0}", asked)}`;
    this.item.tooltip = t("Programs on this machine can ask this editor's language models in your name. Select to stop.");
    this.item.accessibilityInformation = {
      label:
        asked === 1
          ? t("Language models are served; 1 question so far. Select to stop.")
          : t("Language models are served; {0} questions so far. Select to stop.", asked),
      role: "button",
    };
  }

  private async show(server: ModelServer, model = "VENDOR/MODEL"): Promise<void> {
    const text = t("This editor's language models are served at {0}.", server.address);
    const [copy, stop] = [t("Copy Commands"), t("Stop Serving")];
    const chosen = await vscode.window.showInformationMessage(text, copy, stop);
    if (chosen === copy) await vscode.env.clipboard.writeText(commandLines(this.file, model));
    if (chosen === stop) await this.stop();
  }
}

/** The models that extensions offer through `vscode.lm`. */
class EditorModels implements Models {
  async names(): Promise<readonly string[]> {
    return (await vscode.lm.selectChatModels()).map(servedName);
  }

  async *ask({ model, messages, options }: Question, stopped: AbortSignal): AsyncIterable<string> {
    const found = await this.find(model);
    const cancellation = new vscode.CancellationTokenSource();
    stopped.addEventListener("abort", () => cancellation.cancel());
    try {
      const request = { justification: t("You agreed to serve this editor's models."), modelOptions: { ...options } };
      const response = await found.sendRequest(messages.map(toEditor), request, cancellation.token);
      yield* response.text;
    } catch (error) {
      throw error instanceof vscode.LanguageModelError ? refusal(error) : error;
    } finally {
      cancellation.dispose();
    }
  }

  async countTokens(model: string, text: string): Promise<number> {
    return (await this.find(model)).countTokens(text);
  }

  private async find(name: string): Promise<vscode.LanguageModelChat> {
    const models = await vscode.lm.selectChatModels();
    const found = models.find((one) => servedName(one) === name);
    if (!found) throw noSuchModel(name, models.map(servedName));
    return found;
  }
}

function toEditor({ role, text }: Message): vscode.LanguageModelChatMessage {
  const kind = vscode.LanguageModelChatMessage;
  return role === "user" ? kind.User(text) : kind.Assistant(text);
}

function refusal(error: vscode.LanguageModelError): Refusal {
  const isForbidden = error.code === vscode.LanguageModelError.NoPermissions.name;
  const status = isForbidden ? 403 : error.code === vscode.LanguageModelError.Blocked.name ? 429 : 502;
  return new Refusal(status, `${error.message} (${error.code})`);
}
