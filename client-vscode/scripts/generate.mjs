// Writes src/generated/protocol.ts from the server's models, and its settings and the commands of panels where VS Code
// looks for them; drops translations that are not used any more.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { writePanels } from "./panels.ts";
import { writeSettings } from "./settings.mjs";
import { dropUnused, translationFiles, untranslated } from "./translations.ts";

const python = process.env.BENCHWRIGHT_PYTHON ?? fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));
const target = new URL("../src/generated/protocol.ts", import.meta.url);

const { operations, settings, sandboxes, questionFormats, distribution, $defs } = JSON.parse(
  execFileSync(python, ["-m", "benchwright_server.references.schema"], { encoding: "utf8" }),
);

for (const model of Object.values($defs)) {
  // A title makes the compiler invent a type alias for every field.
  for (const property of Object.values(model.properties ?? {})) delete property.title;
}

const types = await compile({ $defs }, "Protocol", {
  additionalProperties: false,
  bannerComment: "// Generated from server/benchwright_server/protocol by `npm run generate`: do not edit.",
  unreachableDefinitions: true,
  format: false,
});

const table = Object.entries(operations).map(([name, operation]) => {
  const result = operation.result ?? "void";
  return `  ${name}: { params: ${operation.params}; result: ${result}; request: ${operation.request} };`;
});

const formats = `export const QUESTION_FORMATS = ${JSON.stringify(questionFormats, null, 2)} as const;`;
const name = `export const DISTRIBUTION = ${JSON.stringify(distribution)};`;

mkdirSync(new URL(".", target), { recursive: true });
writeFileSync(
  target,
  `${types}\n/** Every operation: what it takes, what it answers. */\nexport interface Operations {\n${table.join("\n")}\n}\n\n/** Every format of questions. */\n${formats}\n\n/** Benchwright as pip knows it. */\n${name}\n`,
);

writeSettings(settings, sandboxes);

const client = fileURLToPath(new URL("..", import.meta.url));
await writePanels(client, fileURLToPath(new URL("../src/panels.ts", import.meta.url)));
dropUnused(client);
for (const file of translationFiles(client)) {
  for (const key of untranslated(file)) console.log(`${file.path} has no translation of: ${key}`);
}
