import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { installed } from "./installation.ts";

type Run = (...args: string[]) => Promise<string>;

/** A bench service with one course, in folders of its own. */
export class BenchService {
  /** Its address. */
  readonly url: string;
  /** Joins the course. */
  readonly invitation: string;
  /** Joins it as its owner. */
  readonly ownersInvitation: string;
  private readonly process: ChildProcess;

  private constructor(url: string, invitations: readonly [string, string], process: ChildProcess) {
    this.url = url;
    [this.invitation, this.ownersInvitation] = invitations;
    this.process = process;
  }

  /** Serves a course with one assignment: the starter pack. */
  static async start(folder: string, title: string, due: string): Promise<BenchService> {
    return BenchService.serve(folder, "arch", async (run) => {
      await run("course", "create", "arch", "--title", "Computer architecture");
      await run("course", "assign", "arch", "starter", "--title", title, "--due", due);
    });
  }

  /** Conducts a study. */
  static async conduct(folder: string, study: string, text: string): Promise<BenchService> {
    await writeFile(join(folder, "study.yaml"), text);
    return BenchService.serve(folder, study, (run) => run("lab", "open", join(folder, "study.yaml")));
  }

  private static async serve(folder: string, course: string, setUp: (run: Run) => Promise<unknown>): Promise<BenchService> {
    const environment = { ...process.env, BENCHWRIGHT_HOME: join(folder, "service") };
    const run: Run = async (...args) =>
      (await promisify(execFile)(installed().benchwright, args, { env: environment })).stdout.trim();
    await setUp(run);
    const invite = async (role: string): Promise<string> =>
      (await run("course", "invite", course, "--role", role)).split(/\s+/).at(-1)!;
    const invitations = [await invite("participant"), await invite("owner")] as const;
    const serving = spawn(installed().benchwright, ["serve", "--port", "0", "--workers", "1"], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    for await (const line of createInterface({ input: serving.stderr })) {
      const listening = /Listening on (http:\S+)/.exec(line);
      if (listening) {
        // Nothing may fill the pipe.
        serving.stderr.resume();
        return new BenchService(listening[1]!, invitations, serving);
      }
    }
    throw new Error("The bench service ended before it listened.");
  }

  /** Lets it answer nobody. */
  pause(): void {
    this.process.kill("SIGSTOP");
  }

  /** Lets it answer again. */
  goOn(): void {
    this.process.kill("SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill();
    await ended;
  }
}
