import { t } from "@vscode/l10n";
import type {
  AttemptStatus,
  ForecastParams,
  InformationView,
  QuestionnaireParams,
  SelfEstimateParams,
  StudyView,
} from "../../generated/protocol.ts";
import { clockTime } from "../../text/duration.ts";
import {
  conditionSentence,
  deliverySentences,
  informationSentence,
  progressText,
  recordingSentence,
  taskFacts,
  taskSteps,
  type StudyCommand,
} from "../../studies/studyText.ts";
import { estimateFields, questionFields, readEstimates, readQuestions } from "../studyForms.ts";
import { connect } from "../connection.ts";
import { button, element, fieldValue, keepFocus, linkButton, main } from "../elements.ts";
import { richText } from "../richText.ts";

export type ToStudy =
  /** `leftS` is what is left of the present task's time limit, where it has one and the study shows it. */
  | {
      readonly type: "view";
      readonly view: StudyView;
      readonly status: AttemptStatus | undefined;
      readonly leftS: number | undefined;
    }
  | { readonly type: "refused"; readonly reason: string };

export type FromStudy =
  | { readonly type: "agree"; readonly version: string }
  | { readonly type: "decline" }
  | { readonly type: "openTask" }
  | { readonly type: "forecast"; readonly problem: string; readonly given: Omit<ForecastParams, "study" | "problem"> }
  | { readonly type: "unlock"; readonly code: string }
  | { readonly type: "selfEstimate"; readonly given: Omit<SelfEstimateParams, "uri"> }
  | { readonly type: "questionnaire"; readonly answers: QuestionnaireParams["answers"] }
  /** To try again to deliver the records. */
  | { readonly type: "deliver" }
  | { readonly type: "command"; readonly command: StudyCommand };

const send = connect<ToStudy, FromStudy>(receive);
const rich = richText(() => undefined);
const FORECAST_INTRODUCTION = t(
  "Read the problem, then say what you expect. The condition under which you will work on it is shown later, " +
    "and the clock does not run. There are no wrong answers.",
);

const progress = element("p", { class: "policy" });
const title = element("h1", { tabindex: "-1" });
const body = element("div");
// The live region stays in the page, so that screen readers announce what changes in it.
const refusal = element("p", { role: "status", "aria-live": "polite", class: "headline error" });
const leave = element("p", { class: "policy" });
main().append(progress, title, body, refusal, leave);

let shownKey = "";
let ticking: ReturnType<typeof setInterval> | undefined;
let update: (status: AttemptStatus | undefined, leftS: number | undefined) => void = () => undefined;

keepFocus(() => body.querySelector<HTMLElement>("input, textarea, button"));

function receive(message: ToStudy): void {
  if (message.type === "refused") {
    refusal.textContent = message.reason;
    return;
  }
  const { view, status, leftS } = message;
  // What is typed into a form must survive updates of the clock.
  const key = JSON.stringify([view.step, view.position, view.problem, view.workspace, view.consent, view.delivery]);
  if (key !== shownKey) {
    shownKey = key;
    show(view);
  }
  update(status, leftS);
}

function show(view: StudyView): void {
  update = () => undefined;
  refusal.textContent = "";
  progress.textContent = [view.title, progressText(view)].filter(Boolean).join(" · ");
  const [heading, ...content] = PAGES[view.step](view);
  title.textContent = heading;
  body.replaceChildren(...content);
  const isOver = view.step === "finished" || view.step === "withdrawn" || view.step === "closed";
  const hasAgreed = view.consent?.given === true;
  leave.replaceChildren(
    ...(isOver || !hasAgreed
      ? []
      : [`${t("You can stop at any time without giving a reason.")} `, linkButton(t("Withdraw…"), () => command("withdraw"))]),
  );
  title.focus();
  window.scrollTo(0, 0);
}

type Page = readonly [heading: string, ...content: Node[]];

const PAGES: Readonly<Record<StudyView["step"], (view: StudyView) => Page>> = {
  consent,
  open,
  forecast,
  unlock,
  work,
  self_estimate: selfEstimate,
  questionnaire,
  finished,
  withdrawn: () => [t("You have withdrawn"), element("p", {}, t("Nothing more is recorded. You can close this page."))],
  closed: () => [t("This study is over"), element("p", {}, t("It no longer accepts submissions. You can close this page."))],
};

function finished(view: StudyView): Page {
  const waits = view.delivery?.arrived === false;
  return [
    t("Thank you"),
    element("p", {}, t("You have finished this study. You can close this page.")),
    ...deliverySentences(view).map((sentence) => element("p", {}, sentence)),
    actions(
      ...(waits ? [button(t("Try Again Now"), () => send({ type: "deliver" }))] : []),
      button(t("See My Numbers"), () => command("numbers")),
    ),
  ];
}

function consent(view: StudyView): Page {
  const asked = view.consent;
  if (!asked) return [t("Welcome"), actions(button(t("Continue"), () => send({ type: "openTask" })))];
  const isTime = ({ kind }: InformationView): boolean => kind === "time" || kind === "no_limit";
  const time = view.information.filter(isTime);
  const other = view.information.filter((one) => !isTime(one));
  return [
    t("Do you want to take part?"),
    ...(view.description ? [element("div", {}, rich.block(view.description))] : []),
    element("section", { class: "consent", "aria-label": t("Consent text"), tabindex: "0" }, rich.block(asked.text)),
    facts([
      [t("Version of this text"), asked.version],
      [t("How long it takes"), time.map(informationSentence).join(" ")],
      [t("What is recorded"), recordingSentence(view.recording)],
      [t("Your data and your tasks"), other.map(informationSentence).join(" ")],
      [t("Your pseudonym"), view.participant],
    ]),
    element("p", {}, t("Nothing is recorded before you agree. The status bar shows when something is recorded.")),
    actions(
      button(t("I Agree"), () => send({ type: "agree", version: asked.version })),
      quiet(button(t("I Do Not Agree"), () => send({ type: "decline" }))),
    ),
  ];
}

