"""Every language feature: its methods, its server capabilities, its switch, and the module that registers it.

Imports nothing heavy: `initialize` is answered from here before the server itself is loaded. A feature's module has a
function `register(server)` that serves the methods with `server.feature(METHOD)`; options such as trigger characters
are listed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchwright_server.client import Client

COMMANDS = (
    "packs",
    "problemPage",
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
    *("organisedStudies", "newStudy", "checkStudy", "beginStudy", "writeReport"),
)
"""The operations for those who write problems, which are also commands.

`AUTHORING_OPERATIONS`, `QUESTION_FORM_OPERATIONS`, `QUESTION_TRY_OPERATIONS`, `EXAM_OPERATIONS`,
`ORGANISED_STUDY_OPERATIONS`.
"""

OWN_TEST_COMMANDS = ("ownTests", "runOwnTests", "newTestbench")
"""The operations on the tests in a folder, which are also commands, in the order of `OWN_TEST_OPERATIONS`."""


EXPANSION_SCHEME = "benchwright-macro"
"""Of the addresses of expanded macros."""

CODE_ACTION_KINDS = ("quickfix", "refactor.rewrite", "source.fixAll")


@dataclass(frozen=True)
class Feature:
    """One language feature."""

    module: str
    """Its module in the package `features`, as `folder.name`."""
    methods: tuple[str, ...]
    capability: Callable[[Client], dict[str, Any]]
    """The entries that it adds to `ServerCapabilities`."""
    is_wanted: Callable[[Client], bool]
    does: str
    """One sentence for the reference."""
    switch_text: str = ""
    """The sentence beside its switch in the settings, if it is not the same."""
    setting: str = ""
    """The setting that turns it on, if it has no switch of its own."""
    commands: tuple[str, ...] = ()
    """The commands that it adds to `workspace/executeCommand`."""

    @property
    def name(self) -> str:
        """The module's name."""
        return self.module.rpartition(".")[2]

    @property
    def switch(self) -> str:
        """The path of the setting that turns it on and off."""
        return self.setting or f"features.{self.name}"


def _fixed_capability(**capability: Any) -> Callable[[Client], dict[str, Any]]:
    return lambda client: capability


def _declares_any(*capability_paths: str) -> Callable[[Client], bool]:
    return lambda client: any(client.supports(f"textDocument.{path}") for path in capability_paths)


def _navigation_capabilities(client: Client) -> dict[str, Any]:
    navigation_kinds = ("definition", "declaration", "typeDefinition", "implementation")
    return {f"{way}Provider": True for way in navigation_kinds if client.supports(f"textDocument.{way}")}


def _rename_capability(client: Client) -> dict[str, Any]:
    # LSP 3.18, `RenameOptions`: only for clients that say they can prepare.
    prepares = client.supports("textDocument.rename.prepareSupport")
    return {"renameProvider": {"prepareProvider": True, "workDoneProgress": True} if prepares else True}


def _code_action_capability(client: Client) -> dict[str, Any]:
    options: dict[str, Any] = {"codeActionKinds": list(CODE_ACTION_KINDS)}
    if "edit" in client.capability_strings("textDocument.codeAction.resolveSupport.properties"):
        options["resolveProvider"] = True
    return {"codeActionProvider": options}


def _formatting_capability(client: Client) -> dict[str, Any]:
    capability: dict[str, Any] = {}
    if client.supports("textDocument.formatting"):
        capability["documentFormattingProvider"] = True
    if client.supports("textDocument.rangeFormatting"):
        several_ranges = client.supports("textDocument.rangeFormatting.rangesSupport")
        capability["documentRangeFormattingProvider"] = {"rangesSupport": True} if several_ranges else True
    if client.supports("textDocument.onTypeFormatting"):
        more_triggers = ["\n", "d", "e"]
        capability["documentOnTypeFormattingProvider"] = {
            "firstTriggerCharacter": ";",
            "moreTriggerCharacter": more_triggers,
        }
    return capability


def _semantic_token_capability(client: Client) -> dict[str, Any]:
    from benchwright_verilog.semantics.names.token_legend import MODIFIERS, TYPES

    legend = {"tokenTypes": list(TYPES), "tokenModifiers": list(MODIFIERS)}
    return {"semanticTokensProvider": {"legend": legend, "full": {"delta": True}, "range": True}}


