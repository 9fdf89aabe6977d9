// Lint rules for the TypeScript of the extension and the browser tests.
import eslint from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/**
 * Sources with sentences that no person reads, or that the manifest translates: titles of commands, a document's frame,
 * what a broken page throws, answers to programs.
 */
const WITHOUT_WORDS = [
  "client-vscode/src/panels.ts",
  "client-vscode/src/webviewHost.ts",
  "client-vscode/src/webview/elements.ts",
  "client-vscode/src/assistants/modelServer.ts",
];

/** Calls whose words stay as they are: logs are read in reports of errors, so they and their names are English. */
const LOGGING = ["CallExpression[callee.name=log]", "CallExpression[callee.property.name=/^(info|createOutputChannel)$/]"];

const WORDS = "[a-zA-Z]{2,},? [a-zA-Z]{2,}";
/** Around a literal that is translated, or that nobody reads: classes, selectors, parts of a message. */
const NO_WORDS = [
  'CallExpression[callee.name="t"]',
  'CallExpression[callee.name="t"] BinaryExpression',
  'BinaryExpression[operator!="+"]',
  'Property[key.name="class"]',
  'AssignmentExpression[left.property.name="className"]',
  "CallExpression[callee.property.name=/^querySelector/]",
  ...LOGGING,
].join(", ");
const TRANSLATE = "Give words that people read to `t` of @vscode/l10n, and translate them in l10n/.";

export default defineConfig(
  globalIgnores(["**/out/", "**/generated/", "**/artifacts/"]),
  {
    files: ["**/*.ts"],
    extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: "test" }] },
      ],
      // An empty string is often to be replaced as well.
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true } }],
    },
  },
  {
    files: ["client-vscode/src/**/*.ts"],
    ignores: WITHOUT_WORDS,
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: `:not(${NO_WORDS}) > Literal[value=/${WORDS}/]:not([value=/^left out$/]):not(.key)`,
          message: TRANSLATE,
        },
        { selector: `:not(${["TaggedTemplateExpression", ...LOGGING].join(", ")}) > TemplateLiteral > TemplateElement[value.raw=/${WORDS}/]`, message: TRANSLATE },
      ],
    },
  },
  {
    // What a test expects and does not find fails it either way.
    files: ["client-vscode/test/**", "tests/e2e/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
