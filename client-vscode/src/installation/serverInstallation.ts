import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { Environments } from "./environments.ts";
import { InstallationError } from "./failures.ts";
import { install } from "./installer.ts";
import { chosenInterpreter } from "./pythonExtension.ts";
import { compareVersions } from "./versions.ts";
import { errorText } from "../reporting.ts";
import type { StartedServer } from "../server/server.ts";
import { chooseServerCommand, findServerCommands, type ServerCommand } from "../server/serverCommand.ts";

const DISMISSED = "benchwright.dismissedVersions";
const INSTALL = t("Install Benchwright");
const UPDATE = t("Update Benchwright");
const CHOOSE = t("Choose…");
const HELP = t("Help");

/** Finds the `benchwright` program, and installs it into an environment of the extension's own. */
export class ServerInstallation implements vscode.Disposable {
  private readonly version: string;
  private readonly environments: Environments;
  private readonly output = vscode.window.createOutputChannel("Benchwright Installation", { log: true });
  private readonly installed = new vscode.EventEmitter<void>();
  private running: AbortController | undefined;

  /** Another program is there now. */
  readonly onDidInstall = this.installed.event;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.version = String((context.extension.packageJSON as { version: unknown }).version);
    this.environments = new Environments(join(context.globalStorageUri.fsPath, "server"));
  }

  dispose(): void {
    this.running?.abort();
    vscode.Disposable.from(this.output, this.installed).dispose();
  }

  /** The program to start the server with; undefined if there is none. */
  async find(): Promise<ServerCommand | undefined> {
    const setting = vscode.workspace.getConfiguration("benchwright").get<string>("server.command", "");
    const found = findServerCommands({ setting, env: process.env, managed: this.environments.command });
    return chooseServerCommand(found, async (command) => {
      const version = await versionOf(command);
      return version !== undefined && compareVersions(version, this.version) === "same";
    });
  }

  /** Offers to install what is missing. */
  async offer(): Promise<void> {
    await this.ask(
      vscode.window.showErrorMessage(
        t(
          "Benchwright is not installed: no benchwright program was found in the settings, in Benchwright's data folder " +
            "or on PATH.",
        ),
        INSTALL,
        CHOOSE,
        HELP,
      ),
    );
  }

  /** Offers the version of the extension if a server of another version has started; once for each version. */
  async offerMatch({ program: { command }, version }: StartedServer): Promise<void> {
    const comparison = compareVersions(version, this.version);
    const key = `${command} ${version} ${this.version}`;
    if (comparison === "same" || this.context.globalState.get(DISMISSED) === key) return;
    await this.context.globalState.update(DISMISSED, key);
    const advice =
      comparison === "older"
        ? t("Some features may not work until it is updated.")
        : t("Update the extension, or install the server that matches it.");
    const found = t("The Benchwright server ({0}) is version {1}; this extension is version {2}.", command, version, this.version);
    await this.ask(
      vscode.window.showWarningMessage(
        `${found} ${advice}`,
        comparison === "older" ? UPDATE : t("Install Benchwright {0}", this.version),
        CHOOSE,
        HELP,
      ),
    );
  }

  /** Installs Benchwright, with progress and a way to cancel; shows what went wrong. */
  async install(): Promise<void> {
    if (this.running) {
      this.output.show(true);
      return;
    }
    this.running = new AbortController();
    try {
      const version = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: t("Installing Benchwright"), cancellable: true },
        (progress, token) => this.work(progress, token),
      );
      this.output.info(`Installed Benchwright ${version} in ${this.environments.newest?.folder ?? ""}`);
      void vscode.window.showInformationMessage(t("Benchwright {0} is installed.", version));
      await this.preferInstalled();
      this.installed.fire();
    } catch (error) {
      await this.fail(error);
    } finally {
      this.running = undefined;
    }
  }

  /** Lets the person choose the program themselves. */
  async choose(): Promise<void> {
    const [file] =
      (await vscode.window.showOpenDialog({ title: t("Choose the benchwright Program"), openLabel: t("Choose") })) ?? [];
    if (!file) return;
    // The change of the setting starts the server.
    await vscode.workspace.getConfiguration("benchwright").update("server.command", file.fsPath, true);
  }

  private async work(
    progress: vscode.Progress<{ message: string }>,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const controller = this.running ?? new AbortController();
    token.onCancellationRequested(() => controller.abort());
    return install({
      environments: this.environments,
      version: this.version,
      source: vscode.workspace.getConfiguration("benchwright").get<string>("install.source", ""),
      interpreter: await chosenInterpreter(),
      env: process.env,
      signal: controller.signal,
      report: (message) => progress.report({ message }),
      log: (line) => this.output.info(line),
    });
  }

  /** A setting that names another program would hide the one that was just installed. */
  private async preferInstalled(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("benchwright");
    if (settings.get<string>("server.command", "")) await settings.update("server.command", undefined, true);
  }

  private async fail(error: unknown): Promise<void> {
    if (this.running?.signal.aborted) {
      this.output.info("Cancelled. Nothing was installed.");
      return;
    }
    this.output.error(errorText(error));
    const reason = error instanceof InstallationError ? error.message : t("{0} The log shows more.", errorText(error));
    const again = t("Try Again");
    const log = t("Show Log");
    const choice = await vscode.window.showErrorMessage(t("Benchwright was not installed. {0}", reason), again, log, HELP);
    if (choice === again) await vscode.commands.executeCommand("benchwright.ui.install");
    if (choice === log) this.output.show();
    if (choice === HELP) await vscode.commands.executeCommand("benchwright.ui.doctor");
  }

  private async ask(shown: Thenable<string | undefined>): Promise<void> {
    const choice = await shown;
    if (choice === HELP) await vscode.commands.executeCommand("benchwright.ui.doctor");
    else if (choice === CHOOSE) await vscode.commands.executeCommand("benchwright.ui.chooseServer");
    else if (choice !== undefined) await vscode.commands.executeCommand("benchwright.ui.install");
  }
}

async function versionOf(command: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, ["--version"], { timeout: 20_000 });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
