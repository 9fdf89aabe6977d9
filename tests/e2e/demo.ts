import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { installed } from "./installation.ts";

/** A service with a course of invented students, all of whom have worked. */
export class Demo {
  /** Its address. */
  readonly url: string;
  /** Signs its teacher in. */
  readonly code: string;
  private readonly process: ChildProcess;

  private constructor(url: string, code: string, process: ChildProcess) {
    this.url = url;
    this.code = code;
    this.process = process;
  }

  /** Serves it, and waits for the students. */
  static async open(): Promise<Demo> {
    const serving = spawn(installed().benchwright, ["serve", "--demo", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    let [url, code] = ["", ""];
    for await (const line of createInterface({ input: serving.stdout })) {
      url = /students: (http\S+)\/sign-in/.exec(line)?.[1] ?? url;
      code = /teacher with (\S+)/.exec(line)?.[1] ?? code;
      if (line.startsWith("All students have worked")) return new Demo(url, code, serving);
    }
    throw new Error("The demo ended early.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill();
    await ended;
  }
}
