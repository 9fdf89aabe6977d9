import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { OPERATING_SYSTEM, type OperatingSystem } from "../operatingSystem.ts";

/** How the `benchwright` program was found. */
export interface ServerCommand {
  readonly command: string;
  readonly source: "setting" | "set-up" | "PATH" | "extension";
}

/** Where the program may be. */
export interface Search {
  /** Setting `benchwright.server.command`. */
  readonly setting: string;
  readonly env: NodeJS.ProcessEnv;
  /** The program in the newest environment that the extension has made. */
  readonly managed: string | undefined;
  readonly home?: string;
  readonly system?: OperatingSystem;
}

/** The programs that are there, best first: the setting's, the one of `./run`, PATH's, the extension's own. */
export function findServerCommands(search: Search): ServerCommand[] {
  const { setting, env, managed, home = homedir(), system = OPERATING_SYSTEM } = search;
  const chosen = setting.trim();
  // Another program in its place would surprise whoever chose this one.
  if (chosen) return [{ command: chosen, source: "setting" }];
  const written = readIfPresent(join(dataFolder(env, home), "server-command"));
  const onPath = findOnPath("benchwright", env, system);
  return [
    ...(written && (isProgram(written) || !isAbsolute(written)) ? [{ command: written, source: "set-up" } as const] : []),
    ...(onPath ? [{ command: onPath, source: "PATH" } as const] : []),
    ...(managed ? [{ command: managed, source: "extension" } as const] : []),
  ];
}

/**
 * The first program, unless the person has had the extension install a better match for it.
 *
 * @param isMatch Whether a program's version is the extension's; asked only where there is a choice.
 */
export async function chooseServerCommand(
  found: readonly ServerCommand[],
  isMatch: (command: string) => Promise<boolean>,
): Promise<ServerCommand | undefined> {
  const [first] = found;
  const managed = found.find(({ source }) => source === "extension");
  if (!first || !managed || first === managed || (await isMatch(first.command))) return first;
  return (await isMatch(managed.command)) ? managed : first;
}

function dataFolder(env: NodeJS.ProcessEnv, home: string): string {
  if (env.BENCHWRIGHT_HOME) return join(env.BENCHWRIGHT_HOME, "data");
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "benchwright");
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function findOnPath(name: string, env: NodeJS.ProcessEnv, system: OperatingSystem): string | undefined {
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(Boolean);
  return folders.flatMap((folder) => system.programEndings.map((ending) => join(folder, name + ending))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
