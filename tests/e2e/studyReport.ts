import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { benchwright } from "./commandLine.ts";

export interface LoggedEvent {
  readonly seq: number;
  /** Of a monotonic clock, in nanoseconds. */
  readonly mono_ns: number;
  readonly wall: string;
  readonly event: EventFields;
}

/** What an event holds, as far as tests look at it. */
export interface EventFields {
  readonly type: string;
  readonly study_sha256?: string;
  readonly latency_ms?: number;
  readonly path?: string;
  readonly changes?: readonly { readonly start: number; readonly end: number; readonly text: string }[];
  readonly digests?: { readonly toolchain: string; readonly sandbox: string };
  readonly reason?: string;
  readonly metadata?: { readonly kind?: string };
  readonly version?: string;
  readonly change_reasons?: boolean;
  readonly ai_features?: Readonly<Record<string, boolean>>;
  readonly help_note?: string;
  readonly aid?: string;
  readonly feature?: string;
  readonly through?: string;
  readonly command?: string;
  readonly provider?: string;
  readonly length?: number;
  readonly text?: string;
  readonly model?: string;
  readonly actor?: string;
  readonly actor_known_by?: string;
  readonly focused?: boolean;
  readonly judged_by?: unknown;
}

const STATES: Readonly<Record<string, string>> = {
  started: "running",
  resumed: "running",
  paused: "paused",
  submitted: "submitted",
  abandoned: "abandoned",
};
const ENDS: readonly (string | undefined)[] = ["submitted", "abandoned"];

/** An event, and what follows of it from those before. */
export interface TimedEvent extends LoggedEvent {
  /** Seconds since the attempt was opened; what comes after the end lies at the end. */
  readonly at: number;
  /** Seconds that the clock had run. */
  readonly clock: number;
  readonly state: string;
}

type LogLine = Partial<LoggedEvent> & { readonly attempt?: LoggedAttempt["header"] };

/** An attempt as its log has it. */
export class LoggedAttempt {
  readonly header: { readonly id: string; readonly problem_digest: string };
  readonly events: readonly LoggedEvent[];

  constructor(exported: string) {
    const lines = exported.trim().split("\n").map((line) => JSON.parse(line) as LogLine);
    this.header = lines[0]!.attempt!;
    this.events = lines.filter((line): line is LoggedEvent => line.event !== undefined);
  }

  of(type: string): EventFields[] {
    return this.events.map(({ event }) => event).filter((event) => event.type === type);
  }

  /** Every event with its times, added up from the clock's starts and stops. */
  timed(): TimedEvent[] {
    let [at, clock, state, before] = [0, 0, "open", this.events[0]!.mono_ns];
    return this.events.map((logged) => {
      if (!ENDS.includes(state)) {
        const passed = (logged.mono_ns - before) / 1e9;
        at += passed;
        if (state === "running") clock += passed;
      }
      before = logged.mono_ns;
      state = STATES[logged.event.type] ?? state;
      return { ...logged, at, clock, state };
    });
  }

  /** Seconds that the clock ran until the first event of a kind, or to the end. */
  clockSeconds(until?: string): number {
    const timed = this.timed();
    return (until ? timed.find(({ event }) => event.type === until) : timed.at(-1))!.clock;
  }

  /** Wall time from the first start to the end, in seconds. */
  elapsedSeconds(): number {
    const [from, to] = [["started"], ["submitted", "abandoned"]].map(
      (types) => this.events.find(({ event }) => types.includes(event.type))?.wall,
    );
    return from && to ? wallSeconds(to) - wallSeconds(from) : 0;
  }
}

/** A time with six digits behind the second, of which a `Date` would drop three. */
function wallSeconds(wall: string): number {
  const [whole, fraction] = wall.replace("Z", "").split(".");
  return Date.parse(`${whole}Z`) / 1000 + Number(`0.${fraction ?? 0}`);
}

/** Attempts of a study by their problem, as `benchwright attempts export` writes them. */
export async function loggedAttempts(folder: string): Promise<Record<string, LoggedAttempt>> {
  const listed = JSON.parse(await benchwright(folder, "attempts", "list", "--json")) as { id: string; problem: string }[];
  const found: Record<string, LoggedAttempt> = {};
  for (const { id, problem } of listed) {
    await benchwright(folder, "attempts", "verify", id);
    found[problem] = new LoggedAttempt(await benchwright(folder, "attempts", "export", id));
  }
  return found;
}

type Row = Readonly<Record<string, string>>;

/** What `benchwright report` writes. */
export interface Report {
  /** `report.json`, all of it. */
  readonly numbers: { readonly made: string };
  readonly attempts: readonly Row[];
  readonly events: readonly Row[];
  /** Files of CVDP's shape by their path: texts, or what JSON holds. */
  readonly cvdp: Readonly<Record<string, unknown>>;
  readonly page: string;
}

export async function reportOf(folder: string, study: string): Promise<Report> {
  const out = join(folder, "report");
  await benchwright(folder, "report", "--study", study, "--out", out);
  const text = (...path: string[]): Promise<string> => readFile(join(out, ...path), "utf8");
  const cvdp: Record<string, unknown> = {};
  for (const entry of await readdir(join(out, "cvdp"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(join(out, "cvdp").length + 1);
    const content = await text("cvdp", path);
    cvdp[path] = path.endsWith(".json") ? (JSON.parse(content) as unknown) : content;
  }
  return {
    numbers: JSON.parse(await text("report.json")) as Report["numbers"],
    attempts: table(await text("attempts.csv")),
    events: table(await text("events.csv")),
    cvdp,
    page: await text("report.html"),
  };
}

/** A table of a page: its caption, its heads and its cells, as people read them. */
export interface ShownTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a report's page, in order. */
export function shownTables(page: string): ShownTable[] {
  return [...page.matchAll(/<table><caption>(.*?)<\/caption>(.*?)<\/table>/gs)].map(([, title, content]) => ({
    title: plain(title!),
    columns: [...content!.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, cell]) => plain(cell!)),
    rows: [...content!.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => plain(cell!)),
    ),
  }));
}

/** A page's text without its marks. */
export function plain(marked: string): string {
  const names: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#x27": "'", amp: "&" };
  return marked.replaceAll(/<[^>]*>/g, "").replaceAll(/&([#a-z0-9]+);/g, (_, name: string) => names[name] ?? `&${name};`);
}

function table(csv: string): Row[] {
  const [header, ...rows] = csv.trim().split(/\r?\n/).map(cells);
  return rows.map((row) => Object.fromEntries(header!.map((name, index) => [name, row[index] ?? ""])));
}

function cells(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
  );
}