function open(view: StudyView): Page {
  return [
    view.practice ? t("A practice problem") : t("Next: {0}", view.problemTitle ?? t("the next task")),
    ...(view.practice
      ? [element("p", {}, t("Use it to get to know the editor, the clock and the tests. What you do here is not analysed."))]
      : []),
    element("p", {}, conditionSentence(view)),
    facts(taskFacts(view, undefined).slice(1)),
    element("p", {}, t("Read the task first: the clock starts only when you start it.")),
    actions(button(t("Open the Task"), () => send({ type: "openTask" }))),
  ];
}

function forecast(view: StudyView): Page {
  const { toForecast: asked, problem } = view;
  if (!asked || problem == null) return [t("What do you expect?")];
  const { pictures } = asked;
  const statement = richText((path) => pictures[path]).block(asked.statement);
  const form = formOf(estimateFields(view.forecasts, "before"), t("Save and Continue"), (data) => {
    send({ type: "forecast", problem, given: readEstimates(data, view.forecasts) });
  });
  return [
    t("What do you expect of “{0}”?", view.problemTitle ?? problem),
    element("p", {}, FORECAST_INTRODUCTION),
    element("section", { class: "consent", "aria-label": t("The problem"), tabindex: "0" }, statement),
    ...asked.files.map(({ path, text }) =>
      element(
        "details",
        {},
        element("summary", {}, t("File {0}", path)),
        element("pre", { tabindex: "0", "aria-label": path }, text),
      ),
    ),
    form,
  ];
}

function unlock(view: StudyView): Page {
  if (!view.receipt) {
    return [
      t("Waiting for your first task"),
      element("p", {}, t("Your forecasts are recorded. {0} gives you your tasks once it has them.", view.dataTo)),
      element("p", {}, t("It does not answer at the moment. Nothing is lost.")),
      button(t("Try Again Now"), () => send({ type: "deliver" })),
    ];
  }
  const input = element("input", { name: "code", id: "field-code", required: "", autocomplete: "off", spellcheck: "false" });
  const label = element("label", { for: "field-code" }, t("Code from the organisers"));
  const form = formOf([element("div", { class: "written field" }, label, input)], t("Show My First Task"), (data) => {
    send({ type: "unlock", code: fieldValue(data, "code") });
  });
  return [
    t("Ask for your code"),
    element(
      "p",
      {},
      t("Your forecasts are recorded. Tell the organisers the receipt below. They give you the code that opens your tasks."),
    ),
    facts([[t("Receipt"), view.receipt ?? ""]]),
    form,
  ];
}

function work(view: StudyView): Page {
  const news = element("dl", { class: "wide" });
  const left = element("dd");
  const buttons = element("div", { class: "actions" });
  let faces = "";
  update = (status, leftS) => {
    clearInterval(ticking);
    news.replaceChildren(...rows(taskFacts(view, status)));
    if (status !== undefined && leftS !== undefined) {
      news.append(element("div", {}, element("dt", {}, t("Time left")), left));
      const since = performance.now();
      const draw = (): void => {
        const runs = status.state === "running" && !status.held;
        left.textContent = clockTime(Math.max(0, leftS - (runs ? (performance.now() - since) / 1000 : 0)));
      };
      draw();
      ticking = setInterval(draw, 1000);
    }
    const offered = taskSteps(status);
    // Buttons that stay keep the focus.
    if (JSON.stringify(offered) === faces) return;
    faces = JSON.stringify(offered);
    buttons.replaceChildren(
      ...offered.map(([label, name]) => {
        const made = button(label, () => command(name));
        return name === "abandon" ? quiet(made) : made;
      }),
    );
  };
  return [
    view.problemTitle ?? t("The task"),
    element("p", {}, conditionSentence(view)),
    news,
    buttons,
    element("p", { class: "policy" }, t("These commands are also in the command palette (F1), under Benchwright.")),
  ];
}

function selfEstimate(view: StudyView): Page {
  const fields = estimateFields(view.selfEstimates, "after");
  const form = formOf(fields, t("Save and Continue"), (data) => {
    send({ type: "selfEstimate", given: readEstimates(data, view.selfEstimates) });
  });
  return [t("How was it?"), element("p", {}, t("About the task “{0}”, which has ended.", view.problemTitle ?? "")), form];
}

function questionnaire(view: StudyView): Page {
  const form = formOf(questionFields(view.questions), t("Send My Answers"), (data) => {
    send({ type: "questionnaire", answers: readQuestions(data, view.questions) });
  });
  return [t("A few questions at the end"), form];
}

function formOf(fields: readonly Node[], label: string, send: (data: FormData) => void): HTMLFormElement {
  const form = element("form", {}, ...fields, actions(element("button", { type: "submit" }, label)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    refusal.textContent = "";
    send(new FormData(form));
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  return form;
}

function command(name: StudyCommand): void {
  refusal.textContent = "";
  send({ type: "command", command: name });
}

function actions(...buttons: readonly Node[]): HTMLElement {
  return element("div", { class: "actions" }, ...buttons);
}

function quiet(made: HTMLButtonElement): HTMLButtonElement {
  made.classList.add("quiet");
  return made;
}

function facts(pairs: readonly (readonly [string, string])[]): HTMLElement {
  return element("dl", { class: "wide" }, ...rows(pairs));
}

function rows(pairs: readonly (readonly [string, string])[]): HTMLElement[] {
  return pairs.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
}
