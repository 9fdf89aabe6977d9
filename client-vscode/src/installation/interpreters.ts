import { OPERATING_SYSTEM, type OperatingSystem } from "../operatingSystem.ts";
import { run, type RunOptions } from "./processes.ts";

/** A command that may start Python. */
export interface Candidate {
  readonly command: string;
  readonly args: readonly string[];
}

/** A Python that was tried. */
export interface Interpreter extends Candidate {
  /** Path of the interpreter itself. */
  readonly path: string;
  readonly version: readonly [major: number, minor: number];
  /** Whether it can create environments: Debian packages that separately. */
  readonly hasVenv: boolean;
}

const MINORS = [13, 12, 11];
const OLDEST_MINOR = 11;

const PROBE = String.raw`import importlib.util, sys; print(sys.version_info[0], sys.version_info[1], int(importlib.util.find_spec('ensurepip') is not None), sys.executable)`;

/** Commands that may start Python, best first. */
export function candidates(chosen?: string, system: OperatingSystem = OPERATING_SYSTEM): Candidate[] {
  const commands = system.pythonCommands(MINORS).map(([command = "", ...args]) => ({ command, args }));
  return chosen === undefined ? commands : [{ command: chosen, args: [] }, ...commands];
}

/** What the probe printed, taken apart; undefined if it is something else. */
export function parseProbe(candidate: Candidate, output: string): Interpreter | undefined {
  const [, major, minor, venv, path] = /^(\d+) (\d+) ([01]) (.+)$/m.exec(output) ?? [];
  if (path === undefined) return undefined;
  return { ...candidate, path: path.trim(), version: [Number(major), Number(minor)], hasVenv: venv === "1" };
}

export function isRecentEnough({ version: [major, minor] }: Pick<Interpreter, "version">): boolean {
  return major === 3 && minor >= OLDEST_MINOR;
}

/** The first Python that is recent enough and can create environments, else one that is only recent enough. */
export async function findInterpreter(
  tried: readonly Candidate[],
  options: Pick<RunOptions, "env" | "signal">,
): Promise<Interpreter | undefined> {
  let second: Interpreter | undefined;
  for (const candidate of tried) {
    const found = await probe(candidate, options);
    if (!found || !isRecentEnough(found)) continue;
    if (found.hasVenv) return found;
    second ??= found;
  }
  return second;
}

async function probe(candidate: Candidate, options: Pick<RunOptions, "env" | "signal">): Promise<Interpreter | undefined> {
  try {
    const { status, output } = await run(candidate.command, [...candidate.args, "-c", PROBE], options);
    return status === 0 ? parseProbe(candidate, output) : undefined;
  } catch {
    options.signal.throwIfAborted();
    return undefined;
  }
}
