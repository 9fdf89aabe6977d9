"""Which operations are also commands (LSP 3.18, `workspace/executeCommand`); each is `benchwright.NAME`."""

from __future__ import annotations

COMMANDS = (
    "packs",
    "signIn",
    "signInByBrowser",
    "signInFinish",
    "accounts",
    "signOut",
    "open",
    "status",
    "start",
    "pause",
    "resume",
    "run",
    "cancelRun",
    "submit",
    "abandon",
    "question",
    "length",
    "doctor",
    "studies",
    "study",
    "giveConsent",
    "withdrawConsent",
    "openTask",
    "forecast",
    "unlock",
    "selfEstimate",
    "questionnaire",
    "replay",
    "replayAt",
    "trace",
    "numbers",
    "hints",
    "hint",
)
"""The operations that are also commands, in the order of `operations.OPERATIONS`."""

DESIGN_COMMANDS = ("hierarchy", "instances", "viewAs", "viewHere", "setTop")
"""The operations on the instances of a design, which are also commands, in the order of `DESIGN_OPERATIONS`."""

VIEW_COMMANDS = ("drivers", "loads", "registers", "stateMachines", "schematic", "designSize")
"""The operations that show a part of a design, which are also commands, in the order of `VIEW_OPERATIONS`."""

EXPANSION_COMMANDS = ("expandMacro", "showExpansion")
"""The operations on macros, which are also commands, in the order of `EXPANSION_OPERATIONS`."""

LIST_COMMANDS = ("projectLists", "useList", "declarations", "useDeclaration")
"""The operations on file lists and declarations, which are also commands, in the order of `LIST_OPERATIONS` and
`DECLARATION_OPERATIONS`."""

AGENT_COMMANDS = ("agentTools", "agentTool", "chatPrompt")
"""The operations of agents, in the order of `AGENT_OPERATIONS`."""

EXPLAIN_COMMANDS = ("explainFinding", "explainFailure", "generatedHelp")
"""The operations that explain something, which are also commands, in the order of `EXPLAIN_OPERATIONS`."""
WAVEFORM_COMMANDS = (
    "waveform",
    "waveformItems",
    "waveformWindow",
    "waveformValues",
    "waveformChange",
    "waveformSource",
    "waveformSignal",
    "waveformCursor",
    "closeWaveform",
    "hiddenWaveform",
)
"""The operations on waveforms, which are also commands, in the order of `WAVEFORM_OPERATIONS`."""

AUTHORING_COMMANDS = (
    *("newProblem", "proveProblem", "previewProblem"),
    *("questionForm", "checkQuestionForm", "saveQuestionForm", "addFigure", "questionTwin"),
    *("questionModels", "tryQuestion"),
    *("examQuestions", "examQuestion", "saveExamQuestion", "makeExamPack"),
)
"""The operations for those who write problems, which are also commands.

`AUTHORING_OPERATIONS`, `QUESTION_FORM_OPERATIONS`, `QUESTION_TRY_OPERATIONS`, `EXAM_OPERATIONS`.
"""

OWN_TEST_COMMANDS = ("ownTests", "runOwnTests", "newTestbench")
"""The operations on the tests in a folder, which are also commands, in the order of `OWN_TEST_OPERATIONS`."""
