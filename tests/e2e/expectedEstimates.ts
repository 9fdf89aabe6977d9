import { alone, mean, number, percent, share, significant, spearman, sum, type Interval } from "./arithmetic.ts";
import type { LoggedAttempt } from "./studyReport.ts";
import { ALL, NONE, minutes, type Section, type Walked } from "./walkedStudy.ts";

/** The section about forecasts and self-estimates. */
export function estimates(walked: Walked): Omit<Section, "role"> {
  const { pass, failed, gaveUp } = minutes(walked);
  const times = [pass, failed, gaveUp];
  const ratio = (said: number): object => ({
    attempts: 1,
    left_out: 1,
    ratio: alone(pass / said),
    spread: null,
    within_factor_2: share(Number(pass / said >= 0.5 && pass / said <= 2), 1),
    rank_correlation: alone(null),
  });
  const untold = {
    attempts: 0,
    left_out: 1,
    ratio: alone(null),
    spread: null,
    within_factor_2: share(0, 0),
    rank_correlation: alone(null),
  };
  const bin = (low: number, mean_forecast: number, passed: typeof ALL): object => {
    return { low, high: low + 0.2, mean_forecast, outcome: passed };
  };
  const brier = (said: readonly number[], happened: readonly number[]): Interval =>
    alone(mean(said.map((chance, place) => (chance - happened[place]!) ** 2)));
  // Murphy (1973): half or none solved, each bin with nothing but passes or nothing but failures.
  const half = { resolution: 1 / 4, uncertainty: 1 / 4 };
  const none = { resolution: 0, uncertainty: 0 };
  const [difficultyBefore, difficultyAfter] = [spearman([2, 4, 5], times), spearman([3, 5, 5], times)];
  const rows = (what: string, said: number): unknown[][] => [
    [what, "alone", 1, 1, significant(pass / said, 3), "0 %", "–"],
    [what, "copilot", 0, 1, "–", "–", "–"],
  ];
  return {
    title: "Forecasts and self-estimates",
    says: [],
    without: null,
    numbers: {
      "forecast_minutes, alone": ratio(12),
      "forecast_minutes, copilot": untold,
      "self_minutes, alone": ratio(10),
      "self_minutes, copilot": untold,
      "forecast_success, alone": {
        forecasts: 2,
        brier: brier([0.75, 0.1], [1, 0]),
        reliability: (0.25 ** 2 + 0.1 ** 2) / 2,
        ...half,
        ece: (0.25 + 0.1) / 2,
        bins: [bin(0, 0.1, NONE), bin(0.6, 0.75, ALL)],
      },
      "forecast_success, copilot": {
        forecasts: 1,
        brier: brier([0.5], [0]),
        reliability: 0.5 ** 2,
        ...none,
        ece: 0.5,
        bins: [bin(0.4, 0.5, NONE)],
      },
      "self_success, alone": {
        forecasts: 2,
        brier: brier([0.95, 0], [1, 0]),
        reliability: 0.05 ** 2 / 2,
        ...half,
        ece: 0.05 / 2,
        bins: [bin(0, 0, NONE), bin(0.8, 0.95, ALL)],
      },
      "self_success, copilot": {
        forecasts: 1,
        brier: brier([0.05], [0]),
        reliability: 0.05 ** 2,
        ...none,
        ece: 0.05,
        bins: [bin(0, 0.05, NONE)],
      },
      forecast_difficulty: alone(difficultyBefore),
      self_difficulty: alone(difficultyAfter),
    },
    tables: [
      {
        title: "Time: estimated and actual",
        columns: [
          ...["what", "condition", "attempts", "left out"],
          ...["actual / estimated", "within a factor of 2", "rank order"],
        ],
        rows: [...rows("forecast of time", 12), ...rows("estimate of time afterwards", 10)],
      },
      {
        title: "Chance to solve it: said and happened",
        columns: ["asked", "condition", "said", "attempts", "mean of what was said", "solved (95 % interval)"],
        rows: [
          ["before the start", "alone", "0 % to 20 %", 1, "10 %", "0 %"],
          ["before the start", "alone", "60 % to 80 %", 1, "75 %", "100 %"],
          ["before the start", "copilot", "40 % to 60 %", 1, "50 %", "0 %"],
          ["after submitting", "alone", "0 % to 20 %", 1, "0 %", "0 %"],
          ["after submitting", "alone", "80 % to 100 %", 1, "95 %", "100 %"],
          ["after submitting", "copilot", "0 % to 20 %", 1, "5 %", "0 %"],
        ],
      },
      {
        title: "Chance to solve it: scores",
        columns: [
          ...["asked", "condition", "attempts", "Brier score (95 % interval)"],
          ...["reliability", "resolution", "uncertainty", "calibration error"],
        ],
        rows: [
          ["before the start", "alone", 2, "0.036", "0.036", "0.250", "0.250", "17.5 %"],
          ["before the start", "copilot", 1, "0.250", "0.250", "0.000", "0.000", "50 %"],
          ["after submitting", "alone", 2, "0.001", "0.001", "0.250", "0.250", "2.5 %"],
          ["after submitting", "copilot", 1, "0.003", "0.003", "0.000", "0.000", "5 %"],
        ],
      },
      {
        title: "Difficulty from 1 to 5, against time",
        columns: ["difficulty said", "attempts", "rank correlation with time (95 % interval)"],
        rows: [
          ["before", 3, number(difficultyBefore)],
          ["afterwards", 3, number(difficultyAfter)],
        ],
      },
    ],
    pictures: [
      {
        id: "forecasts",
        title: "Forecast against actual time, attempts that passed",
        alt: "One mark for each attempt; above the dashed line it took longer than expected. 0 of 1 did.",
      },
      ...[
        ["reliability-before", "before the start"],
        ["reliability", "after submitting"],
      ].map(([id, when]) => ({
        id: id!,
        title: `Chance said ${when}, against the share solved`,
        alt:
          "One mark for each fifth of the scale in which something was said. On the dashed line as many were solved as " +
          "was said; below it, fewer.",
      })),
    ],
  };
}

