import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { BrowserContext } from "playwright-core";
import type { BenchService } from "./benchService.ts";
import type { Editor } from "./editor.ts";
import { installed } from "./installation.ts";
import { homeOf, Session } from "./session.ts";

/** An editor in which somebody is who has a browser and nothing else. */
export interface EditorInBrowser extends AsyncDisposable {
  readonly editor: Editor;
  /** Has everything that its machine was given. */
  readonly folder: string;
  /** Lets everything be written that the editor writes; the folder stays. */
  close(): Promise<void>;
}

/** Lets somebody into an editor that is in the course already. */
export type EnterEditor = (
  service: BenchService,
  address: string,
  person: string,
  watch: (context: BrowserContext) => void,
) => Promise<EditorInBrowser>;

/** Signs an editor in as a hub does before it shows it: with a token that the service's machine makes. */
export const enterByToken: EnterEditor = async (service, address, person, watch) => {
  const folder = await Session.prepare();
  await loggedIn(folder, service, address, person);
  const session = await Session.begin(folder, { watch, settings: PLAIN_TYPING });
  return {
    editor: session.editor,
    folder,
    close: () => session.close(),
    [Symbol.asyncDispose]: () => session.end(),
  };
};

/** Signs a session that has not begun in, with a token that the service's machine makes. */
export async function loggedIn(folder: string, service: BenchService, address: string, person: string): Promise<void> {
  const token = await service.run("course", "token", "arch", person, "--name", person);
  await promisify(execFile)(installed().benchwright, ["login", address], {
    env: { ...process.env, BENCHWRIGHT_HOME: homeOf(folder), BENCHWRIGHT_TOKEN: token },
  });
}

/** Settings with which keys do what they say. */
export const PLAIN_TYPING = {
  "editor.autoClosingBrackets": "never",
  "editor.autoIndent": "none",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
};
