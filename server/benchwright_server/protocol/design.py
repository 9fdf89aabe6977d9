"""The `benchwright/*` messages about a design: its instances, macros, file lists and declarations; see `protocol`."""

from __future__ import annotations

from benchwright_server.protocol.messages import Wire


class Point(Wire):
    """A place in a file, as LSP's `Position`."""

    line: int
    """From 0."""
    character: int
    """From 0, in the units of `positionEncoding`."""


class FileRange(Wire):
    """A name in a file, as LSP's `Location`."""

    uri: str
    start: Point
    end: Point


class ParameterValue(Wire):
    """A parameter of an instance."""

    name: str
    value: str
    """A number, a string or a type, as slang prints it; long ones are cut."""


class InstanceView(Wire):
    """One instance of a design."""

    path: str
    """From its top, such as `top.u_core.g_lane[2].u_alu`: what other operations take."""
    name: str
    """Without the path of the instance around it, such as `g_lane[2].u_alu`."""
    module: str
    kind: str
    """`module`, `interface`, `program`, or `unknown` if no file declares it."""
    parameters: list[ParameterValue]
    """In the order of their declaration, without local ones."""
    instantiated: FileRange | None
    """Its name where it is instantiated; null for a top."""
    declared: FileRange | None
    """The name of its module where that is declared; null if it is unknown."""
    has_children: bool
    """True if it has instances of its own."""
    viewed: bool
    """True if its module is viewed as this instance."""


class HierarchyParams(Wire):
    """Parameters of `benchwright/hierarchy`."""

    uri: str
    """A file of the design, or its folder."""
    path: str | None = None
    """The instance whose children are wanted; null for the tops."""


class HierarchyLevel(Wire):
    """Result of `benchwright/hierarchy`."""

    top: str | None
    """The chosen top; null if none was chosen."""
    instances: list[InstanceView]
    """Tops by name, children in the order of the file."""
    complete: bool
    """False if there are more; these are the first."""


class InstancesParams(Wire):
    """Parameters of `benchwright/instances`."""

    uri: str
    """A file of the design, or its folder."""
    module: str


class InstanceList(Wire):
    """Result of `benchwright/instances`."""

    module: str
    chosen: str | None
    """The path of the instance that the module is viewed as; null: with its default parameters."""
    instances: list[InstanceView]
    """Those nearer to the tops first."""
    complete: bool
    """False if there are more, or if the design has too many instances to visit all of them."""


class ViewAsParams(Wire):
    """Parameters of `benchwright/viewAs`."""

    uri: str
    """A file of the design, or its folder."""
    module: str | None = None
    """Null for every module; then `instance` has to be null too."""
    instance: str | None = None
    """The path of one of its instances; null for its default parameters."""


class ViewHereParams(Wire):
    """Parameters of `benchwright/viewHere`."""

    uri: str
    """A file of the design, or its folder."""
    path: str
    """The instance. Modules above and below it are viewed as they are there, each as its nearest instance."""


class SetTopParams(Wire):
    """Parameters of `benchwright/setTop`."""

    uri: str
    """A file of the design, or its folder."""
    module: str | None = None
    """The only top; null for those of the file lists, or all that no other module instantiates."""


class DesignView(Wire):
    """Result of `benchwright/viewAs`, `viewHere` and `setTop`: what holds now."""

    top: str | None
    """The chosen top."""
    instances: dict[str, str]
    """The path of the instance that each module is viewed as; all others have their default parameters."""


class ExpandMacroParams(Wire):
    """Parameters of `benchwright/expandMacro` and `showExpansion`."""

    uri: str
    """A design file that is open."""
    position: Point | None = None
    """In the name of a macro where it is used; null for all uses in the file."""
    full: bool = True
    """Expand the macros in the expansion too; false for one step. A whole file is always expanded fully."""


class MacroExpansion(Wire):
    """Result of `benchwright/expandMacro` and `showExpansion`."""

    uri: str
    """The virtual document that has it (`workspace/textDocumentContent`); stays the same while the file is edited."""
    macro: str | None
    """Null for a whole file."""
    text: str
    complete: bool
    """False if it was longer than 1,000,000 characters; then `text` ends with a comment that says so."""


class ProjectListsParams(Wire):
    """Parameters of `benchwright/projectLists`."""

    uri: str
    """A file of the design, or its folder."""


class ListView(Wire):
    """A file list of a folder."""

    name: str
    """Relative to the folder, if it is in it."""
    used: bool
    targets: list[str]
    """The targets that can be chosen of it; empty for a `.f` file."""
    several: bool
    """True if more than one of its targets can be chosen."""


class ProjectListsView(Wire):
    """Result of `benchwright/projectLists` and `useList`."""

    folder: str
    """Its URI."""
    lists: list[ListView]
    """Those of the settings, else all that the folder has, by kind and name."""
    chosen: str
    """The name of the list that was chosen; empty if none was."""
    target: str
    """That of the settings, else the chosen one; several are separated by commas. Empty for the list's default."""
    by_settings: bool
    """True if `benchwright.project.fileLists` names the lists, so that none can be chosen."""
    target_by_settings: bool
    """True if `benchwright.project.target` names the target, so that none can be chosen."""


class UseListParams(Wire):
    """Parameters of `benchwright/useList`."""

    uri: str
    """A file of the design, or its folder."""
    name: str = ""
    """A list of the folder; empty for the one that is used where none is chosen."""
    target: str = ""
    """A target of it, or several, separated by commas; empty for its default."""


class DeclarationsParams(Wire):
    """Parameters of `benchwright/declarations`."""

    uri: str
    """A file of the design, or its folder."""


class DeclaredSeveralTimes(Wire):
    """A module, or another unit, that several files declare."""

    name: str
    files: list[str]
    """Relative to the folder."""
    chosen: str
    """One of them; empty for the nearest, or for the first of those that are as near."""


class DeclarationsView(Wire):
    """Result of `benchwright/declarations` and `useDeclaration`."""

    folder: str
    """Its URI."""
    modules: list[DeclaredSeveralTimes]
    """Those that were needed so far, by name."""


class UseDeclarationParams(Wire):
    """Parameters of `benchwright/useDeclaration`."""

    uri: str
    """A file of the design, or its folder."""
    module: str
    file: str = ""
    """Relative to the folder; empty for the nearest."""
