import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { installed } from "./installation.ts";
import { homeOf } from "./session.ts";

/** Runs `benchwright` beside the editor, on the same data; returns what it prints. */
export async function benchwright(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(installed().benchwright, args, {
    env: { ...process.env, BENCHWRIGHT_HOME: homeOf(folder) },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

export interface ListedProblem {
  readonly problem: string;
  readonly title: string;
}

export interface ListedAttempt {
  readonly id: string;
  readonly problem: string;
  readonly state: string;
  readonly runs: number;
  readonly verdict: string | null;
}

export async function listProblems(folder: string): Promise<ListedProblem[]> {
  return JSON.parse(await benchwright(folder, "problems", "list", "--json")) as ListedProblem[];
}

export async function listAttempts(folder: string): Promise<ListedAttempt[]> {
  return JSON.parse(await benchwright(folder, "attempts", "list", "--json")) as ListedAttempt[];
}
