import { spawn } from "node:child_process";
import { join } from "node:path";

/** What differs between operating systems where programs are found, started and ended. */
export interface OperatingSystem {
  /** Endings that the names of programs may have. */
  readonly programEndings: readonly string[];
  /** Path of a program in an environment of Python. */
  readonly programIn: (environment: string, name: string) => string;
  /** Commands that may start Python, with their arguments, best first. */
  readonly pythonCommands: (minors: readonly number[]) => readonly string[][];
  /** Ends a program and everything it started; undefined where a process group does it. */
  readonly endTree?: (pid: number) => void;
}

export const WINDOWS: OperatingSystem = {
  programEndings: [".exe", ".cmd"],
  programIn: (environment, name) => join(environment, "Scripts", `${name}.exe`),
  pythonCommands: (minors) => [...minors.map((minor) => ["py", `-3.${minor}`]), ["py", "-3"], ["python"]],
  endTree: (pid) => void spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }),
};

export const POSIX: OperatingSystem = {
  programEndings: [""],
  programIn: (environment, name) => join(environment, "bin", name),
  pythonCommands: (minors) => [...minors.map((minor) => [`python3.${minor}`]), ["python3"], ["python"]],
};

export const OPERATING_SYSTEM = process.platform === "win32" ? WINDOWS : POSIX;
