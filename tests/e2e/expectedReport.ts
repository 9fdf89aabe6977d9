import { alone, mean, number, percent, share, significant, spearman, sum, told, type Interval } from "./arithmetic.ts";
import type { LoggedAttempt } from "./studyReport.ts";

/** What a walk through the study of three tasks leaves behind, and its report must tell. */
export interface Walked {
  readonly practice: LoggedAttempt;
  /** Alone: paused, pasted, passed. */
  readonly arbiter: LoggedAttempt;
  /** With an assistant: typed, took a completion, failed. */
  readonly fifo: LoggedAttempt;
  /** Alone: given up soon. */
  readonly uart: LoggedAttempt;
  /** Characters that were pasted, and typed. */
  readonly pasted: number;
  readonly typed: number;
  /** The text of the completion that was accepted. */
  readonly completion: string;
  /** What `study close` printed. */
  readonly digest: string;
}

interface Section {
  readonly title: string;
  readonly says: readonly unknown[];
  readonly without: string | null;
  readonly numbers: object;
  readonly tables: readonly { title: string; columns: readonly string[]; rows: readonly (readonly unknown[])[] }[];
  readonly pictures: readonly object[];
}

/** All of `report.json`, worked out by hand. */
export function expectedReport(walked: Walked): { sections: Record<string, Section>; [name: string]: unknown } {
  return {
    format: 1,
    made: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
    study: "three-tasks",
    simulated: false,
    seed: 1,
    sources: {
      Benchwright: /^\d/,
      "seed of the intervals": "1",
      "study file": /^SHA-256 [0-9a-f]{64}$/,
      plan: /^SHA-256 [0-9a-f]{64}$/,
      scipy: /^\d/,
      statsmodels: /^\d/,
      "scikit-learn": /^\d/,
      altair: /^\d/,
    },
    groups: ["alone", "copilot"],
    files: { cvdp: ["cvdp/alone", "cvdp/copilot"], inspect: [] },
    sections: {
      support: support(walked),
      success: success(),
      time: time(walked),
      "score-over-time": scoreOverTime(walked),
      models: empty(
        "Models: samples, tokens, cost",
        "No model or agent worked on these problems. `benchwright eval --pack … --model …` lets one.",
      ),
      horizon: empty(
        "Human time horizon of models",
        "There is no horizon to fit. It needs attempts of a model at problems that people solved too.",
      ),
      profile: empty(
        "Skills and topics",
        "None of the problems has a skill or a topic; questions of QuArch and CS-Bench have.",
      ),
      estimates: estimates(walked),
      origins: origins(walked),
      judges: empty(
        "Judges against people",
        "No answer was rated by both people and judges. `benchwright judge grade` lets people grade.",
      ),
      failures: empty("How attempts failed", "Groups need 12 failed attempts with a message, and there are 1."),
    },
  };
}

/** Minutes that count: to the pass of the arbiter, and to the ends of the others. */
function minutes({ arbiter, fifo, uart }: Walked): { pass: number; failed: number; gaveUp: number } {
  return {
    pass: arbiter.clockSeconds("run_finished") / 60,
    failed: fifo.clockSeconds() / 60,
    gaveUp: uart.clockSeconds() / 60,
  };
}

function empty(title: string, without: string): Section {
  return { title, says: [], without, numbers: {}, tables: [], pictures: [] };
}

function support(walked: Walked): Section {
  const { toolchain, sandbox } = walked.arbiter.of("run_finished")[0]!.digests!;
  const clocks = [walked.arbiter, walked.fifo, walked.uart].map((attempt) => attempt.clockSeconds());
  const total = sum(clocks);
  const median = [...clocks].sort((one, other) => one - other)[1]!;
  const toolchainTold = `All runs were made with one toolchain, of digest ${toolchain.slice(0, 16)}.`;
  const sandboxTold = `Sandbox of the runs: ${sandbox} (2).`;
  return {
    title: "What this supports",
    says: [
      "3 attempts at 3 problems count: 3 attempts of 1 person, 0 attempts of 0 models.",
      "1 attempt left out: 1 for “practice”.",
      "All attempts are by one person, so nothing can be said of others.",
      "Active time: of a gap without activity at most 2 minutes count. With 1, 2 or 5 minutes instead, the total " +
        "changes by at most 0 %.",
      `The study is closed; its digest is ${walked.digest}.`,
      "Deviations from the study file: none.",
      "The hash chain of every attempt was checked.",
      toolchainTold,
      sandboxTold,
    ],
    without: null,
    numbers: {
      attempts: 4,
      counted: 3,
      participants: 1,
      problems: 3,
      models: [],
      left_out: { practice: 1 },
      deviations: [],
      remarks: [toolchainTold, sandboxTold],
      closed_digest: walked.digest,
      chains_checked: true,
      // No gap of the walk is as long as a minute, so that every threshold counts all of the clock.
      active_time: {
        reference_s: 120,
        attempts: 3,
        thresholds: [60, 120, 300].map((threshold_s) => ({
          threshold_s,
          total_s: total,
          median_s: median,
          share_of_elapsed: 1,
          against_reference: 0,
          rank_correlation: 1,
        })),
        largest_change: 0,
      },
    },
    tables: [
      {
        title: "How attempts ended",
        columns: ["group", "attempts", "solved", "submitted unsolved", "gave up", "timed out", "undecided"],
        rows: [
          ["alone", 2, 1, 0, 1, 0, 0],
          ["copilot", 1, 0, 1, 0, 0, 0],
        ],
      },
      {
        title: "Active time, by the gap that still counts",
        columns: ["threshold (min)", "total (h)", "median (min)", "of the clock", "against the study's threshold"],
        rows: ["1", "2", "5"].map((threshold) => [
          threshold,
          number(total / 3600),
          number(median / 60, 1),
          "100 %",
          "0 %",
        ]),
      },
    ],
    pictures: [],
  };
}