/** Characters that edits put in, by the tenth of the time on the clock. */
function tenths(attempt: LoggedAttempt, isMeant: (text: string) => boolean): number[] {
  const found = Array.from({ length: 10 }, () => 0);
  for (const { event, clock } of attempt.timed()) {
    if (event.type !== "edit") continue;
    const texts = (event.changes ?? []).map(({ text }) => text).filter(isMeant);
    const tenth = Math.min(9, Math.floor((10 * clock) / attempt.clockSeconds()));
    found[tenth]! += sum(texts.map((text) => text.length));
  }
  return found;
}

const SOURCES = ["chat", "completion", "other", "own_completion", "paste", "tool", "typed"];

/** The section about where the inserted text came from. */
export function origins({ arbiter, fifo, pasted, typed, completion }: Walked): Omit<Section, "role"> {
  const accepted = completion.length;
  const all = typed + accepted;
  const condition = (written: Readonly<Record<string, number>>, taken: number): object => {
    const total = sum(Object.values(written));
    // At 30 s and at 2 min nothing was followed: the tasks ended before.
    const moments: [string, number][] = [["30 s", 0], ["2 min", 0], ["the end", taken]];
    return {
      attempts: 1,
      without_text: 0,
      sources: SOURCES.map((source) => {
        const characters = written[source] ?? 0;
        return { source, characters, pooled: alone(characters / total), per_attempt: alone(characters / total) };
      }),
      survival: moments.map(([moment, followed]) => ({
        moment,
        accepted: followed,
        surviving: followed,
        pooled: alone(followed ? 1 : null),
      })),
    };
  };
  const [own, hand] = [percent(accepted / all), percent(typed / all)];
  return {
    title: "Where the text came from",
    says: [
      "The source of 0 % of the characters is a guess from the edit's shape; of the others the editor, our own " +
        "completion or a command reported it.",
    ],
    without: null,
    numbers: {
      by_condition: {
        alone: condition({ paste: pasted }, 0),
        copilot: condition({ own_completion: accepted, typed }, accepted),
      },
      by_tenth: {
        alone: { paste: tenths(arbiter, () => true) },
        copilot: {
          typed: tenths(fifo, (text) => text !== completion),
          own_completion: tenths(fifo, (text) => text === completion),
        },
      },
    },
    tables: [
      {
        title: "Text put in, by source",
        columns: [
          ...["condition", "source", "characters"],
          ...["share of all (95 % interval)", "mean share per attempt (95 % interval)"],
        ],
        rows: [
          ["alone", "pasted", pasted, "100 %", "100 %"],
          ["copilot", "own completion", accepted, own, own],
          ["copilot", "typed", typed, hand, hand],
        ],
      },
      {
        title: "Survival of accepted text",
        columns: ["condition", "after", "characters accepted", "still there", "share (95 % interval)"],
        rows: [["copilot", "the end", accepted, accepted, "100 %"]],
      },
    ],
    pictures: [
      {
        id: "origins",
        title: "Sources of the text over the course of attempts",
        alt:
          "Stacked bars, one for each tenth of the time on the clock. Most characters by: alone: pasted 100 %; " +
          `copilot: typed ${hand}.`,
      },
    ],
  };
}
