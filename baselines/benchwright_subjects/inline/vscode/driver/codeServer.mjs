// code-server in folders of its own, with extensions, asking nobody outside for anything.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const SETTINGS = {
  // Else the copilot that comes with the editor runs beside the extension that is measured.
  "chat.disableAIFeatures": true,
  "editor.acceptSuggestionOnEnter": "off",
  "editor.autoClosingBrackets": "never",
  "editor.autoIndent": "none",
  "editor.fontSize": 10,
  "editor.formatOnType": false,
  "editor.inlineSuggest.enabled": true,
  "editor.minimap.enabled": false,
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.renderWhitespace": "none",
  "editor.suggestOnTriggerCharacters": false,
  "editor.wordWrap": "off",
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "files.eol": "\n",
  "git.enabled": false,
  "remote.autoForwardPorts": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.activityBar.location": "hidden",
  "workbench.editor.useModal": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

const HEALTH_TRIES = 300;

/** Starts it; answers its port and the cookie that lets a browser in. */
export async function startCodeServer({ command, home, extensions, settings, driver }) {
  const [program, ...first] = command;
  const folder = join(home, "editor");
  const userData = join(folder, "user-data");
  const places = ["--config", join(folder, "config.yaml"), "--user-data-dir", userData];
  places.push("--extensions-dir", join(folder, "extensions"));
  const password = randomBytes(16).toString("hex");
  const environment = {
    ...process.env,
    EXTENSIONS_GALLERY: "{}",
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
  };
  for (const name of ["User", "Machine"]) {
    await mkdir(join(userData, name), { recursive: true });
    await writeFile(join(userData, name, "settings.json"), JSON.stringify({ ...SETTINGS, ...settings }));
  }
  const installing = extensions.flatMap((file) => ["--install-extension", file]);
  if (installing.length > 0) {
    await promisify(execFile)(program, [...first, ...places, ...installing, "--force"], { env: environment }).catch((error) => {
      throw new Error(`the editor refused the extension: ${String(error.stderr || error.message).slice(-300)}`);
    });
  }
  await driver(join(folder, "extensions"));

  const port = await freePort();
  const options = ["--auth", "password", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"];
  options.push("--disable-getting-started-override", "--ignore-last-opened", "--disable-workspace-trust");
  const child = spawn(program, [...first, ...places, ...options], {
    env: { ...environment, PASSWORD: password },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(join(folder, "code-server.log"));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(`${address}/healthz`).catch(() => undefined);
    if (answer?.ok) break;
    if (child.exitCode !== null || tries === HEALTH_TRIES) throw new Error("code-server does not answer");
    await sleep(100);
  }
  const answer = await fetch(`${address}/login`, {
    method: "POST",
    body: new URLSearchParams({ password }),
    redirect: "manual",
  });
  const cookie = /^([^=]+)=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? "");
  if (cookie === null) throw new Error("code-server does not let its own driver in");
  return { port, cookie: { name: cookie[1], value: decodeURIComponent(cookie[2]) } };
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