const [ALL, HALF, NONE] = [share(1, 1), share(1, 2), share(0, 1)];

function success(): Section {
  const part = (label: string, passed: typeof ALL): object => ({
    label,
    attempts: passed.total,
    clusters: 1,
    passed,
    score: alone(passed.value),
  });
  const whole = (label: string): object => ({ alone: [part(label, HALF)], copilot: [part(label, NONE)] });
  const columns = ["label", "group", "attempts", "people or problems", "solved (95 % interval)", "mean (95 % interval)"];
  const wholeRows = (label: string): unknown[][] => [
    [label, "alone", 2, 1, told(HALF), "0.50"],
    [label, "copilot", 1, 1, told(NONE), "0.00"],
  ];
  return {
    title: "Who solved how much",
    says: [],
    without: null,
    numbers: {
      overall: { alone: HALF, copilot: NONE },
      // Giving up before the first run is a score of 0.
      score: { alone: alone(0.5), copilot: alone(0) },
      macro: { alone: alone(0.5), copilot: alone(0) },
      category: { alone: [part("cid002", ALL), part("cid004", NONE)], copilot: [part("cid003", NONE)] },
      difficulty: whole("medium"),
      kind: whole("design"),
    },
    tables: [
      {
        title: "Solved, by category",
        columns,
        rows: [
          ["RTL code completion (cid002)", "alone", 1, 1, told(ALL), "1.00"],
          ["RTL code modification (cid004)", "alone", 1, 1, told(NONE), "0.00"],
          ["Specification to RTL (cid003)", "copilot", 1, 1, told(NONE), "0.00"],
        ],
      },
      {
        title: "Solved, by group",
        columns: ["group", "attempts", "solved", "solved (95 % interval)", "mean score", "mean over categories"],
        rows: [
          ["alone", 2, 1, told(HALF), "0.50", "0.50"],
          ["copilot", 1, 0, told(NONE), "0.00", "0.00"],
        ],
      },
      { title: "Solved, by difficulty", columns, rows: wholeRows("medium") },
      { title: "Solved, by kind of problem", columns, rows: wholeRows("design") },
    ],
    pictures: [
      {
        id: "success-by-category",
        title: "Solved, by category",
        alt:
          "Share solved by category. alone: best at RTL code completion (cid002) (1.00), worst at RTL code " +
          "modification (cid004) (0.00). copilot: 0.00 at Specification to RTL (cid003).",
      },
    ],
  };
}

function time(walked: Walked): Section {
  const { pass, failed, gaveUp } = minutes(walked);
  // Nothing is known of the assisted task beyond its end, so both means stop there; alone, nobody is unsolved after
  // the pass, and nothing varies.
  const certain = (value: number): object => ({ limit: failed, standard_error: 0, ...alone(value) });
  const shown = Math.min(pass, failed);
  return {
    title: "How long people took",
    says: [
      "Minutes are active minutes on the clock: of a gap without activity, no more than the threshold counts.",
      "copilot and alone can't be compared by restricted means: All attempts are in one cluster, which allows no interval.",
      "No log-rank test of copilot and alone: At no pass were attempts of different conditions under way to be compared.",
      "The model of log time could not be fitted: 3 attempts are too few for 3 coefficients.",
    ],
    without: null,
    numbers: {
      curves: {
        // Kaplan and Meier: who gave up is not at risk any more when the other one passes, and then nobody is unsolved.
        alone: {
          attempts: 2,
          passed: 1,
          times: [gaveUp, pass],
          unsolved: [1, 0],
          low: [1, 0],
          high: [1, 1],
          at_risk: [2, 1],
          passes: [0, 1],
          censored: [1, 0],
          median: { value: pass, low: pass, high: null },
        },
        copilot: {
          attempts: 1,
          passed: 0,
          times: [failed],
          unsolved: [1],
          low: [1],
          high: [1],
          at_risk: [1],
          passes: [0],
          censored: [1],
          median: alone(null),
        },
      },
      restricted_means: { alone: certain(shown), copilot: certain(failed) },
      secondary_successes_only: {
        alone: { passed: 1, left_out: 1, geometric_mean: alone(pass) },
        copilot: { passed: 0, left_out: 1, geometric_mean: alone(null) },
      },
    },
    tables: [
      {
        title: "Minutes to the first pass, by condition",
        columns: [
          ...["condition", "attempts", "solved", "gave up", "timed out", "submitted unsolved"],
          ...["median (95 % interval)", `mean up to ${significant(failed, 4)} min (95 % interval)`],
        ],
        rows: [
          ["alone", 2, 1, 1, 0, 0, `${number(pass, 1)} (${number(pass, 1)} to –)`, number(shown, 1)],
          ["copilot", 1, 0, 0, 0, 1, "–", number(failed, 1)],
        ],
      },
      {
        title: "Secondary: minutes of solved attempts only",
        columns: ["condition", "solved", "left out", "geometric mean (95 % interval)"],
        rows: [
          ["alone", 1, 1, number(pass, 1)],
          ["copilot", 0, 1, "–"],
        ],
      },
    ],
    pictures: [
      {
        id: "survival",
        title: "Solved by then, by condition",
        alt:
          `Steps that rise with every pass. alone: half solved by ${number(pass, 1)} minutes; copilot: less than half ` +
          "solved within the time watched. Marks are attempts that ended unsolved.",
      },
    ],
  };
}

