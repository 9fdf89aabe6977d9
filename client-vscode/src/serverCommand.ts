import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** How the `benchwright` program was found. */
export interface ServerCommand {
  readonly command: string;
  readonly source: "setting" | "set-up" | "PATH";
}

/** The setting, else what set-up wrote into the data folder, else `benchwright` on PATH. */
export function findServerCommand(setting: string, env: NodeJS.ProcessEnv, home: string = homedir()): ServerCommand {
  const chosen = setting.trim();
  if (chosen) return { command: chosen, source: "setting" };
  const written = readIfThere(join(dataFolder(env, home), "server-command"));
  if (written) return { command: written, source: "set-up" };
  return { command: "benchwright", source: "PATH" };
}

function dataFolder(env: NodeJS.ProcessEnv, home: string): string {
  if (env.BENCHWRIGHT_HOME) return join(env.BENCHWRIGHT_HOME, "data");
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "benchwright");
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
