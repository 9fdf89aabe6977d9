import { alone } from "./arithmetic.ts";
import { minutes, type Section, type Walked } from "./walkedStudy.ts";

const DASH = "–";

/** The groups beside each other. */
export function sideBySide(walked: Walked): Omit<Section, "role"> {
  const { pass, failed, gaveUp } = minutes(walked);
  const person = {
    ...{ subjects: [], registered: null, bound: "", model: "", tokens: null, cost_usd: null },
    ...{ reported_minutes: null, reported_minutes_to_pass: null },
  };
  const rounded = (value: number): string => value.toFixed(2);
  return {
    title: "Side by side",
    says: [
      "Not every group worked on the same problems, so compare shares and times only of columns with the same problems.",
    ],
    without: null,
    numbers: {
      columns: {
        alone: {
          ...{ ...person, solver: "human", attempts: 2, problems: 2, solved: alone(0.5), failures: { gave_up: 1 } },
          ...{ minutes_to_pass: alone(pass), minutes: alone((pass + gaveUp) / 2), times: { clock: 2 } },
        },
        copilot: {
          ...{ ...person, solver: "human+copilot", attempts: 1, problems: 1, solved: alone(0), failures: { tests_failed: 1 } },
          ...{ minutes_to_pass: alone(null), minutes: alone(failed), times: { clock: 1 } },
        },
      },
      missing: [],
    },
    tables: [
      {
        title: "Solved",
        columns: ["group", "attempts", "solved (95 % interval)"],
        rows: [
          ["alone", 2, "50 %"],
          ["copilot", 1, "0 %"],
        ],
      },
      {
        title: "Side by side",
        columns: ["measure", "alone", "copilot"],
        rows: [
          ["solver", "human", "human+copilot"],
          ["subject", DASH, DASH],
          ["policy", DASH, DASH],
          ["model", DASH, DASH],
          ["attempts", 2, 1],
          ["problems", 2, 1],
          ["solved (95 % interval)", "50 %", "0 %"],
          ["median minutes to the first pass (95 % interval)", rounded(pass), DASH],
          ["mean minutes, solved or not (95 % interval)", rounded((pass + gaveUp) / 2), rounded(failed)],
          ["times", "2 on the clock", "1 on the clock"],
          ["tokens per attempt", DASH, DASH],
          ["US$ per attempt", DASH, DASH],
        ],
      },
      {
        title: "Not solved, by kind of failure",
        columns: ["group", "kind", "attempts"],
        rows: [
          ["alone", "gave up", 1],
          ["copilot", "tests failed", 1],
        ],
      },
    ],
    pictures: [
      {
        id: "solved-side-by-side",
        title: "Solved, side by side",
        alt: "Share solved by each group. alone: 50 %. copilot: 0 %.",
      },
    ],
  };
}

/** The one completion that was offered and taken; a slow machine has the editor ask more often, while it types. */
export function assistance({ fifo }: Walked): Omit<Section, "role"> {
  const times = fifo.of("assist_asked").map(({ latency_ms }) => latency_ms!).sort((one, other) => one - other);
  const asked = times.length;
  const quantile = (level: number): number => times[Math.ceil(level * asked) - 1]!;
  const over = (limit: number): number => times.filter((time) => time > limit).length / asked;
  const share = (value: number): string => `${(100 * value).toFixed(1)} %`.replace(".0 %", " %");
  const shares = [200, 500, 2000].map((limit) => share(over(limit)));
  return {
    title: "Completions offered and taken",
    says: [],
    without: null,
    numbers: {
      funnel: {
        copilot: {
          ...{ attempts: 1, asked, shown: 1, accepted: 1, partly: 0 },
          ...{ shown_share: alone(1 / asked), accepted_share: alone(1), partly_share: alone(0), retained: alone(1) },
        },
      },
      latency: {
        copilot: {
          ...{ requests: asked, given_up: 0, p50_ms: alone(quantile(0.5)), p95_ms: alone(quantile(0.95)) },
          over: { 200: over(200), 500: over(500), 2000: over(2000) },
        },
      },
    },
    tables: [
      {
        title: "From request to text that stays",
        columns: [
          ...["group", "attempts", "asked", "shown", "accepted", "partly"],
          ...["shown / asked", "accepted / shown", "partly / accepted", "retained"],
        ],
        rows: [["copilot", 1, asked, 1, 1, 0, share(1 / asked), "100 %", "0 %", "100 %"]],
      },
      {
        title: "Latency",
        columns: ["subject", "requests", "given up", "p50 (ms)", "p95 (ms)", "over 200 ms", "over 500 ms", "over 2000 ms"],
        rows: [["copilot", asked, 0, quantile(0.5).toFixed(1), quantile(0.95).toFixed(1), ...shares]],
      },
    ],
    pictures: [],
  };
}
