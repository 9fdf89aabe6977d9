import { number, significant } from "./arithmetic.ts";
import type { Walked } from "./walkedStudy.ts";
import type { LoggedAttempt, TimedEvent } from "./studyReport.ts";

type Cells = Readonly<Record<string, string | number | RegExp>>;

/** Every cell of `attempts.csv`, in the order of the walk. */
export function expectedAttempts({ practice, arbiter, fifo, uart, pasted, typed, completion }: Walked): Cells[] {
  const accepted = completion.length;
  const pass = arbiter.clockSeconds("run_finished");
  const forecast = (alone: number, assisted: number, difficulty: number, exposure: string, success: number): Cells => ({
    forecast_minutes: alone,
    forecast_without_ai_minutes: alone,
    forecast_with_ai_minutes: assisted,
    forecast_blind_minutes: alone,
    forecast_difficulty: difficulty,
    forecast_success: success,
    prior_exposure: exposure,
  });
  const estimate = (minutes: number, difficulty: number, success: number, help: string): Cells => ({
    self_minutes: minutes,
    self_difficulty: difficulty,
    self_success: success,
    external_help: help,
  });
  const written = (edits: number, shares: Cells): Cells => ({
    edits,
    share_by_assistant: 0,
    guessed_share: 0,
    ...shares,
  });
  return [
    {
      ...row(practice, "saturating-counter", "Saturating up/down counter", "cid003", 0),
      ...{ difficulty: "easy", practice: "true", state: "abandoned", passed: "false", censored_by: "gave_up" },
      ...{ intended: "false", excluded_by: "practice" },
      // Its clock was never started.
      ...{ time_source: "none", clock_s: "", elapsed_s: "", active_60_s: "", active_120_s: "", active_300_s: "" },
      ...{ active_s: "", unfocused_s: "", time_s: "" },
      // It may be given up before the editor has said what it can tell.
      change_reasons: /^(true)?$/,
    },
    {
      ...row(arbiter, "round-robin-arbiter", "Round-robin arbiter", "cid002", 1),
      ...{ state: "submitted", submissions: 1, pauses: 1, passed: "true" },
      ...{ final: "passed", tries_to_pass: 1, standing: "passed" },
      ...ran(arbiter, "passed", "passed", 16),
      ...{ score: 1, time_s: pass, first_pass_s: pass, first_pass_clock_s: pass },
      ...written(1, { inserted: pasted, inserted_paste: pasted }),
      ...forecast(12, 8, 2, "similar", 0.75),
      ...estimate(10, 3, 0.95, "true"),
    },
    {
      ...row(fifo, "sync-fifo", "FIFO with level flags", "cid003", 2),
      ...{ condition: "copilot", solver: "human+copilot", assigned_solver: "human+copilot" },
      ...{ actors: /completion by change_reason: 0 requests/, state: "submitted", submissions: 1, passed: "false" },
      ...ran(fifo, "failed", "tests_failed", 18),
      ...{ final: "failed", standing: "failed" },
      ...{ score: 0, tests_passed: 0, censored_by: "handed_in_unsolved" },
      ...written(fifo.of("edit").length, {
        ...{ inserted: typed + accepted, inserted_typed: typed, inserted_own_completion: accepted },
        ...{ share_by_assistant: accepted / (typed + accepted), shown: fifo.of("assist_shown").length },
        ...{ accepted, survived_end: accepted },
      }),
      ...forecast(24, 20, 4, "none", 0.5),
      forecast_minutes: 20,
      ...estimate(25, 5, 0.05, "false"),
    },
    {
      ...row(uart, "uart-parity", "UART parity and stop bits", "cid004", 3),
      ...{ state: "abandoned", passed: "false", censored_by: "gave_up" },
      ...forecast(30, 29, 5, "same", 0.1),
      ...estimate(2, 5, 0, "false"),
    },
  ];
}