def _expansion_capability(client: Client) -> dict[str, Any]:
    if not client.supports("workspace.textDocumentContent"):
        return {}
    return {"workspace": {"textDocumentContent": {"schemes": [EXPANSION_SCHEME]}}}


_DIAGNOSTICS = {"identifier": "benchwright", "interFileDependencies": True, "workspaceDiagnostics": False}


def _pulls_diagnostics(client: Client) -> bool:
    return client.supports("textDocument.diagnostic")


FEATURES: tuple[Feature, ...] = (
    Feature(
        "language.hover",
        ("textDocument/hover",),
        _fixed_capability(hoverProvider=True),
        _declares_any("hover"),
        "What a name is: declaration, type, width, value, documentation; numbers in other radices; macros expanded.",
        switch_text="Declaration, type, width and value of the name under the cursor.",
    ),
    Feature(
        "language.completion",
        ("textDocument/completion", "completionItem/resolve"),
        _fixed_capability(
            completionProvider={"triggerCharacters": [".", ":", "`", "$", "(", '"', "/"], "resolveProvider": True}
        ),
        _declares_any("completion"),
        "Ports and parameters of an instance, members, package items, macros, system tasks, names in scope, snippets.",
        switch_text="Completions that fit the cursor position.",
    ),
    Feature(
        "language.signature_help",
        ("textDocument/signatureHelp",),
        _fixed_capability(signatureHelpProvider={"triggerCharacters": ["(", ","], "retriggerCharacters": [","]}),
        _declares_any("signatureHelp"),
        "Arguments of tasks, functions and system tasks; parameters and ports of a module.",
        switch_text="Arguments of tasks, functions, parameters and ports.",
    ),
    Feature(
        "language.definition",
        (
            "textDocument/definition",
            "textDocument/declaration",
            "textDocument/typeDefinition",
            "textDocument/implementation",
        ),
        _navigation_capabilities,
        _declares_any("definition", "declaration", "typeDefinition", "implementation"),
        "Where a name comes from, through hierarchy, bindings, packages, interfaces, generate blocks, covergroups, "
        "configs, macros and includes.",
        switch_text="The place where a name is declared, defined, typed or implemented.",
    ),
    Feature(
        "language.references",
        ("textDocument/references",),
        _fixed_capability(referencesProvider={"workDoneProgress": True}),
        _declares_any("references"),
        "Every occurrence of a name, in all files.",
        switch_text="All references to a name.",
    ),
    Feature(
        "language.highlight",
        ("textDocument/documentHighlight",),
        _fixed_capability(documentHighlightProvider=True),
        _declares_any("documentHighlight"),
        "Every occurrence of the name under the cursor in this file, reads and writes distinguished.",
        switch_text="Other occurrences of the name under the cursor.",
    ),
    Feature(
        "language.rename",
        ("textDocument/rename", "textDocument/prepareRename"),
        _rename_capability,
        _declares_any("rename"),
        "Renaming at every occurrence; rejected, with the reason, if it would not be safe.",
        switch_text="Renaming at every occurrence.",
    ),
    Feature(
        "language.file_renames",
        ("workspace/willRenameFiles",),
        _fixed_capability(
            workspace={"fileOperations": {"willRename": {"filters": [{"scheme": "file", "pattern": {"glob": "**"}}]}}}
        ),
        lambda client: client.supports("workspace.fileOperations.willRename"),
        "Includes and file lists that follow a file or folder which gets another name.",
        switch_text="Includes and file lists follow a file or folder that gets another name.",
    ),
    Feature(
        "language.call_hierarchy",
        ("textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"),
        _fixed_capability(callHierarchyProvider=True),
        _declares_any("callHierarchy"),
        "Callers and callees of tasks and functions; drivers and loads of signals.",
        switch_text="Callers and callees of tasks and functions, drivers and loads of signals.",
    ),
    Feature(
        "language.document_symbols",
        ("textDocument/documentSymbol",),
        _fixed_capability(documentSymbolProvider=True),
        _declares_any("documentSymbol"),
        "The outline of a file, also of one with syntax errors.",
        switch_text="The outline of a file.",
    ),
    Feature(
        "language.workspace_symbols",
        ("workspace/symbol",),
        _fixed_capability(workspaceSymbolProvider={"workDoneProgress": True}),
        lambda client: client.supports("workspace.symbol"),
        "Names of all files.",
        switch_text="Symbols in all files.",
    ),
    Feature(
        "language.folding",
        ("textDocument/foldingRange",),
        _fixed_capability(foldingRangeProvider=True),
        _declares_any("foldingRange"),
        "Blocks, comments, conditional regions and lists that can be folded.",
        switch_text="Folding ranges.",
    ),
    Feature(
        "language.selection_ranges",
        ("textDocument/selectionRange",),
        _fixed_capability(selectionRangeProvider=True),
        _declares_any("selectionRange"),
        "Expanding and shrinking the selection along the syntax.",
    ),
    Feature(
        "language.document_links",
        ("textDocument/documentLink",),
        _fixed_capability(documentLinkProvider={}),
        _declares_any("documentLink"),
        "Included files, and the files that a statement names.",
        switch_text="Links to included files, and to the files that a problem statement names.",
    ),
    Feature(
        "language.semantic_tokens",
        (
            "textDocument/semanticTokens/full",
            "textDocument/semanticTokens/full/delta",
            "textDocument/semanticTokens/range",
        ),
        _semantic_token_capability,
        _declares_any("semanticTokens"),
        "Semantic colours; code that `ifdef` excludes is marked.",
        switch_text="Semantic colours; code that `ifdef` leaves out is grey.",
    ),
    Feature(
        "language.inlay_hints",
        ("textDocument/inlayHint",),
        _fixed_capability(inlayHintProvider=True),
        _declares_any("inlayHint"),
        "Port names, widths, values of constants, implicit nets.",
        switch_text="Port names, widths and values, shown inline.",
    ),
    Feature(
        "language.code_actions",
        ("textDocument/codeAction", "codeAction/resolve"),
        _code_action_capability,
        _declares_any("codeAction.codeActionLiteralSupport"),
        "Fixes of what slang and verible found; missing ports, signals and modules; `.*` and ports written out; "
        "waivers; `always` blocks rewritten.",
        switch_text="Quick fixes and refactorings.",
    ),
    Feature(
        "language.formatting",
        (
            "textDocument/formatting",
            "textDocument/rangeFormatting",
            "textDocument/rangesFormatting",
            "textDocument/onTypeFormatting",
        ),
        _formatting_capability,
        _declares_any("formatting", "rangeFormatting", "onTypeFormatting"),
        "Formatting by verible, as minimal edits.",
        switch_text="Formatting by verible: files, ranges, and while typing.",
    ),
    Feature(
        "language.code_lens",
        ("textDocument/codeLens", "codeLens/resolve"),
        _fixed_capability(codeLensProvider={"resolveProvider": True}),
        _declares_any("codeLens"),
        "Run the hidden tests, submit, instances of a module.",
        switch_text="The lines above a module: run, submit, instances.",
        commands=("showInstances",),
    ),
    Feature(
        "design.instances",
        tuple(f"benchwright/{name}" for name in DESIGN_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "The hierarchy of instances, its top, and the instance that a module is viewed as.",
        switch_text="The hierarchy of instances, and the instance that a module is viewed as.",
        commands=(*DESIGN_COMMANDS, "chooseInstance"),
    ),
    Feature(
        "agent.agent_tools",
        tuple(f"benchwright/{name}" for name in AGENT_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "What an agent may ask of an attempt: its problem, files, findings, hierarchy, the hidden tests; for "
        "`benchwright mcp`.",
        switch_text="The tools that `benchwright mcp` offers to agents.",
        commands=AGENT_COMMANDS,
    ),
    Feature(
        "design.design_views",
        tuple(f"benchwright/{name}" for name in VIEW_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "What drives a signal and what it drives, through ports; registers, schematic and size of a module. Attempts "
        "can forbid it.",
        switch_text="Drivers and loads across the hierarchy; registers, state machines, schematic and size "
        "of a module.",
        commands=VIEW_COMMANDS,
    ),
    Feature(
        "attempt.explanations",
        tuple(f"benchwright/{name}" for name in EXPLAIN_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "What a rule of slang, Verilator or verible means, with examples; likely causes of a failure, by rule "
        "and, where allowed, by a model. Attempts can forbid it.",
        switch_text="The meaning of a rule of slang, Verilator or verible, and the likely causes of a failure.",
        commands=EXPLAIN_COMMANDS,
    ),
    Feature(
        "design.macro_expansion",
        ("workspace/textDocumentContent", *(f"benchwright/{name}" for name in EXPANSION_COMMANDS)),
        _expansion_capability,
        lambda client: True,
        "What the use of a macro, or a whole file, expands to, as a document; fully or by one step.",
        switch_text="The expansion of the use of a macro, or of a whole file, as a document; fully or by one step.",
        commands=EXPANSION_COMMANDS,
    ),
    Feature(
        "design.project_lists",
        tuple(f"benchwright/{name}" for name in LIST_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "Which file list of a folder is used, and which of its targets; without a list, which of several files that "
        "declare a module counts. Both are asked for.",
        switch_text="Choosing which file list of a folder is used, its target, and which of several files "
        "declares a module; asked where that is not clear.",
        commands=(*LIST_COMMANDS, "chooseList", "chooseDeclaration"),
    ),
    Feature(
        "attempt.own_tests",
        tuple(f"benchwright/{name}" for name in OWN_TEST_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "The tests in a folder: cocotb tests and testbenches are found, run in the sandbox, and begun for a module.",
        switch_text="The tests in a folder: cocotb tests and testbenches, found and run.",
        commands=OWN_TEST_COMMANDS,
    ),
    Feature(
        "design.waveforms",
        tuple(f"benchwright/{name}" for name in WAVEFORM_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "What is in a waveform, FST or VCD, windows of it, and which signal of the source is which of it. Attempts can "
        "forbid it.",
        switch_text="Waveforms of simulations: read, shown, and their values in the source.",
        commands=WAVEFORM_COMMANDS,
    ),
    Feature(
        "authoring.authoring",
        tuple(f"benchwright/{name}" for name in AUTHORING_COMMANDS),
        _fixed_capability(),
        lambda client: True,
        "Problems that somebody writes: begun, proved from both sides on request and on saving, seen as a solver does;"
        " questions in a form, and tried on models; an exam's questions, reviewed and made into a pack; a study"
        "'s file and its report.",
        switch_text="Writing problems: beginning one, proving it from both sides, seeing it as a solver does.",
        commands=AUTHORING_COMMANDS,
    ),
    Feature(
        "language.type_hierarchy",
        ("textDocument/prepareTypeHierarchy", "typeHierarchy/supertypes", "typeHierarchy/subtypes"),
        _fixed_capability(typeHierarchyProvider=True),
        _declares_any("typeHierarchy"),
        "What a class extends and implements, and what extends or implements it.",
        switch_text="The classes and interfaces that a class extends and implements, and those that extend "
        "or implement it.",
    ),
    Feature(
        "language.linked_editing",
        ("textDocument/linkedEditingRange",),
        _fixed_capability(linkedEditingRangeProvider=True),
        _declares_any("linkedEditingRange"),
        "The name of a block or declaration and the label of its end change together.",
    ),
    Feature(
        "language.inline_completion",
        ("textDocument/inlineCompletion",),
        _fixed_capability(inlineCompletionProvider=True),
        _declares_any("inlineCompletion"),
        "Inline suggestions of the assistant's model; off by default, and off in attempts that forbid it.",
        setting="assistant.enabled",
        commands=("assistAccepted",),
    ),
    Feature(
        "language.diagnostics",
        ("textDocument/diagnostic",),
        _fixed_capability(diagnosticProvider=_DIAGNOSTICS),
        _pulls_diagnostics,
        "Findings of slang, Verilator and verible, merged; pushed to clients that can't pull them.",
        switch_text="Errors and warnings of slang, Verilator and verible.",
    ),
    Feature(
        "language.workspace_diagnostics",
        ("workspace/diagnostic",),
        lambda client: {"diagnosticProvider": _DIAGNOSTICS | {"workspaceDiagnostics": True}},
        _pulls_diagnostics,
        "Findings in all files of the open folders, open or not; off by default.",
        setting="diagnostics.all_files",
    ),
)
