import { t } from "@vscode/l10n";
import { OPERATING_SYSTEM } from "../operatingSystem.ts";
import type { Environments } from "./environments.ts";
import { explain, InstallationError, type Step } from "./failures.ts";
import { candidates, findInterpreter } from "./interpreters.ts";
import { run } from "./processes.ts";
import { requirement } from "./requirement.ts";

/** What to install, and how to report on it. */
export interface InstallationRequest {
  readonly environments: Environments;
  /** Version of the extension. */
  readonly version: string;
  /** Setting `benchwright.install.source`. */
  readonly source: string;
  /** The Python that is chosen in the editor, if one is. */
  readonly interpreter: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Cancels the installation. */
  readonly signal: AbortSignal;
  /** What is happening, in a few words. */
  readonly report: (step: string) => void;
  readonly log: (line: string) => void;
}

/** Creates environments and installs packages into them: uv, or Python's own modules. */
interface Tool {
  readonly name: string;
  readonly create: (folder: string) => readonly string[];
  readonly install: (folder: string) => readonly string[];
}

/** Variables that would make pip or uv install to another place, or Python look there. */
const MISLEADING = ["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX"];

/**
 * Installs Benchwright into a new environment, which becomes the newest one.
 *
 * @returns The version that was installed.
 * @throws InstallationError with the next step, or the reason of the signal; nothing half-made is left behind.
 */
export async function install(request: InstallationRequest): Promise<string> {
  const installation = new Installation(request);
  const tool = await installation.findTool();
  const folder = await request.environments.begin(request.version);
  try {
    const version = await installation.fill(folder, tool);
    await request.environments.finish(folder, version);
    await request.environments.removeOld();
    return version;
  } catch (error) {
    await request.environments.remove(folder);
    throw error;
  }
}

class Installation {
  private readonly request: InstallationRequest;
  private readonly env: NodeJS.ProcessEnv;

  constructor(request: InstallationRequest) {
    this.request = request;
    const kept = Object.entries(request.env).filter(([name]) => !MISLEADING.includes(name.toUpperCase()));
    this.env = Object.fromEntries(kept);
  }

  async findTool(): Promise<Tool> {
    const { log } = this.request;
    this.announce(t("Looking for uv or Python…"));
    if (await this.hasUv()) return this.uv();
    const tried = candidates(this.request.interpreter);
    const found = await findInterpreter(tried, { env: this.env, signal: this.request.signal });
    if (!found) {
      const names = [...new Set(tried.map(({ command }) => command))].join(", ");
      log(`None of these is Python 3.11 or newer: ${names}`);
      throw new InstallationError(t("Python 3.11 or newer was not found. Install Python or uv, then try again."));
    }
    const version = found.version.join(".");
    if (!found.hasVenv) {
      throw new InstallationError(
        t(
          "Python {0} ({1}) can't create environments. Install the package python{0}-venv, or uv, then try again.",
          version,
          found.path,
        ),
      );
    }
    return this.python(found.path, version);
  }

  /** Makes a complete environment of an empty folder; returns the version of what is in it. */
  async fill(folder: string, tool: Tool): Promise<string> {
    const { report } = this.request;
    this.announce(t("Creating an environment with {0}…", tool.name));
    await this.step("environment", tool.create(folder));
    this.announce(t("Installing packages…"));
    await this.step("packages", tool.install(folder), (line) => {
      const progress = progressOf(line);
      if (progress) report(progress);
    });
    this.announce(t("Checking the installation…"));
    const printed = await this.step("check", [OPERATING_SYSTEM.programIn(folder, "benchwright"), "--version"]);
    return printed.trim();
  }

  private announce(step: string): void {
    this.request.report(step);
    this.request.log(step);
  }

  private async hasUv(): Promise<boolean> {
    try {
      return (await run("uv", ["--version"], { env: this.env, signal: this.request.signal })).status === 0;
    } catch {
      this.request.signal.throwIfAborted();
      return false;
    }
  }

  private uv(): Tool {
    const { version, source } = this.request;
    return {
      name: "uv",
      create: (folder) => ["uv", "venv", "--allow-existing", "--no-project", "--python", ">=3.11", folder],
      install: (folder) => {
        const python = OPERATING_SYSTEM.programIn(folder, "python");
        return ["uv", "pip", "install", "--python", python, ...requirement(version, source)];
      },
    };
  }

  private python(path: string, pythonVersion: string): Tool {
    const { version, source } = this.request;
    return {
      name: `Python ${pythonVersion}`,
      create: (folder) => [path, "-m", "venv", folder],
      install: (folder) => [
        OPERATING_SYSTEM.programIn(folder, "python"),
        ...["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--progress-bar", "off"],
        ...requirement(version, source),
      ],
    };
  }

  private async step(step: Step, command: readonly string[], onLine?: (line: string) => void): Promise<string> {
    const { signal, log, version, source } = this.request;
    const [program = "", ...args] = command;
    log(`> ${command.join(" ")}`);
    const heard = (line: string): void => {
      log(line);
      onLine?.(line);
    };
    const { status, output } = await run(program, args, { env: this.env, signal, onLine: heard }).catch((error: unknown) => {
      signal.throwIfAborted();
      return { status: null, output: String(error) };
    });
    if (status === 0) return output;
    log(`Ended with status ${String(status)}.`);
    if (output === "") log("It printed nothing.");
    throw new InstallationError(explain(step, output, requirement(version, source).at(-1) ?? ""));
  }
}

/** What pip and uv do with a package, by the word that their line begins with. */
const PROGRESS: ReadonlyMap<string, (name: string) => string> = new Map([
  ["Collecting", (name) => t("Collecting {0}…", name)],
  ["Downloading", (name) => t("Downloading {0}…", name)],
  ["Building", (name) => t("Building {0}…", name)],
  ["Installing", (name) => t("Installing {0}…", name)],
]);

/** What a line of pip or uv says of its progress, in a few words. */
export function progressOf(line: string): string | undefined {
  const [, what = "", name] = /^\s*(\w+)\s+(\S+)/.exec(line) ?? [];
  if (!name) return undefined;
  // pip: "Installing collected packages: ".
  if (what === "Installing" && name === "collected") return t("Installing packages…");
  return PROGRESS.get(what)?.(name.split("/").at(-1) ?? name);
}
