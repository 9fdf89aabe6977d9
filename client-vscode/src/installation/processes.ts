import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { OPERATING_SYSTEM } from "../operatingSystem.ts";

const KILLED_AFTER_MS = 2000;
const KEPT_LINES = 40;

/** How a program ended. */
export interface Ended {
  /** Exit status; null if a signal ended the program. */
  readonly status: number | null;
  /** The last lines of what it printed. */
  readonly output: string;
}

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program and everything it started. */
  readonly signal: AbortSignal;
  readonly onLine?: (line: string) => void;
}

/**
 * Runs a program to its end, in a process group of its own.
 *
 * @throws The system's error if the program does not start; the reason of the signal once the group has ended.
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { env, signal, onLine } = options;
  signal.throwIfAborted();
  const child = spawn(command, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: !OPERATING_SYSTEM.endTree,
    windowsHide: true,
  });
  const kept: string[] = [];
  const keep = (line: string): void => {
    kept.push(line);
    if (kept.length > KEPT_LINES) kept.shift();
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", keep);
  const abort = (): void => endGroup(child);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject).on("close", resolve);
    });
    signal.throwIfAborted();
    return { status, output: kept.join("\n") };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Asks a program and everything it started to end, and ends them if they do not. */
function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (OPERATING_SYSTEM.endTree) {
    OPERATING_SYSTEM.endTree(pid);
    return;
  }
  signalGroup(pid, "SIGTERM");
  const killing = setTimeout(() => signalGroup(pid, "SIGKILL"), KILLED_AFTER_MS);
  child.on("close", () => clearTimeout(killing));
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
