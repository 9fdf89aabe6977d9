import { alone, number, significant, sum } from "./arithmetic.ts";
import { answer } from "./expectedAnswer.ts";
import { estimates, origins } from "./expectedEstimates.ts";
import { assistance, sideBySide } from "./expectedSideBySide.ts";
import { ALL, FEW, HALF, NONE, empty, few, minutes, type Section, type Walked } from "./walkedStudy.ts";

/** All of `report.json`, worked out by hand. */
export function expectedReport(walked: Walked): { sections: Record<string, Section>; [name: string]: unknown } {
  return {
    format: 1,
    made: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
    study: "three-tasks",
    simulated: false,
    headline:
      "Study three-tasks: how copilot differs from alone is unknown, since the two can't be compared " +
      "(alone solved 50 % of 2 attempts, copilot solved 0 % of 1 attempt).",
    seed: 1,
    sources: {
      Benchwright: /^\d/,
      "classifier of edits": "2",
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
    sections: withRoles({
      answer: answer(walked),
      flips: empty(
        "What would flip the conclusion",
        "No comparison has a test, so there is no conclusion to flip.",
      ),
      support: support(walked),
      preregistration: empty(
        "Preregistration",
        "The study was not preregistered, so every result of this report is exploratory.",
      ),
      populations: populations(),
      "side-by-side": sideBySide(walked),
      success: success(),
      outcomes: outcomes(),
      time: time(walked),
      "score-over-time": scoreOverTime(walked),
      models: empty(
        "Models: samples, tokens, cost",
        "No model or agent worked on these problems. `benchwright eval --pack … --model …` lets one.",
      ),
      horizon: empty(
        "Human time horizon of models",
        "There is no horizon to fit. It needs attempts of a model at problems that people solved too, with a time.",
      ),
      estimates: estimates(walked),
      actors: actors(walked),
      origins: origins(walked),
      assistance: assistance(walked),
      judges: empty(
        "Judges against people",
        "No answer was rated by both people and judges. `benchwright judge grade` lets people grade.",
      ),
      failures: empty("How attempts failed", "Groups need 12 failed attempts with a message, and there are 1."),
    }),
  };
}

/** Nothing was registered, so all results are exploratory; the answer says so itself. */
function withRoles(sections: Record<string, Omit<Section, "role">>): Record<string, Section> {
  const roleOf = (id: string): string | null =>
    ["answer", "support", "preregistration", "populations"].includes(id) ? null : "exploratory";
  return Object.fromEntries(Object.entries(sections).map(([id, section]) => [id, { ...section, role: roleOf(id) }]));
}

function actors({ pasted, typed, completion }: Walked): Omit<Section, "role"> {
  return {
    title: "Who made the attempts",
    says: [
      "The condition of an attempt follows from who made its changes and requests. An agent that solves a problem alone " +
        "through MCP is an agent, whoever opened it; a person with an agent is human+agent.",
      "No attempt is of unknown makers.",
    ],
    without: null,
    numbers: {
      minutes_with_agents: {},
      attempts: [
        { assigned: "alone (human)", made_by: "human", attempts: 2 },
        { assigned: "copilot (human+copilot)", made_by: "human+copilot", attempts: 1 },
      ],
      unknown: [],
      not_as_assigned: [],
    },
    tables: [
      {
        title: "Attempts by who made them",
        columns: ["assigned", "made by", "attempts", "fits"],
        rows: [
          ["alone (human)", "human", 2, "yes"],
          ["copilot (human+copilot)", "human+copilot", 1, "yes"],
        ],
      },
      {
        title: "Characters put in, by whom",
        columns: ["actor", "known by", "characters"],
        rows: [
          ["completion", "change reason", completion.length],
          ["person", "change reason", pasted + typed],
        ],
      },
    ],
    pictures: [],
  };
}

function populations(): Omit<Section, "role"> {
  const counts = (drawn: number, solved: number): object => ({
    ...{ drawn, begun: drawn, still_open: 0, intention_to_treat: drawn, per_protocol: drawn },
    ...{ solved, solved_share_of_drawn: solved / drawn },
  });
  return {
    title: "Who counts",
    says: [
      "By intention to treat, every task counts under the condition that was drawn for it. Per protocol, rules of the " +
        "study file leave attempts out. They depend on what happened after the draw, so they can favour one condition.",
      "The allocation was concealed from 0 of 1 participants until they had given their forecasts. The other machines " +
        "had the study file with its seed.",
      "Nothing was left out, so both are the same here.",
    ],
    without: null,
    numbers: { conditions: { alone: counts(2, 1), copilot: counts(1, 0) }, left_out: {}, one_sided: {}, concealed: { open: 1 } },
    tables: [
      {
        title: "Tasks of people, from the draw to the analysis",
        columns: [
          ...["condition", "drawn", "begun", "still open", "by intention to treat", "per protocol"],
          ...["solved (intention to treat)", "solved, of all drawn"],
        ],
        rows: [
          ["alone", 2, 2, 0, 2, 2, 1, "50 %"],
          ["copilot", 1, 1, 0, 1, 1, 0, "0 %"],
        ],
      },
    ],
    pictures: [],
  };
}

function support(walked: Walked): Omit<Section, "role"> {
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
      "No comparison of alone and copilot is possible: no problem has a verdict under both.",
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


function outcomes(): Omit<Section, "role"> {
  const ended = (...counts: number[]): object => ({
    ...{ attempts: counts[0], passed_ever: counts[1], passed_at_end: counts[2], wrong_after_right: counts[3] },
    ...{ submitted_unsolved: counts[4], gave_up: counts[5], timed_out: counts[6], right_at_the_limit: counts[7] },
    undecided: counts[8],
  });
  return {
    title: "How attempts ended",
    says: [],
    without: null,
    numbers: {
      groups: { alone: ended(2, 1, 1, 0, 0, 1, 0, 0, 0), copilot: ended(1, 0, 0, 0, 1, 0, 0, 0, 0) },
      undecided_reasons: {},
      tries: { alone: { 1: alone(0.5) }, copilot: { 1: alone(0) } },
    },
    tables: [
      {
        title: "How attempts ended",
        columns: [
          ...["group", "attempts", "passed ever", "passed at end", "wrong after right", "submitted unsolved"],
          ...["gave up", "timed out", "right at the limit", "undecided"],
        ],
        rows: [
          ["alone", 2, 1, 1, 0, 0, 1, 0, 0, 0],
          ["copilot", 1, 0, 0, 0, 1, 0, 0, 0, 0],
        ],
      },
      {
        title: "Solved with equally many tries",
        columns: ["group", "1 try"],
        rows: [
          ["alone", "50 %"],
          ["copilot", "0 %"],
        ],
      },
    ],
    pictures: [],
  };
}

function success(): Omit<Section, "role"> {
  const part = (label: string, passed: typeof ALL): object => ({
    label,
    attempts: passed.total,
    passed: few(passed.value!, passed.total),
    score: few(passed.value!, passed.total),
  });
  const whole = (label: string): object => ({ alone: [part(label, HALF)], copilot: [part(label, NONE)] });
  const columns = ["label", "group", "attempts", "people", "problems", "solved (95 % interval)", "mean (95 % interval)"];
  const wholeRows = (label: string): unknown[][] => [
    [label, "alone", 2, 1, 2, "50 %", "0.50"],
    [label, "copilot", 1, 1, 1, "0 %", "0.00"],
  ];
  return {
    title: "Who solved how much",
    says: [],
    without: null,
    numbers: {
      overall: { alone: alone(0.5), copilot: alone(0) },
      at_end: { alone: alone(0.5), copilot: alone(0) },
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
          ["RTL code completion (cid002)", "alone", 1, 1, 1, "100 %", "1.00"],
          ["RTL code modification (cid004)", "alone", 1, 1, 1, "0 %", "0.00"],
          ["Specification to RTL (cid003)", "copilot", 1, 1, 1, "0 %", "0.00"],
        ],
      },
      {
        title: "Solved, by group",
        columns: [
          ...["group", "attempts", "solved", "solved (95 % interval)", "solved at the end (95 % interval)"],
          ...["mean score", "mean over categories"],
        ],
        rows: [
          ["alone", 2, 1, "50 %", "50 %", "0.50", "0.50"],
          ["copilot", 1, 0, "0 %", "0 %", "0.00", "0.00"],
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
          "Share solved by category. alone: best at RTL code completion (cid002) (100 %), worst at RTL code " +
          "modification (cid004) (0 %). copilot: 0 % at Specification to RTL (cid003).",
      },
    ],
  };
}

function time(walked: Walked): Omit<Section, "role"> {
  const { pass, failed, gaveUp } = minutes(walked);
  // Nothing is known of the assisted task beyond its end, so both means stop there.
  const shown = Math.min(pass, failed);
  return {
    title: "How long people took",
    says: [
      "Minutes are active minutes on the clock: of a gap without activity, no more than the threshold counts.",
      "Times under copilot and alone can't be compared: No problem was tried under both conditions.",
      FEW,
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
          ...{ low: null, high: null },
          at_risk: [2, 1],
          passes: [0, 1],
          censored: [1, 0],
          median: alone(pass),
        },
        copilot: {
          attempts: 1,
          passed: 0,
          times: [failed],
          unsolved: [1],
          ...{ low: null, high: null },
          at_risk: [1],
          passes: [0],
          censored: [1],
          median: alone(null),
        },
      },
      time_source: "clock",
      left_out: {},
      limit: { minutes: failed, why: /^(when|since) the longest attempt / },
      restricted_means: { alone: few(shown, 2), copilot: few(failed, 1) },
      comparisons: {},
      secondary_successes_only: {
        alone: { passed: 1, left_out: 1, geometric_mean: pass },
        copilot: { passed: 0, left_out: 1, geometric_mean: null },
      },
    },
    tables: [
      {
        title: "Minutes to the first pass, by condition",
        columns: [
          ...["condition", "attempts", "solved", "gave up", "timed out", "submitted unsolved"],
          ...["median (95 % interval)", `mean up to ${significant(failed, 3)} min (95 % interval)`],
        ],
        rows: [
          ["alone", 2, 1, 1, 0, 0, number(pass, 1), number(shown, 1)],
          ["copilot", 1, 0, 0, 0, 1, "–", number(failed, 1)],
        ],
      },
      {
        title: "Secondary: minutes of solved attempts only",
        columns: ["condition", "solved", "left out", "geometric mean"],
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

function scoreOverTime(walked: Walked): Omit<Section, "role"> {
  const { pass, failed, gaveUp } = minutes(walked);
  const longest = Math.max(pass, failed, gaveUp);
  const earliest = Math.max(Math.min(pass, walked.fifo.clockSeconds("run_finished") / 60), longest / 500);
  const budgets = Array.from({ length: 61 }, (_, step) => longest * (earliest / longest) ** (1 - step / 60));
  // The quotient's rounding must not move the first budget to before the pass.
  budgets[0] = earliest;
  const within = <T>(solved: T, before: T): T[] => budgets.map((budget) => (budget >= pass ? solved : before));
  const none = budgets.map(() => 0);
  // One person shows nothing of others.
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
        alone: { k: 1, budgets, score: within(0.5, 0), low: unknown, high: unknown, problems: 2, left_out: 0 },
        copilot: { k: 1, budgets, score: none, low: unknown, high: unknown, problems: 1, left_out: 0 },
      },
      left_out: {},
    },
    tables: [
      {
        title: "Score at equal budgets",
        columns: ["group", "problems", ...marks.map((mark) => `within ${significant(budgets[mark]!, 2)} min`)],
        rows: [
          ["alone", 2, ...marks.map((mark) => within("0.50", "0.00")[mark])],
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
