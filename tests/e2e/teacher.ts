import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import type { BenchService } from "./benchService.ts";
import { signedIn } from "./signIn.ts";

/** A course's owner at the pages of its service. */
export class Teacher {
  readonly page: Page;
  private readonly home: string;

  private constructor(page: Page, home: string) {
    this.page = page;
    this.home = home;
  }

  /** Signs in by the owner's invitation, and goes to the course. */
  static async signIn(browser: Browser, service: BenchService, name: string): Promise<Teacher> {
    const page = await signedIn(browser, service.url, service.ownersInvitation, name);
    await page.getByRole("link", { name: "Computer architecture" }).click();
    await page.getByRole("heading", { name: "Computer architecture" }).waitFor();
    return new Teacher(page, page.url());
  }

  /** Assigns a pack, or some of its problems. */
  async assign(pack: string, title: string, due: string, problems = ""): Promise<void> {
    await this.page.goto(`${this.home}/assignments/new`);
    await this.page.getByLabel("Pack", { exact: true }).selectOption(pack);
    await this.page.getByRole("button", { name: "Show its problems" }).click();
    for (const problem of problems.split(" ").filter(Boolean)) await this.page.locator(`input[value="${problem}"]`).check();
    await this.page.getByLabel("Title").fill(title);
    await this.page.getByLabel("Due", { exact: true }).fill(due);
    await this.page.getByLabel("Shown of a verdict, at most").selectOption("messages");
    await this.page.getByRole("button", { name: "Assign" }).click();
    await this.page.getByRole("row", { name: new RegExp(`^${title}\\b.*${due.replace("T", " ")} UTC`) }).waitFor();
  }

  /** Says what each problem of an assignment is worth, with partial credit. */
  async gradeByShare(title: string, points: string): Promise<void> {
    await this.openGrades();
    const rules = this.page.getByRole("group").filter({ hasText: `How “${title}” is graded` });
    await rules.getByText(`How “${title}” is graded`).click();
    await rules.getByLabel("Points for each problem").fill(points);
    await rules.getByLabel(/Partial credit/).check();
    await rules.getByRole("button", { name: "Change" }).click();
    await this.page.getByText(new RegExp(`How “${title}” is graded: ${points} for each problem.*partial credit`)).waitFor();
  }

  /** A student's row of the progress. */
  async progressOf(student: string): Promise<Locator> {
    await this.page.goto(this.home);
    await this.page.getByRole("link", { name: "Progress" }).click();
    return this.page.getByRole("row", { name: new RegExp(`^${student}`) });
  }

  /** How much of a student's text came from where, in characters, as the page of the attempts says. */
  async writtenBy(student: string, problem: string, cell: RegExp): Promise<Map<string, number>> {
    await (await this.progressOf(student)).getByRole("link", { name: cell }).first().click();
    await this.page.getByRole("heading", { name: `${student}: ${problem}` }).waitFor();
    const rows = this.page.getByRole("table", { name: /Where the text came from/ }).getByRole("row");
    const texts = (await rows.allInnerTexts()).slice(1).map((row) => row.split(/\t/));
    return new Map(texts.map(([origin, characters]) => [origin!.trim(), Number(characters)]));
  }

  /** The rows of pairs of students whose solutions have much in common. */
  async alike(problem: string): Promise<Locator> {
    await this.openItem(problem);
    await this.page.getByRole("link", { name: "Solutions that are alike" }).click();
    // The page shows them by itself.
    await this.page.getByRole("region", { name: "Pairs" }).waitFor();
    return this.page.getByRole("region", { name: "Pairs" }).getByRole("row").filter({ has: this.page.getByRole("link") });
  }

  /** Runs a problem again; returns the rows of who changes. */
  async regrade(problem: string): Promise<Locator> {
    await this.openItem(problem);
    await this.page.getByRole("button", { name: /^Regrade \d+ runs?/ }).click();
    // The page follows its runs by itself.
    await this.page.getByRole("button", { name: "Accept the new verdicts" }).waitFor();
    return this.page.getByRole("region", { name: "Changes" }).getByRole("row").filter({ has: this.page.getByRole("link") });
  }

  /** Lets the verdicts of the regrade count that is shown. */
  async acceptRegrade(): Promise<void> {
    await this.page.getByRole("button", { name: "Accept the new verdicts" }).click();
    await this.page.getByText("the new verdicts count").waitFor();
  }

  /** Downloads the gradebook for another system; returns its rows by the names in the first one. */
  async download(kind: "Canvas" | "Moodle"): Promise<Record<string, string>[]> {
    await this.openGrades();
    const downloading = this.page.waitForEvent("download");
    await this.page.getByRole("link", { name: `for ${kind}`, exact: true }).click();
    const download = await downloading;
    assert.match(download.suggestedFilename(), /\.csv$/);
    const [names, ...rows] = csvRows(await readFile(await download.path(), "utf8"));
    return rows.map((row) => Object.fromEntries(names!.map((name, place) => [name, row[place]!])));
  }

  private async openGrades(): Promise<void> {
    await this.page.goto(this.home);
    await this.page.getByRole("link", { name: "Grades", exact: true }).click();
    await this.page.getByRole("heading", { name: "Grades" }).waitFor();
  }

  private async openItem(problem: string): Promise<void> {
    await this.openGrades();
    await this.page.getByRole("link", { name: "How good the problems are" }).click();
    await this.page.getByRole("link", { name: problem, exact: true }).click();
    await this.page.getByRole("heading", { name: problem, exact: true }).waitFor();
  }
}

/** The cells of a CSV file (RFC 4180), by row. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}
