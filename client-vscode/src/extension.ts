import { join } from "node:path";
import { t } from "@vscode/l10n";
import "./text/translation.ts";
import * as vscode from "vscode";
import { Accounts } from "./server/accounts.ts";
import { AgentTools, registerAgentTools, registerMcpServer } from "./assistants/agentTools.ts";
import { AnswerForm } from "./questions/answer.ts";
import { AttemptCommands } from "./attempts/attemptCommands.ts";
import { Attempts } from "./attempts/attempts.ts";
import { Authoring } from "./questions/authoring.ts";
import { registerChat } from "./assistants/chat.ts";
import { ChangeReasons } from "./assistants/changeReasons.ts";
import { ClockItem } from "./attempts/clock.ts";
import { chooseDeclaration } from "./language/declarationChoice.ts";
import { Doctor } from "./server/doctor.ts";
import { Explanations } from "./runs/explanations.ts";
import { reportFocus } from "./attempts/focus.ts";
import type { InstanceView } from "./generated/protocol.ts";
import { Guide } from "./problems/guide.ts";
import { Hints } from "./attempts/hints.ts";
import { reportIdle } from "./attempts/idle.ts";
import { chooseInstance, type ModulePlace } from "./language/instanceChoice.ts";
import { InstanceTree } from "./language/instanceTree.ts";
import { showExpandedFile } from "./language/macroExpansion.ts";
import { Opening } from "./problems/opening.ts";
import { registerPanels } from "./panel.ts";
import { FailureIcons } from "./runs/failureIcons.ts";
import { Organising } from "./studies/organising.ts";
import { OwnTests } from "./runs/ownTests.ts";
import { debugTests } from "./runs/testDebugger.ts";
import { PANELS } from "./panels.ts";
import { ProblemPages } from "./problems/problemPages.ts";
import { chooseProjectList } from "./language/projectList.ts";
import { registerReferences } from "./language/references.ts";
import { RememberedList } from "./problems/rememberedList.ts";
import { ResultsView } from "./runs/results.ts";
import { hintOnSave } from "./attempts/saveHint.ts";
import { ServedModels } from "./assistants/servedModels.ts";
import { Server } from "./server/server.ts";
import { registerSignInLinks } from "./server/signInLink.ts";
import { ServerInstallation } from "./installation/serverInstallation.ts";
import { needsNewServer } from "./settings.ts";
import { SolverEnvironment } from "./assistants/solverEnvironment.ts";
import { SignalTree } from "./language/signalTree.ts";
import { StudyItem } from "./studies/studyItem.ts";
import { StudyPanel } from "./studies/studyPanel.ts";
import { HiddenTests } from "./runs/testing.ts";
import { ProblemTree, type Row } from "./problems/tree.ts";
import { VerdictItem } from "./attempts/verdictItem.ts";
import { watchCommands } from "./server/watchedCommands.ts";
import { Waveforms } from "./design/waveforms.ts";

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const installation = new ServerInstallation(context);
  const server = new Server(() => installation.find());
  const attempts = new Attempts(server);
  const accounts = new Accounts(server);
  const remembered = new RememberedList(join(context.globalStorageUri.fsPath, "problems.json"), process.env.BENCHWRIGHT_HOME ?? "");
  const tree = new ProblemTree(server, attempts, context.globalState, remembered);
  const pages = new ProblemPages(context.extensionUri, server, attempts);
  const opening = new Opening(server, attempts, context.globalState, pages);
  const hints = new Hints(server, attempts);
  const results = new ResultsView(context.extensionUri, attempts, hints);
  const guide = new Guide(context.extensionUri, attempts, hints, opening, context.globalState);
  const doctor = new Doctor(context.extensionUri, server);
  const form = new AnswerForm(context.extensionUri, server, attempts);
  const steps = new AttemptCommands(
    server,
    attempts,
    () => results.show(),
    () => form.settled(),
  );
  const study = new StudyPanel(context.extensionUri, server, attempts, opening, context.globalState);
  const organising = new Organising(server);
  const instances = new InstanceTree(server);
  const signals = new SignalTree(server);
  const servedModels = new ServedModels(attempts, context);
  const explanations = new Explanations(context.extensionUri, server, attempts);
  const agentTools = new AgentTools(server, attempts);
  const waveforms = new Waveforms(context.extensionUri, server, context.workspaceState, attempts);
  const authoring = new Authoring(server);
  const ownTests = new OwnTests(server, attempts, waveforms);
  const choose = async (place?: ModulePlace): Promise<void> => {
    await chooseInstance(server, place);
    instances.refresh();
  };
  server.fromLens = {
    "benchwright.run": ({ uri }) => steps.runFrom(uri),
    "benchwright.submit": ({ uri }) => steps.submitFrom(uri),
    "benchwright.chooseInstance": (place) => choose(place),
    "benchwright.explainFinding": (rule) => explanations.finding(rule),
    "benchwright.runOwnTests": ({ uri, ids }) => ownTests.runIds(uri, ids),
  };

  const commands: Record<string, (...args: never[]) => unknown> = {
    openProblem: (row?: Row) => opening.open(row, false),
    openFresh: (row?: Row) => opening.open(row, true),
    problemDetails: (row?: Row) => pages.show(row),
    nextProblem: (ref?: string) => opening.openNext(ref ?? attempts.current?.problem),
    start: () => steps.start(),
    pause: () => steps.pause(),
    resume: () => steps.resume(),
    run: () => steps.run(),
    cancelRun: () => steps.cancelRun(),
    submit: () => steps.submit(),
    abandon: () => steps.abandon(),
    startGuide: () => guide.start(),
    leaveGuide: () => guide.leave(),
    guideFile: () => guide.showFile(),
    takeHint: async () => (await hints.take()) && results.show(),
    showResults: async () => {
      results.show();
      await guide.sawResults();
    },
    serveModels: () => servedModels.start(),
    stopServingModels: () => servedModels.stop(),
    doctor: () => doctor.show(),
    install: () => installation.install(),
    chooseServer: () => installation.choose(),
    signIn: async () => (await accounts.signIn()) && tree.refresh(),
    study: (row?: Row) => study.show(row && "study" in row ? row.study.study : undefined),
    withdraw: () => study.withdraw(),
    newStudy: () => organising.begin(),
    checkStudy: () => organising.check(),
    beginStudy: () => organising.letBegin(),
    report: () => organising.report(),
    refresh: () => (server.failure ? server.start() : tree.refresh()),
    groupProblems: () => tree.group(),
    filterProblems: () => tree.search(),
    clearFilter: () => tree.setFilter(""),
    restartServer: () => server.start(),
    showLog: () => server.showLog(),
    firstSteps: () => showFirstSteps(),
    chooseInstance: () => choose(),
    chooseList: async () => (await chooseProjectList(server)) && instances.refresh(),
    chooseDeclaration: async () => (await chooseDeclaration(server)) && instances.refresh(),
    expandMacros: () => showExpandedFile(server),
    viewHere: (instance: InstanceView) => instances.viewHere(instance),
    viewDefaults: () => instances.viewDefaults(),
    setTop: (instance: InstanceView) => instances.setTop(instance),
    clearTop: () => instances.setTop(),
    goToInstance: (instance: InstanceView) => instances.goToInstance(instance),
    goToModule: (instance: InstanceView) => instances.goToModule(instance),
    refreshInstances: () => instances.refresh(),
    drivers: () => signals.show("drivers"),
    loads: () => signals.show("loads"),
    goToFlow: (row: Parameters<SignalTree["go"]>[0]) => signals.go(row),
    explainFinding: () => explanations.findingAtCursor(),
    explainFailure: (item?: vscode.TestItem) => explanations.failure(item),
    explainVerdict: () => explanations.verdict(),
    showHiddenWaveform: () => waveforms.showHidden(),
    generatedHint: () => explanations.generated("hint"),
    generatedExplanation: () => explanations.generated("failure"),
    newTestbench: () => ownTests.begin(),
    newProblem: () => authoring.begin(),
    proveProblem: () => authoring.prove(),
    previewProblem: () => authoring.preview(),
    showWaveform: (asked?: vscode.TestItem | { test?: vscode.TestItem }) => ownTests.showWaveform(asked),
    addToWaveform: () => waveforms.addFromSource(),
    openWaveformElsewhere: () => waveforms.openElsewhere(),
  };

  context.subscriptions.push(
    server,
    installation,
    attempts,
    accounts,
    tree,
    instances,
    signals,
    ownTests,
    new FailureIcons(context.extensionUri),
    authoring,
    debugTests(server),
    explanations,
    waveforms,
    results,
    hints,
    guide,
    doctor,
    registerPanels(PANELS, { extension: context.extensionUri, server, attempts, memory: context.globalState }),
    study,
    organising,
    pages,
    servedModels,
    new ClockItem(attempts),
    new StudyItem(attempts),
    new ChangeReasons(server, attempts),
    new SolverEnvironment(server, attempts, context),
    new VerdictItem(attempts),
    new HiddenTests(server, attempts, (uri) => steps.runFrom(uri)),
    form.register(),
    server.onDidChangeState((state) => {
      if (state === "failed") void offerDoctor(server.failure ?? t("The Benchwright server is not running."));
      if (state === "missing") void installation.offer();
      if (state === "ready" && server.started) void installation.offerMatch(server.started);
    }),
    installation.onDidInstall(async () => {
      await server.start();
      await doctor.showMissing();
    }),
    hintOnSave(attempts),
    reportFocus(server, attempts),
    reportIdle(server, attempts),
    watchCommands(server, attempts),
    registerReferences(),
    registerAgentTools(agentTools, context.extension),
    registerMcpServer(agentTools, attempts, installation),
    registerChat(server, attempts, agentTools),
    registerSignInLinks(server, async () => {
      await accounts.getSessions();
      tree.refresh();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsNewServer(event)) void server.start();
    }),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`benchwright.ui.${name}`, run)),
  );

  await server.start();
  await opening.finishPending();
  await study.finishPending();
  // Last, because a starting window shows its own view at first.
  await showAtStart(context.globalState);
}

