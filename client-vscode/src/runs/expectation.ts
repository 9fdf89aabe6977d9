/** What a failed test expected, and what it got instead. */
export interface Expectation {
  readonly expected: string;
  readonly got: string;
}

const VALUE = String.raw`(?:"[^"]*"|'[^']*'|[^\s,;()]+)`;
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`\bexpected[:=]?\s+(?<expected>${VALUE})[,;]?\s+(?:but\s+)?(?:got|was|found|is|saw|received)[:=]?\s+(?<got>${VALUE})`, "i"),
  new RegExp(String.raw`\b(?:got|was|is|found|saw|received)[:=]?\s+(?<got>${VALUE})[,;]?\s+(?:but\s+)?(?:expected|instead of|should be)[:=]?\s+(?<expected>${VALUE})`, "i"),
  new RegExp(String.raw`^\s*assert\s+(?<got>${VALUE})\s*==\s*(?<expected>${VALUE})\s*$`, "m"),
];

/** Reads both values from a failure message; undefined where it does not name them clearly. */
export function expectation(message: string): Expectation | undefined {
  for (const form of FORMS) {
    const { expected, got } = form.exec(message)?.groups ?? {};
    if (expected !== undefined && got !== undefined) return { expected: trimmed(expected), got: trimmed(got) };
  }
  return undefined;
}

function trimmed(value: string): string {
  return value.replace(/[.:]$/, "");
}
