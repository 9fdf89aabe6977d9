import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { installed } from "./installation.ts";

/** A bench service with one course, in folders of its own. */
export class BenchService {
  /** Its address. */
  readonly url: string;
  /** Joins the course. */
  readonly invitation: string;
  private readonly process: ChildProcess;

  private constructor(url: string, invitation: string, process: ChildProcess) {
    this.url = url;
    this.invitation = invitation;
    this.process = process;
  }

  /** Serves a course with one assignment: the starter pack. */
  static async start(folder: string, title: string, due: string): Promise<BenchService> {
    const environment = { ...process.env, BENCHWRIGHT_HOME: join(folder, "service") };
    const run = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(installed().benchwright, args, { env: environment })).stdout.trim();
    await run("course", "create", "arch", "--title", "Computer architecture");
    await run("course", "assign", "arch", "starter", "--title", title, "--due", due);
    const invitation = (await run("course", "invite", "arch")).split(/\s+/).at(-1)!;
    const serving = spawn(installed().benchwright, ["serve", "--port", "0", "--workers", "1"], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    for await (const line of createInterface({ input: serving.stderr })) {
      const listening = /Listening on (http:\S+)/.exec(line);
      if (listening) {
        // Nothing may fill the pipe.
        serving.stderr.resume();
        return new BenchService(listening[1]!, invitation, serving);
      }
    }
    throw new Error("The bench service ended before it listened.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill();
    await ended;
  }
}
