import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, existsSync } from "node:fs";
import { chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./codeServer.ts";
import { Editor } from "./editor.ts";
import { PLAIN_TYPING, type EnterEditor } from "./editorInBrowser.ts";
import { installed, ROOT } from "./installation.ts";
import { launch } from "./session.ts";

const CLASS = join(ROOT, "setup", "browser-class");
const TOOLS = "/opt/benchwright-class-test";
const PASSWORD = "class-secret";
const PATIENCE_S = 180;

/** Whether a hub can run here; else why not. */
export function canServe(): string | false {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/usr/sbin/useradd") || !existsSync("/var/cache/benchwright/code-server")) {
    return "needs root, useradd, and an editor that ./run --setup has installed as root";
  }
  return false;
}

/** Signs somebody in at JupyterHub, as `setup/browser-class` sets it up, which shows an editor of a user's own. */
export const enterByHub: EnterEditor = async (service, address, person, watch) => {
  execFileSync("sh", [join(CLASS, "install.sh"), TOOLS], { timeout: 600_000, stdio: "ignore" });
  const folder = await mkdtemp(join(tmpdir(), "benchwright-hub-"));
  const port = await freePort();
  const hub = spawn(
    "unshare",
    [
      ..."--mount --propagation private --pid --fork --kill-child --mount-proc sh".split(" "),
      join(ROOT, "tests", "support", "service", "browser_class.sh"),
      join(TOOLS, "hub", "bin", "jupyterhub"),
      "-f",
      join(CLASS, "jupyterhub_config.py"),
    ],
    {
      cwd: folder,
      env: {
        ...service.environment,
        PATH: `${dirname(installed().benchwright)}:${process.env.PATH!}`,
        CLASS_TOOLS: TOOLS,
        CLASS_COURSE: "arch",
        CLASS_SERVICE: address,
        CLASS_PORT: `${port}`,
        CLASS_PASSWORD: PASSWORD,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const log = createWriteStream(join(folder, "log"));
  hub.stdout.pipe(log, { end: false });
  hub.stderr.pipe(log, { end: false });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${url}/hub/login`, hub, join(folder, "log"));
  const home = join(await rootOf(hub), "home", person);
  await giveSettings(home);

  const browser = await launch();
  const context = await browser.newContext({
    viewport: { width: 1600, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  watch(context);
  const page = await context.newPage();
  const editor = new Editor(page);
  await page.goto(url);
  await page.getByLabel("Username").fill(person);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((at) => at.pathname.startsWith("/user/"), { timeout: PATIENCE_S * 1000 });
  await page.goto(`${url}/user/${person}/?folder=/home/${person}/benchwright-workspaces`);
  await editor.untilReady();
  return {
    editor,
    folder: home,
    close: () => browser.close(),
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      hub.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

async function untilItAnswers(url: string, hub: ChildProcess, log: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_S && hub.exitCode === null; waited += 0.5) {
    if (await fetch(url).then(({ ok }) => ok).catch(() => false)) return;
    await sleep(500);
  }
  throw new Error(`The hub does not answer: ${(await readFile(log, "utf8")).slice(-3000)}`);
}

/** The root folder of the machine within this one that the hub runs on. */
async function rootOf(hub: ChildProcess): Promise<string> {
  const children = await readFile(`/proc/${hub.pid!}/task/${hub.pid!}/children`, "utf8");
  return `/proc/${children.trim()}/root`;
}

async function giveSettings(home: string): Promise<void> {
  const { uid, gid } = await stat(home);
  let folder = home;
  for (const part of [".local", "share", "code-server", "User"]) {
    folder = join(folder, part);
    await mkdir(folder);
    await chown(folder, uid, gid);
  }
  await writeFile(join(folder, "settings.json"), JSON.stringify({ ...PLAIN_TYPING, "editor.pasteAs.enabled": false }));
}
