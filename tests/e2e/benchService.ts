import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { installed } from "./installation.ts";

type Run = (...args: string[]) => Promise<string>;

interface Place {
  /** A PostgreSQL database; else SQLite files in the service's folder. */
  readonly database?: string;
  /** The service's address as its users have it; else where it listens. */
  readonly address?: string;
  /** A file with the models that questions are tried on. */
  readonly questionModels?: string;
}

/** A bench service with one course, in folders of its own. */
export class BenchService {
  /** Its address. */
  readonly url: string;
  /** Joins the course. */
  readonly invitation: string;
  /** Joins it as its owner. */
  readonly ownersInvitation: string;
  /** Runs `benchwright` on the service's machine; returns what it prints. */
  readonly run: Run;
  /** Variables with which programs on the service's machine work on what it has. */
  readonly environment: NodeJS.ProcessEnv;
  private readonly process: ChildProcess;

  private constructor(
    url: string,
    invitations: readonly [string, string],
    environment: NodeJS.ProcessEnv,
    process: ChildProcess,
  ) {
    this.url = url;
    [this.invitation, this.ownersInvitation] = invitations;
    this.environment = environment;
    this.run = runWith(environment);
    this.process = process;
  }

  /** Serves a course without an assignment. */
  static async open(folder: string, place: Place): Promise<BenchService> {
    const create = (run: Run): Promise<string> => run("course", "create", "arch", "--title", "Computer architecture");
    return BenchService.serve(folder, "arch", create, place);
  }

  /** Conducts a study. */
  static async conduct(folder: string, study: string, text: string): Promise<BenchService> {
    await writeFile(join(folder, "study.yaml"), text);
    return BenchService.serve(folder, study, (run) => run("lab", "open", join(folder, "study.yaml")));
  }

  private static async serve(
    folder: string,
    course: string,
    setUp: (run: Run) => Promise<unknown>,
    { database, address, questionModels }: Place = {},
  ): Promise<BenchService> {
    const environment = {
      ...process.env,
      BENCHWRIGHT_HOME: join(folder, "service"),
      ...(database && { BENCHWRIGHT_SERVICE_DATABASE: database }),
      ...(address && { BENCHWRIGHT_SERVICE_ADDRESS: address }),
      ...(questionModels && { BENCHWRIGHT_SERVICE_QUESTION_MODELS: questionModels }),
    };
    const run = runWith(environment);
    await setUp(run);
    const invite = async (role: string): Promise<string> =>
      (await run("course", "invite", course, "--role", role)).split(/\s+/).at(-1)!;
    const invitations = [await invite("participant"), await invite("owner")] as const;
    const serving = spawn(installed().benchwright, ["serve", "--port", "0", "--workers", "1"], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    // What it says goes there, so that nothing fills the pipe.
    serving.stderr.pipe(createWriteStream(BenchService.logOf(folder)));
    for await (const line of createInterface({ input: serving.stderr })) {
      const listening = /Listening on (http:\S+)/.exec(line);
      if (listening) {
        serving.stderr.resume();
        return new BenchService(listening[1]!, invitations, environment, serving);
      }
    }
    throw new Error("The bench service ended before it listened.");
  }

  /** Where what a service says is kept. */
  static logOf(folder: string): string {
    return join(folder, "service.log");
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

function runWith(environment: NodeJS.ProcessEnv): Run {
  return async (...args) => (await promisify(execFile)(installed().benchwright, args, { env: environment })).stdout.trim();
}
