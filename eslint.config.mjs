// Lint rules for the TypeScript of the extension and the browser tests.
import eslint from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Sources of which the words are not translated yet; this list only gets shorter. */
const NOT_TRANSLATED = [
  "client-vscode/src/chat.ts",
  "client-vscode/src/chatText.ts",
  "client-vscode/src/installation/failures.ts",
  "client-vscode/src/installation/installer.ts",
  "client-vscode/src/instanceChoice.ts",
  "client-vscode/src/instanceLabel.ts",
  "client-vscode/src/modelServer.ts",
  "client-vscode/src/ownTestText.ts",
  "client-vscode/src/ownTests.ts",
  "client-vscode/src/servedModelText.ts",
  "client-vscode/src/servedModels.ts",
  "client-vscode/src/server.ts",
  "client-vscode/src/serverInstallation.ts",
  "client-vscode/src/testDebugger.ts",
  "client-vscode/src/trace.ts",
  "client-vscode/src/waveforms.ts",
  "client-vscode/src/webview/pages/waveform.ts",
  "client-vscode/src/webview/waveHierarchy.ts",
  "client-vscode/src/webview/waveTable.ts",
];

/** Sources with sentences that nobody reads: a document's frame, and what a broken page throws. */
const WITHOUT_WORDS = ["client-vscode/src/webviewHost.ts", "client-vscode/src/webview/elements.ts"];

const WORDS = "[a-zA-Z]{2,},? [a-zA-Z]{2,}";
/** Around a literal that is translated, or that nobody reads: classes, selectors, parts of a message. */
const NO_WORDS = [
  'CallExpression[callee.name="t"]',
  "BinaryExpression",
  'Property[key.name="class"]',
  'AssignmentExpression[left.property.name="className"]',
  "CallExpression[callee.property.name=/^querySelector/]",
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
    ignores: [...NOT_TRANSLATED, ...WITHOUT_WORDS],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: `:not(${NO_WORDS}) > Literal[value=/${WORDS}/]:not([value="waiting for a judge"])`,
          message: TRANSLATE,
        },
        { selector: `:not(TaggedTemplateExpression) > TemplateLiteral > TemplateElement[value.raw=/${WORDS}/]`, message: TRANSLATE },
      ],
    },
  },
  {
    // What a test expects and does not find fails it either way.
    files: ["client-vscode/test/**", "tests/e2e/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
);
