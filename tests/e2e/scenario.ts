import { test, type TestContext } from "node:test";
import { Session } from "./session.ts";

/** Why a test is skipped that takes long; undefined at night. */
export const ONLY_NIGHTLY = process.env.BENCHWRIGHT_NIGHTLY ? undefined : "takes long: ./test --nightly runs it";

interface Options {
  /** Why the scenario can't be played here, if it can't. */
  readonly skip?: string | undefined;
  /** Prepares the folders of the session before the editor starts. */
  readonly before?: (folder: string) => Promise<void>;
  /** The folder that the editor opens at first, from the session's folder; else that of all workspaces. */
  readonly opened?: (folder: string) => string;
  /** Settings of the person, beside those of every session. */
  readonly settings?: object | ((folder: string) => object);
  /** Variables of the editor; else only that of Benchwright's home. */
  readonly environment?: (folder: string) => Readonly<Record<string, string>>;
}

/**
 * Plays something, and once more from its start where it fails: the editor's own pages do not always load on a busy machine.
 *
 * The log says why the first try failed.
 */
export async function twice(context: TestContext, play: () => Promise<void>): Promise<void> {
  try {
    await play();
  } catch (error) {
    context.diagnostic(`try 1 failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    await play();
  }
}

/** A test that is one editing session; a picture is kept of how it looked when it failed. See `twice`. */
export function scenario(name: string, options: Options, play: (session: Session) => Promise<void>): void {
  test(name, { skip: options.skip ?? false, timeout: 30 * 60 * 1000 }, (context) =>
    twice(context, () => playOnce(name, options, play)),
  );
}

async function playOnce(name: string, options: Options, play: (session: Session) => Promise<void>): Promise<void> {
  const folder = await Session.prepare();
  await options.before?.(folder);
  const { opened, settings, environment } = options;
  const session = await Session.begin(folder, {
    ...(opened && { opened: opened(folder) }),
    ...(settings && { settings: typeof settings === "function" ? (settings as (folder: string) => object)(folder) : settings }),
    ...(environment && { environment: environment(folder) }),
  });
  try {
    await play(session);
  } catch (error) {
    // A session that was closed already has nothing to show.
    await session.editor.picture(`failed-${name.replace(/\W+/g, "-")}`).catch(() => undefined);
    throw error;
  } finally {
    await session.end();
  }
}
