import { execFile, spawn, type ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { installed } from "./installation.ts";

const SETTINGS = {
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  // Else a paste waits for extensions, and is dropped when the next key comes in the meantime.
  "editor.pasteAs.enabled": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "remote.autoForwardPorts": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.editor.useModal": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
};

/** A VS Code for the browser in folders of its own, with the extension installed. */
export class CodeServer {
  readonly url: string;
  readonly log: string;
  private readonly process: ChildProcess;

  private constructor(url: string, log: string, process: ChildProcess) {
    this.url = url;
    this.log = log;
    this.process = process;
  }

  static async start(folder: string, env: Readonly<Record<string, string>>, settings: object = {}): Promise<CodeServer> {
    const { codeServer, extension } = installed();
    const userData = join(folder, "user-data");
    const args = [codeServer, "--config", join(folder, "config.yaml"), "--user-data-dir", userData];
    args.push("--extensions-dir", join(folder, "extensions"));
    const environment = {
      ...inherited(),
      EXTENSIONS_GALLERY: "{}",
      PYTHON_KEYRING_BACKEND: "keyring.backends.fail.Keyring",
      XDG_CACHE_HOME: join(folder, "cache"),
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "data"),
      ...env,
    };
    await mkdir(join(userData, "User"), { recursive: true });
    await writeFile(join(userData, "User", "settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
    // Settings that belong to a machine count only there.
    await mkdir(join(userData, "Machine"), { recursive: true });
    await writeFile(join(userData, "Machine", "settings.json"), JSON.stringify(settings));
    await promisify(execFile)(process.execPath, [...args, "--install-extension", extension], { env: environment });

    const port = await freePort();
    args.push("--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check");
    args.push("--disable-getting-started-override", "--ignore-last-opened", "--disable-workspace-trust");
    const log = join(folder, "code-server.log");
    const child = spawn(process.execPath, args, {
      env: environment,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const file = createWriteStream(log);
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    const server = new CodeServer(`http://127.0.0.1:${port}`, log, child);
    await server.untilHealthy();
    return server;
  }

  async stop(): Promise<void> {
    const { pid } = this.process;
    if (pid === undefined) return;
    signalGroup(pid, "SIGTERM");
    for (let waited = 0; waited < 30_000 && groupLives(pid); waited += 100) await sleep(100);
    signalGroup(pid, "SIGKILL");
  }

  private async untilHealthy(): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (answer?.ok) return;
      if (this.process.exitCode !== null) break;
      await sleep(200);
    }
    await this.stop();
    throw new Error(`code-server does not answer; see ${this.log}`);
  }
}

/** Our environment without what an editor around us has put there, and with bytecode, as installations have it. */
function inherited(): NodeJS.ProcessEnv {
  const isForeign = (name: string): boolean => name.startsWith("VSCODE_") || name === "PYTHONDONTWRITEBYTECODE";
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended by itself.
  }
}