function scoreOverTime(walked: Walked): Section {
  const { pass, failed, gaveUp } = minutes(walked);
  const longest = Math.max(pass, failed, gaveUp);
  const earliest = Math.max(Math.min(pass, walked.fifo.clockSeconds("run_finished") / 60), longest / 500);
  const budgets = Array.from({ length: 61 }, (_, step) => longest * (earliest / longest) ** (1 - step / 60));
  const within = <T>(solved: T, before: T): T[] => budgets.map((budget) => (budget >= pass ? solved : before));
  const none = budgets.map(() => 0);
  // What does not differ between problems has no interval, and one problem never has.
  const unknown = budgets.map(() => null);
  const marks = [15, 30, 45, 60];
  return {
    title: "Score against time",
    says: [
      "The mean over problems of the best score reached within a budget. The best of four attempts shares one budget, " +
        "so that all lines spend the same. Models are on their own clock.",
    ],
    without: null,
    numbers: {
      curves: {
        // Of two problems drawn anew, both are the solved one in a quarter of the draws, and neither in another.
        alone: {
          ...{ k: 1, budgets, score: within(0.5, 0), low: within<number | null>(0, null) },
          ...{ high: within<number | null>(1, null), problems: 2, left_out: 0 },
        },
        copilot: { k: 1, budgets, score: none, low: unknown, high: unknown, problems: 1, left_out: 0 },
      },
    },
    tables: [
      {
        title: "Score at equal budgets",
        columns: ["group", "problems", ...marks.map((mark) => `within ${significant(budgets[mark]!, 2)} min`)],
        rows: [
          ["alone", 2, ...marks.map((mark) => within("0.50 (0.00 to 1.00)", "0.00")[mark])],
          ["copilot", 1, ...marks.map(() => "0.00")],
        ],
      },
    ],
    pictures: [
      {
        id: "score-over-time",
        title: "Mean score within a budget of time",
        alt: "Lines that rise from 0 with the time spent. alone ends at 0.50; copilot ends at 0.00.",
      },
    ],
  };
}

function estimates(walked: Walked): Section {
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
  const happened = [1, 0, 0];
  // Murphy (1973): a third solved, each bin with nothing but passes or nothing but failures.
  const spread = { resolution: 2 / 9, uncertainty: 2 / 9 };
  const [difficultyBefore, difficultyAfter] = [spearman([2, 4, 5], times), spearman([3, 5, 5], times)];
  const rows = (what: string, said: number): unknown[][] => [
    [what, "alone", 1, 1, significant(pass / said, 3), told(share(0, 1)), "–"],
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
      forecast_success: {
        forecasts: 3,
        brier: brier([0.75, 0.5, 0.1], happened),
        reliability: (0.25 ** 2 + 0.5 ** 2 + 0.1 ** 2) / 3,
        ...spread,
        bins: [bin(0, 0.1, NONE), bin(0.4, 0.5, NONE), bin(0.6, 0.75, ALL)],
      },
      self_success: {
        forecasts: 3,
        brier: brier([0.95, 0.05, 0], happened),
        reliability: (2 * 0.025 ** 2 + 0.05 ** 2) / 3,
        ...spread,
        bins: [bin(0, 0.025, share(0, 2)), bin(0.8, 0.95, ALL)],
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
        columns: ["asked", "said", "attempts", "mean of what was said", "solved (95 % interval)"],
        rows: [
          ["before the start", "0 % to 20 %", 1, "10 %", told(NONE)],
          ["before the start", "40 % to 60 %", 1, "50 %", told(NONE)],
          ["before the start", "60 % to 80 %", 1, "75 %", told(ALL)],
          ["before the start", "all; Brier score 0.107", 3, "–", "–"],
          ["after handing in", "0 % to 20 %", 2, "2.5 %", told(share(0, 2))],
          ["after handing in", "80 % to 100 %", 1, "95 %", told(ALL)],
          ["after handing in", "all; Brier score 0.002", 3, "–", "–"],
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

function origins({ arbiter, fifo, pasted, typed, completion }: Walked): Section {
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