const HAS_SEEN_FIRST_STEPS = "benchwright.hasSeenFirstSteps";

/** Shows the Benchwright view if the setting asks for it and no editor is open, the first time with the first steps. */
async function showAtStart(memory: vscode.Memento): Promise<void> {
  const isEmpty = vscode.window.tabGroups.all.every((group) => group.tabs.length === 0);
  if (!isEmpty || !vscode.workspace.getConfiguration("benchwright").get("showAtStart")) return;
  if (!memory.get(HAS_SEEN_FIRST_STEPS)) {
    await memory.update(HAS_SEEN_FIRST_STEPS, true);
    await showFirstSteps();
  }
  await vscode.commands.executeCommand("workbench.view.extension.benchwright");
}

async function showFirstSteps(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", "benchwright.benchwright#firstSteps", false);
}

async function offerDoctor(failure: string): Promise<void> {
  const choice = await vscode.window.showErrorMessage(failure, t("Run Doctor"), t("Install Benchwright"), t("Open Settings"));
  if (choice === t("Run Doctor")) await vscode.commands.executeCommand("benchwright.ui.doctor");
  if (choice === t("Install Benchwright")) await vscode.commands.executeCommand("benchwright.ui.install");
  if (choice === t("Open Settings")) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "benchwright.server.command");
  }
}