/** An attempt at which nothing was done. */
function row(attempt: LoggedAttempt, id: string, title: string, category: string, position: number): Cells {
  const clock = attempt.clockSeconds();
  const started = attempt.events.find(({ event }) => event.type === "started")?.wall ?? "";
  return {
    ...{ attempt: attempt.header.id, study: "three-tasks", participant: "P01", problem: `starter/${id}`, pack: "starter" },
    ...{ family: `starter/${id}`, title, kind: "design", category, difficulty: "medium" },
    ...{ domain: "", subdomain: "", tag: "", statement: "", shots: "", steps: "", judge_rubric: "" },
    ...{ format: "", skill: "", topic: "", language: "", cluster: "", condition: "alone", solver: "human", model: "", position },
    ...{ practice: "false", recording: "full", started, clock_s: clock, elapsed_s: attempt.elapsedSeconds() },
    // Nobody sat still for a minute.
    ...{ active_60_s: clock, active_120_s: clock, active_300_s: clock, active_s: clock, time_s: clock, unfocused_s: 0 },
    ...{ limit_s: 1800, outcome: "", first_pass_s: "", first_pass_clock_s: "", censored_by: "", reason: "", score: "" },
    ...{ final: "", tries_to_pass: "", standing: "given up", time_source: "clock" },
    ...{ tests_passed: "", tests_total: "", runs: 0, undecided_runs: 0, submissions: 0, pauses: 0, suspensions: 0 },
    ...{ hints: 0, hints_cost: 0, edits: 0, inserted: 0, inserted_typed: 0, inserted_paste: 0, inserted_completion: 0, inserted_chat: 0 },
    ...{ inserted_own_completion: 0, inserted_tool: 0, inserted_other: 0, share_by_assistant: "", guessed_share: "" },
    ...{ shown: 0, accepted: 0, reached_30s: 0, survived_30s: 0, reached_120s: 0, survived_120s: 0, survived_end: 0 },
    ...{ forecast_minutes: "", forecast_without_ai_minutes: "", forecast_with_ai_minutes: "", forecast_blind_minutes: "" },
    ...{ forecast_difficulty: "", forecast_success: "", prior_exposure: "" },
    ...{ assigned_solver: "human", actors: /^person by /, inserted_by_unknown: 0 },
    ...{ working_s: "", supervising_s: "", waiting_s: "", away_s: "" },
    ...{ self_minutes: "", self_difficulty: "", self_success: "", external_help: "" },
    ...{ calls: 0, input_tokens: 0, output_tokens: 0, reasoning_tokens: 0, total_tokens: 0 },
    ...{ cost_usd: "", prompts: "" },
    ...{ violations: 0, violation_rules: "", judge_method: "", judge_votes: "", judge_cost_usd: 0 },
    ...{ problem_digest: attempt.header.problem_digest, toolchain: "", sandbox: "", change_reasons: "true" },
    ...{ classifier: "2", published: "2026-11-20", knowledge_cutoff: "" },
    ...{ study_sha256: attempt.of("assigned")[0]?.study_sha256 ?? "", intended: "true", excluded_by: "" },
  };
}

function ran(attempt: LoggedAttempt, outcome: string, reason: string, tests: number): Cells {
  const { toolchain, sandbox } = attempt.of("run_finished")[0]!.digests!;
  return { runs: 1, outcome, reason, tests_passed: tests, tests_total: tests, toolchain, sandbox };
}

/** Every cell of `events.csv`. */
export function expectedEvents({ practice, arbiter, fifo, uart, completion }: Walked): Cells[] {
  return [practice, arbiter, fifo, uart].flatMap((attempt) =>
    attempt.timed().map((logged) => ({
      attempt: attempt.header.id,
      ...{ seq: logged.seq, wall: logged.wall, at_s: logged.at, clock_s: logged.clock },
      ...{ type: logged.event.type, state: logged.state },
      ...{ path: "", inserted: "", deleted: "", origin: "", method: "", classifier: "" },
      // Who opened it has done nothing yet.
      ...{ actor: logged.event.type === "opened" ? "" : (logged.event.actor ?? "") },
      ...{ actor_known_by: logged.event.type === "opened" ? "" : (logged.event.actor_known_by ?? "") },
      ...{ outcome: "", reason: "", tests_passed: "", tests_total: "" },
      ...(logged.event.type === "edit_reason" && { path: logged.event.path ?? "" }),
      ...(logged.event.type === "edit" && editCells(logged, attempt === arbiter, completion)),
      ...(logged.event.type === "run_finished" && verdictCells(attempt === arbiter)),
    })),
  );
}

function editCells({ event }: TimedEvent, isPaste: boolean, completion: string): Cells {
  const changes = event.changes ?? [];
  const isOwn = changes.some(({ text }) => text === completion);
  return {
    path: event.path ?? "",
    inserted: changes.reduce((sum, { text }) => sum + Array.from(text).length, 0),
    deleted: changes.reduce((sum, { start, end }) => sum + end - start, 0),
    origin: isPaste ? "paste" : isOwn ? "own-completion" : "typed",
    // The editor told of each edit where it came from.
    method: "change_reason",
    actor: isOwn && !isPaste ? "completion" : "person",
    actor_known_by: "change_reason",
    classifier: "2",
  };
}

function verdictCells(passed: boolean): Cells {
  return passed
    ? { outcome: "passed", reason: "passed", tests_passed: 16, tests_total: 16 }
    : { outcome: "failed", reason: "tests_failed", tests_passed: 0, tests_total: 18 };
}

/** The table of all attempts, which only the page has. */
const SIGNS: Readonly<Record<string, string>> = { passed: "✓", failed: "✗", "given up": "–" };

export function expectedAttemptTable(walked: Walked): { title: string; columns: string[]; rows: string[][] } {
  const rows = expectedAttempts(walked).map((one) => [
    String(one.attempt).slice(0, 8),
    "P01",
    String(one.title),
    String(one.condition),
    one.time_s === "" ? "–" : significant(Number(number(Number(one.time_s) / 60)), 4),
    String(one.time_source),
    `${SIGNS[String(one.standing)]} ${one.standing}`,
    one.score === "" ? "–" : String(one.score),
    String(one.runs),
    one.forecast_minutes === "" ? "–" : String(one.forecast_minutes),
    "–",
    one.excluded_by === "" ? "–" : String(one.excluded_by),
  ]);
  const columns = ["attempt", "who", "problem", "group", "minutes", "time from", "state", "score", "runs", "forecast (min)"];
  return { title: "All attempts", columns: [...columns, "violations", "left out for"], rows };
}
