"""Parser of MoorDyn 2 input files. The parser does not stop at input that cannot be translated, but records such input
in a list of faults.

MoorDyn identifies the values in a row by their order, so column headings are ignored.

Source: MoorDyn 2.7, documentation, "Input Files".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import dist, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from windlass.framework.errors import ModelError, OutputError

SECTIONS = {
    "line types": ("LINE TYPES", "LINE DICTIONARY"),
    "rod types": ("ROD TYPES", "ROD DICTIONARY"),
    "bodies": ("BODIES", "BODY LIST", "BODY PROPERTIES"),
    "rods": ("RODS", "ROD LIST", "ROD PROPERTIES"),
    "points": ("POINTS", "POINT LIST", "POINT PROPERTIES", "CONNECTION PROPERTIES", "NODE PROPERTIES"),
    "lines": ("LINES", "LINE LIST", "LINE PROPERTIES"),
    "failure": ("FAILURE",),
    "control": ("CONTROL",),
    "external loads": ("EXTERNAL LOADS",),
    "syrope": ("SYROPE IC",),
    "options": ("OPTIONS",),
    "outputs": ("OUTPUT",),
}
"""Texts that identify the heading of each section."""
WITHOUT_HEADINGS = "options", "outputs"
HEADING_LINES = 2
"""Number of lines between the heading of a section and its first row. These lines contain the names and the units of
columns.
"""
FIXED = "FIXED", "FIX", "ANCHOR"
COUPLED = "COUPLED", "CPLD", "VESSEL", "VES"
FREE = "FREE", "POINT", "CONNECT", "CON"
PINNED = "COUPLEDPINNED", "CPLDPIN", "VESSELPINNED", "VESPIN"
MOVING = "free", "pinned"
"""Types of bodies that move under forces. The origin of a pinned body is fixed."""
TURNING = "free", "pinned", "body pinned"
"""Types of rods whose direction is not prescribed."""
UNKNOWN = -1
"""This number identifies an object if its own number cannot be read."""


class NotTranslated(ModelError):
    """Exception for items of a MoorDyn input file without an equivalent in Windlass.

    Attributes:
        items: one text for each item, with the line number in the file, the item, the value, and the allowed values.
    """

    def __init__(self, file: Path, items: Sequence[str]) -> None:
        self.items = list(items)
        lines = "".join(f"\n  {line}" for line in self.items)
        super().__init__(f"{file}: {len(self.items)} item(s) have no counterpart in Windlass:{lines}")


class Row(NamedTuple):
    """A line of a section: its line number in the file, counted from 1, and its words."""

    number: int
    words: list[str]


class Slow(NamedTuple):
    """The slow part of a viscoelastic line, in series with EA. ``damping`` [N s] is its damping, and ``static`` [N] is
    the stiffness under slowly applied loads. For lines with working curves, ``curve`` contains the strains [1] and
    tensions [N] of the original working curve, and ``form`` contains the columns of `WorkingCable3D` that describe the
    working curves. The stiffness for fast loads increases by ``stiffening`` [1] times the mean load.
    """

    damping: float
    static: float
    stiffening: float = 0.0
    curve: tuple[tuple[float, float], ...] = ()
    form: tuple[tuple[str, float], ...] = ()


class LineType(NamedTuple):
    """A row of LINE TYPES, in the units of the file (m, kg/m, N, N s, N m^2). Coefficients of drag and added mass have
    no unit.

    For viscoelastic lines, ``stiffness`` and ``damping`` are the dynamic values, and ``slow`` is the slow part. For a
    table of EA, ``stiffness`` is the mean slope, and ``table`` contains pairs of strain [1] and tension [N].
    """

    diameter: float
    mass: float
    stiffness: float
    damping: float
    bending: float
    drag: float
    added_mass: float
    axial_drag: float
    axial_added_mass: float
    slow: Slow | None = None
    table: tuple[tuple[float, float], ...] = ()


class RodType(NamedTuple):
    """A row of ROD TYPES: diameter [m], mass per length [kg/m], coefficients [1] of drag and added mass across the
    axis, and coefficients [1] of the ends along the axis.
    """

    diameter: float
    mass: float
    drag: float
    added_mass: float
    end_drag: float
    end_added_mass: float


class Body(NamedTuple):
    """A row of BODIES: attachment ("fixed", "coupled", "free" or "pinned"), position [m], and angles about x, y, z
    [deg].

    The other values are given only for free and pinned bodies: mass [kg], centre of mass [m], moments of inertia
    [kg m^2] about the centre of mass, volume [m^3], drag area [m^2], and coefficient of added mass [1]. These values do
    not include the rods and points on the body.
    """

    kind: str
    position: tuple[float, ...]
    angles: tuple[float, ...]
    mass: float = 0.0
    center: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: tuple[float, ...] = (0.0, 0.0, 0.0)
    volume: float = 0.0
    drag_area: float = 0.0
    added_mass: float = 0.0


class Rod(NamedTuple):
    """A row of RODS: attachment ("fixed", "free", "pinned", "body" or "body pinned"), name of the rod type, positions
    [m] of the ends A and B, number of segments, and number of the body. If the rod is attached to a body, the positions
    are relative to the body. A rod with 0 segments has the length 0 and a ``direction``, which is 0 for rods that turn.
    """

    kind: str
    type: str
    ends: tuple[tuple[float, ...], tuple[float, ...]]
    segments: int
    body: int = 0
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)


class Point(NamedTuple):
    """A row of POINTS, or an end of a rod: attachment, position [m], mass [kg], volume [m^3], drag area [m^2], and
    coefficient of added mass [1]. The attachment is "fixed", "coupled", "free", "body" with the number of the body, or
    "rod" with the number of a moving rod.
    """

    kind: str
    position: tuple[float, ...]
    mass: float = 0.0
    volume: float = 0.0
    drag_area: float = 0.0
    added_mass: float = 0.0
    body: int = 0
    rod: int = 0


class Line(NamedTuple):
    """A row of LINES: name of the line type, numbers of the points at ends A and B, unstretched length [m], and number
    of segments.
    """

    type: str
    ends: tuple[int, int]
    length: float
    segments: int


class Failure(NamedTuple):
    """A row of FAILURE: the number of a point, the number of the line that breaks off at this point, and the time [s]
    and the tension [N] at which the line breaks. The value 0 means no limit of the time or of the tension.
    """

    point: int
    line: int
    time: float
    tension: float


class Channel(NamedTuple):
    """An output: its name in the file, type and number of the object, number of the node of a line or rod (-1 for
    outputs without a node), and quantity.
    """

    name: str
    kind: str
    number: int
    node: int
    quantity: str


@dataclass
class InputFile:
    """The content of a MoorDyn input file, in the units of the file.

    Attributes:
        path: the file.
        types, rod_types, bodies, rods, points, lines: dictionaries from names or numbers to rows. The points include
            the ends of rods, with the numbers `number_end`. The bodies include the coupled rods, with the negative
            numbers of the rods: such a rod belongs to a body with the origin at its end A.
        options: dictionary from the name of each option, in lower-case letters, to its line number in the file and its
            value.
        failures: dictionary from numbers to rows of FAILURE.
        loads: dictionary from line numbers to two loads [N] (SYROPE IC): the largest mean load before the start, and
            the mean load at the start.
        channels: the outputs that the file requests.
        faults: texts about rows and options that Windlass cannot translate.
        notes: texts about ignored values that do not affect the motion.
    """

    path: Path
    types: dict[str, LineType] = field(default_factory=dict)
    rod_types: dict[str, RodType] = field(default_factory=dict)
    bodies: dict[int, Body] = field(default_factory=dict)
    rods: dict[int, Rod] = field(default_factory=dict)
    points: dict[int, Point] = field(default_factory=dict)
    lines: dict[int, Line] = field(default_factory=dict)
    options: dict[str, tuple[int, str]] = field(default_factory=dict)
    failures: dict[int, Failure] = field(default_factory=dict)
    loads: dict[int, tuple[float, float]] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def find(self, name: str) -> Path:
        """Return the path of a file with the given name. The file is in the folder of the input file or, if this folder
        does not contain the file, in the working directory.
        """
        path = self.path.parent / name
        return Path(name) if not path.exists() and Path(name).exists() else path

    def refuse(self, number: int, item: str, words: str) -> None:
        """Record a fault in a line of the file."""
        self.faults.append(f"line {number}: {item}: {words}")

    def number(
        self, at: int, item: str, text: str, unit: str, least: float | None = None, above: bool = False
    ) -> float:
        """Convert a word of a row to a number. If the word is not a number, record a fault and return 0. If the number
        is not finite or is out of range, record a fault and return the number.
        """
        try:
            value = float(text)
        except ValueError:
            self.refuse(at, f"{item} = {text!r}", f"must be a number [{unit}]")
            return 0.0
        if value != value or value in (float("inf"), float("-inf")):
            self.refuse(at, f"{item} = {text}", f"must be finite [{unit}]")
        elif least is not None and (value <= least if above else value < least):
            self.refuse(at, f"{item} = {text} {unit}", f"must be {'>' if above else '>='} {least:g} {unit}")
        return value

    def add(self, table: dict[Any, Any], key: Any, row: Any, at: int, item: str) -> None:
        """Add a row to its table. Record a fault if the table already contains the number or name of the row."""
        if key in table:
            self.refuse(at, f"{item} is given twice", f"{'names' if isinstance(key, str) else 'numbers'} must differ")
        elif key != UNKNOWN:
            table[key] = row

    def option(
        self, names: Sequence[str], default: float, unit: str, least: float | None = None, above: bool = False
    ) -> float:
        """Return the value of an option, which can have several names. If the file contains the option several times,
        the last value is used.
        """
        found = [self.options[name] for name in names if name in self.options]
        if not found:
            return default
        at, text = max(found)
        return self.number(at, names[0], text, unit, least, above)


def read_input(path: Path) -> InputFile:
    """Read a file. Faults in its rows are recorded in ``faults``.

    Raises:
        OutputError: the file cannot be read.
        ModelError: one of the sections of line types, points and lines is missing, and the file has no section of
            bodies or rods.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise OutputError(f"input file of MoorDyn {path} cannot be read: {error.strerror}") from None
    file = InputFile(path)
    sections = split_sections(file, text.splitlines())
    has_rigid = "bodies" in sections or "rods" in sections
    for name in ("line types", "points", "lines"):
        if name not in sections and not has_rigid:
            raise ModelError(f"{path} has no section {SECTIONS[name][0]}: must be an input file of MoorDyn 2")
    for name, read in READERS.items():
        for row in sections.get(name, ()):
            read(file, row)
    check_references(file, sections.get("lines", []))
    return file


def split_sections(file: InputFile, lines: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows of the sections. Text after ``#`` is a comment.

    Text below an unknown heading is a fault. Text before the first known heading is the title.
    """
    found: dict[str, list[Row]] = {}
    current, skip, heading = "", 0, Row(0, [])
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if "---" in line:
            title = line.upper()
            current = next((name for name, words in SECTIONS.items() if any(word in title for word in words)), "")
            if current:
                found.setdefault(current, [])
            skip = HEADING_LINES if current and current not in WITHOUT_HEADINGS else 0
            heading = Row(number, line.replace("-", " ").split())
        elif skip:
            skip -= 1
        elif words and current:
            found[current].append(Row(number, words))
        elif words and found and heading.number:
            known = ", ".join(names[0] for names in SECTIONS.values())
            file.refuse(heading.number, f"section {' '.join(heading.words)!r}", f"must be one of {known}")
            heading = Row(0, [])
    return found


def _has(file: InputFile, row: Row, section: str, count: int) -> bool:
    """Return whether a row has enough values. If values are missing, record a fault."""
    if len(row.words) >= count:
        return True
    file.refuse(row.number, f"{section} has {len(row.words)} values", f"must have {count}")
    return False


def _read_type(file: InputFile, row: Row) -> None:
    """Read a row of LINE TYPES: name, diameter, mass, EA, BA, EI, Cd, Ca, CdAx, CaAx, and Cl."""
    at, words = row
    if len(words) == 9:
        file.refuse(at, f"line type {words[0]} has 9 values", "must have 10, with EI in place 6, as in MoorDyn 2")
        return
    if not _has(file, row, "LINE TYPES", 10):
        return
    name = words[0]

    def number(k: int, what: str, unit: str, least: float | None, above: bool = False) -> float:
        return file.number(at, f"{what} of line type {name}", words[k], unit, least, above)

    stiffness, damping, slow, table = _read_elasticity(file, row)
    row_of_type = LineType(
        number(1, "Diam", "m", 0.0, True), number(2, "Mass/m", "kg/m", 0.0, True), stiffness, damping,
        number(5, "EI", "N m^2", 0.0), number(6, "Cd", "1", 0.0), number(7, "Ca", "1", 0.0),
        number(8, "CdAx", "1", 0.0), number(9, "CaAx", "1", 0.0), slow, table,
    )  # fmt: skip
    file.add(file.types, name, row_of_type, at, f"line type {name}")
    if len(words) > 10 and number(10, "Cl", "1", 0.0):
        instead = "must be 0, because the lift of vortices is not computed; for their mean drag set vibration_frequency"
        file.refuse(at, f"Cl = {words[10]} of line type {name}", f"{instead} [Hz] of `Mooring.loads`")


def _read_elasticity(file: InputFile, row: Row) -> tuple[float, float, Slow | None, tuple[tuple[float, float], ...]]:
    """Return EA [N], BA [N s], the slow part of a viscoelastic line, and a table of tensions."""
    at, words = row
    name, stiffness, damping = words[0], words[3], words[4]

    def number(what: str, text: str, unit: str, least: float | None, above: bool = False) -> float:
        return file.number(at, f"{what} of line type {name}", text, unit, least, above)

    if "|" in stiffness or "|" in damping:
        parts, dampings = stiffness.split("|"), damping.split("|")
        if len(parts) not in (2, 3) or len(dampings) > 2:
            file.refuse(
                at, f"EA = {stiffness}, BA = {damping} of line type {name}",
                "must be one number each, or static|dynamic EA, static|EA_Dc|EA_D_Lm or SYROPE:file|EA_Dc|EA_D_Lm, and "
                "slow|fast BA of a viscoelastic line",
            )  # fmt: skip
            return 1.0, 0.0, None, ()
        dynamic = number("EA", parts[1], "N", 0.0, True)
        stiffening = number("EA_D_Lm", parts[2], "1", 0.0) if len(parts) == 3 else 0.0
        slow = number("BA", dampings[0], "N s", 0.0, True)
        fast = number("BA", dampings[1], "N s", 0.0) if len(dampings) == 2 else 0.0
        if parts[0].upper().startswith("SYROPE:") and len(parts) == 3:
            curve, form = _read_curves(file, at, name, parts[0][len("SYROPE:") :])
            static = curve[-1][1] / curve[-1][0] if curve else 1.0
            return dynamic, fast, Slow(slow, static, stiffening, curve, form), ()
        static = number("EA", parts[0], "N", 0.0, True)
        if not dynamic > static:
            file.refuse(
                at, f"EA = {stiffness} of line type {name}", "must have a dynamic stiffness above the static stiffness"
            )
            return 1.0, 0.0, None, ()
        return dynamic, fast, Slow(slow, static, stiffening), ()
    try:
        float(stiffness)
    except ValueError:
        table = _read_table(file, at, name, stiffness)
        slope = (table[-1][1] - table[0][1]) / (table[-1][0] - table[0][0]) if table else 1.0
        return slope, number("BA", damping, "N s", None), None, table
    return number("EA", stiffness, "N", 0.0, True), number("BA", damping, "N s", None), None, ()


def _read_curves(
    file: InputFile, at: int, name: str, text: str
) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[str, float], ...]]:
    """Return the pairs of strain [1] and tension [N] of the original working curve, and the columns of `WorkingCable3D`
    that describe the working curves, from the file named ``text``.
    """
    item = f"EA = SYROPE:{text} of line type {name}"
    try:
        lines = file.find(text).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        file.refuse(at, f"{item}: cannot be read: {error.strerror}", "must be a file with OWC, WCType, k1 and k2")
        return (), ()
    values = {words[1].upper(): words[0] for words in map(str.split, lines) if len(words) > 1}
    if not {"OWC", "WCTYPE", "K1", "K2"} <= values.keys() or values["WCTYPE"].upper() not in WORKING_CURVES:
        file.refuse(at, item, f"must have OWC, WCType ({', '.join(WORKING_CURVES)}), k1 and k2")
        return (), ()
    curve = _read_table(file, at, name, values["OWC"])
    k1 = file.number(at, f"{item}: k1", values["K1"], "1", 0.0)
    k2 = file.number(at, f"{item}: k2", values["K2"], "1")
    column, most = WORKING_CURVES[values["WCTYPE"].upper()]
    is_slope = not column and k1 >= 1.0
    if (k1 >= 1.0 and not is_slope) or abs(k2 if column else 0.0) > most:
        file.refuse(at, f"{item}: k1 = {k1:g}, k2 = {k2:g}", f"must have k1 < 1, and k2 from {-most:g} to {most:g}")
    form = [("working_stiffness" if is_slope else "working_offset", k1)]
    return curve, (*form, *([(column, k2)] if column else []))


WORKING_CURVES = {
    "LINEAR": ("", 0.0), "QUADRATIC": ("working_quadratic", 1.0), "EXP": ("working_exponent", 100.0)
}  # fmt: skip
"""Column of `WorkingCable3D` for k2, and its largest absolute value, by type of the working curves."""


HEADINGS = 3
"""Number of lines of headings of a table of strains and tensions."""


def _read_table(file: InputFile, at: int, name: str, text: str) -> tuple[tuple[float, float], ...]:
    """Return the pairs of strain [1] and tension [N] in the file named ``text``, after three lines of headings."""
    item, allowed = f"EA = {text} of line type {name}", "two or more rows of ascending strain [1] and tension [N]"
    try:
        lines = file.find(text).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        file.refuse(at, f"{item}: cannot be read: {error.strerror}", f"must be a number [N] or a file with {allowed}")
        return ()
    pairs: list[tuple[float, float]] = []
    for number, words in enumerate((line.split() for line in lines), 1):
        try:
            strain, tension = map(float, words)
        except ValueError:
            if number > HEADINGS and words:
                file.refuse(at, f"{item}: row {' '.join(words)!r}", f"must have {allowed}")
                return ()
            continue
        if number > HEADINGS:
            pairs.append((strain, tension))
        else:
            file.notes.append(f"line {number} of {text} is a heading, as in MoorDyn, although it contains two numbers")
    rises = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(pairs))
    is_finite = all(map(isfinite, chain(*pairs)))
    if len(pairs) < 2 or not rises or not is_finite or pairs[0][0] <= -1.0 or pairs[0][1] >= pairs[-1][1]:
        file.refuse(at, item, f"must have {allowed}, which must not decrease")
        return ()
    return tuple(pairs)


def _read_rod_type(file: InputFile, row: Row) -> None:
    """Read a row of ROD TYPES: name, diameter, mass, Cd, Ca, CdEnd, CaEnd."""
    if not _has(file, row, "ROD TYPES", 7):
        return
    at, words = row
    items = ("Diam", "m"), ("Mass/m", "kg/m"), ("Cd", "1"), ("Ca", "1"), ("CdEnd", "1"), ("CaEnd", "1")
    values = [
        file.number(at, f"{what} of rod type {words[0]}", text, unit, 0.0, above=unit != "1")
        for (what, unit), text in zip(items, words[1:7], strict=True)
    ]
    file.add(file.rod_types, words[0], RodType(*values), at, f"rod type {words[0]}")


def _read_body(file: InputFile, row: Row) -> None:
    """Read a row of BODIES: number, attachment, position, angles, and properties of free bodies."""
    if not _has(file, row, "BODIES", 8):
        return
    at, words = row
    item, kind = f"body {words[0]}", "pinned" if words[1].upper() in PINNED else _find_kind(words[1])
    if kind not in ("fixed", "coupled", "free", "pinned"):
        file.refuse(at, f"{item} is {words[1]}", "must be Fixed, Coupled, CoupledPinned or Free")
    numbers = [file.number(at, item, text, "m or deg") for text in words[2:8]]
    body = Body(kind, tuple(numbers[:3]), tuple(numbers[3:]))
    if kind in MOVING and _has(file, row, "BODIES", 14):
        center = _read_list(file, at, f"CG of {item}", words[9], "m", None, (1, 3))
        inertia = _read_list(file, at, f"I of {item}", words[10], "kg m^2", 0.0, (1, 3))
        drag = _read_list(file, at, f"CdA of {item}", words[12], "m^2", 0.0, (1, 2, 3, 6))
        added = _read_list(file, at, f"Ca of {item}", words[13], "1", 0.0, (1, 3))
        for what, values in (("CdA", drag[:3]), ("Ca", added)):
            if len(values) == 3 and min(values) < max(values):
                file.refuse(at, f"{what} of {item} = {'|'.join(map(str, values))}", "must be equal for x, y and z")
        if any(drag) or any(added):
            file.notes.append(f"line {at}: drag and added mass of {item} act on translations, not on rotations")
        body = body._replace(
            mass=file.number(at, f"Mass of {item}", words[8], "kg", 0.0),
            center=center if len(center) == 3 else (0.0, 0.0, center[0]),
            inertia=inertia if len(inertia) == 3 else (inertia[0],) * 3,
            volume=file.number(at, f"Volume of {item}", words[11], "m^3", 0.0),
            drag_area=drag[0],
            added_mass=added[0],
        )
    file.add(file.bodies, _whole(file, at, "body", words[0], 1), body, at, item)


def _read_list(
    file: InputFile, at: int, item: str, text: str, unit: str, least: float | None, counts: tuple[int, ...]
) -> tuple[float, ...]:
    """Return the values of a word such as ``1|2|3``, which must have one of the given numbers of values."""
    words = text.split("|")
    if len(words) not in counts:
        allowed = f"{', '.join(map(str, counts[:-1]))} or {counts[-1]}"
        file.refuse(at, f"{item} = {text}", f"must have {allowed} values [{unit}]")
    return tuple(file.number(at, item, word, unit, least) for word in words)


def _find_kind(word: str) -> str:
    """Return the type of an attachment."""
    kinds = {"fixed": FIXED, "coupled": COUPLED, "free": FREE}
    return next((kind for kind, words in kinds.items() if word.upper() in words), "")


def _whole(file: InputFile, at: int, item: str, text: str, least: int = 0) -> int:
    """Convert a word to the number of an object. If the word is not a whole number >= ``least``, record a fault and
    return `UNKNOWN`.
    """
    if text.isdigit() and int(text) >= least:
        return int(text)
    file.refuse(at, f"{item} {text!r}", f"must be a whole number >= {least}")
    return UNKNOWN


def number_end(rod: int, end: int) -> int:
    """Return the number of the point at end A (0) or B (1) of a rod. The number is negative, and less than
    `UNKNOWN`."""
    return -2 * rod - end


def find_node(file: InputFile, point: int) -> int:
    """Return the number of the point whose node a point uses: end A for both ends of a rod of length 0."""
    if point < UNKNOWN and file.rods[-point // 2].segments == 0:
        return number_end(-point // 2, 0)
    return point


def name_point(number: int) -> str:
    """Return the name of a point, or of the end of a rod."""
    return f"point {number}" if number >= 0 else f"end {'AB'[-number % 2]} of rod {-number // 2}"


def _read_rod(file: InputFile, row: Row) -> None:
    """Read a row of RODS: number, type, attachment, positions of the ends, segments. Add the ends of the rod to the
    points.
    """
    if not _has(file, row, "RODS", 10):
        return
    at, words = row
    number, upper = _whole(file, at, "rod", words[0], 1), words[2].upper()
    item, body = f"rod {words[0]}", 0
    kind = "pinned" if upper == "PINNED" else _find_kind(words[2])
    if upper.startswith("BODY"):
        digits = upper[4:].removesuffix("PINNED")
        kind, body = "body pinned" if upper.endswith("PINNED") else "body", int(digits) if digits.isdigit() else 0
        if body not in file.bodies:
            file.refuse(at, f"{item} is of {words[2]}", "must be a body of the section BODIES")
            return
    elif kind not in ("fixed", "coupled", "free", "pinned"):
        allowed = "must be Fixed, Coupled, Free, Pinned, Body# or Body#Pinned with a number"
        file.refuse(at, f"{item} is {words[2]}", allowed)
    places = [file.number(at, f"position of {item}", text, "m") for text in words[3:9]]
    ends = tuple(places[:3]), tuple(places[3:])
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    length, segments = dist(*ends), _whole(file, at, f"NumSegs of {item} =", words[9])
    if segments == 0:
        direction = direction if kind in TURNING else ends[1]
        if kind not in TURNING and (not any(direction) or not length > 0.0):
            file.refuse(
                at, f"Xb, Yb, Zb of {item} = {' '.join(words[6:9])}, which is {words[2]} and has NumSegs = 0",
                "must be the direction of the rod, not 0 and not the position of end A",
            )  # fmt: skip
        kind = {"free": "free", "pinned": "fixed", "body pinned": "body"}.get(kind, kind)
        ends = ends[0], ends[0]
    elif not length > 0.0:
        file.refuse(at, f"length = {length:g} m, NumSegs = {words[9]} of {item}", "must be > 0 m, or NumSegs = 0")
    if kind == "body pinned" and file.bodies[body].kind == "coupled":
        file.refuse(at, f"{item} is {words[2]}", "must be of a free or fixed body")
    if words[1] not in file.rod_types:
        file.refuse(at, f"{item} has the type {words[1]}", f"must be one of {', '.join(file.rod_types)}")
    if len(words) > 10 and words[10] != "-":
        file.notes.append(f"line {at}: RodOutputs = {words[10]}: no files of single rods are written")
    if kind == "coupled" and number != UNKNOWN:
        kind, body = "body", -number
        file.bodies.setdefault(body, Body("coupled", ends[0], (0.0, 0.0, 0.0)))
        ends = (0.0, 0.0, 0.0), tuple(b - a for a, b in zip(*ends, strict=True))
    file.add(file.rods, number, Rod(kind, words[1], ends, segments, body, direction), at, item)
    if number == UNKNOWN:
        return
    for end, place in enumerate(ends):
        if kind in ("fixed", "body"):
            point = Point(kind, place, body=body)
        elif segments == 0:
            point = Point("free", place)
        else:
            point = Point("rod", place, rod=number)
        file.points.setdefault(number_end(number, end), point)


def _read_point(file: InputFile, row: Row) -> None:
    """Read a row of POINTS: number, attachment, position, mass, volume, CdA, Ca."""
    if not _has(file, row, "POINTS", 9):
        return
    at, words = row
    number = _whole(file, at, "point", words[0])
    kind, upper, body = _find_kind(words[1]), words[1].upper(), 0
    if not kind and upper.startswith("BODY") and upper[4:].isdigit():
        kind, body = "body", int(upper[4:])
        if body not in file.bodies:
            file.refuse(at, f"point {number} is of {words[1]}", "must be a body of the section BODIES")
    elif not kind:
        file.refuse(at, f"point {number} is {words[1]}", "must be Fixed, Coupled, Free or Body# with a number")
    place = tuple(file.number(at, f"position of point {number}", text, "m") for text in words[2:5])
    items = ("Mass", "kg"), ("Volume", "m^3"), ("CdA", "m^2"), ("Ca", "1")
    rest = [
        file.number(at, f"{what} of point {number}", text, unit, 0.0)
        for (what, unit), text in zip(items, words[5:9], strict=True)
    ]
    file.add(file.points, number, Point(kind, place, rest[0], rest[1], rest[2], rest[3], body), at, f"point {number}")
    is_moving = kind == "free" or (body in file.bodies and file.bodies[body].kind in MOVING)
    if not is_moving and (rest[0] or rest[1]):
        file.notes.append(
            f"line {at}: Mass = {words[5]} kg and Volume = {words[6]} m^3 of point {number}, which is {words[1]}, are "
            "left out, also from the forces of its supports"
        )


def _read_line(file: InputFile, row: Row) -> None:
    """Read a row of LINES: number, type, ends A and B, unstretched length, segments, outputs."""
    if not _has(file, row, "LINES", 6):
        return
    at, words = row
    number = _whole(file, at, "line", words[0])
    ends = []
    for end, text in zip("AB", words[2:4], strict=True):
        upper = text.upper()
        if upper.startswith("R"):
            rod = upper[1:-1]
            if not (rod.isdigit() and int(rod) in file.rods and upper[-1] in "AB"):
                file.refuse(at, f"end {end} of line {number} is at {text}", "must be R#A or R#B of a rod, or a point")
                ends.append(UNKNOWN)
            else:
                ends.append(number_end(int(rod), "AB".index(upper[-1])))
        else:
            ends.append(_whole(file, at, f"end {end} of line {number} is at point", text))
    length = file.number(at, f"UnstrLen of line {number}", words[4], "m", 0.0, True)
    segments = _whole(file, at, f"NumSegs of line {number} =", words[5])
    if segments == 0:
        file.refuse(at, f"NumSegs of line {number} = 0", "must be >= 1; quasi-static lines are refused")
    file.add(file.lines, number, Line(words[1], (ends[0], ends[1]), length, segments), at, f"line {number}")
    if len(words) > 6 and words[6] != "-":
        file.notes.append(f"line {at}: LineOutputs = {words[6]}: no files of single lines are written")


def _read_failure(file: InputFile, row: Row) -> None:
    """Read a row of FAILURE: number, point, lines, time, tension."""
    if not _has(file, row, "FAILURE", 5):
        return
    at, words = row
    item = f"failure {words[0]}"
    if not (words[1].isdigit() and int(words[1]) in file.points):
        file.refuse(at, f"{item} at point {words[1]}", "must be a point of the file")
        return
    point, held = int(words[1]), ("fixed", "coupled", "body")
    body = file.bodies.get(file.points[point].body)
    if file.points[point].kind not in held or (body is not None and body.kind in MOVING):
        words_of_held = "must be a fixed or coupled point, or a point of a fixed or coupled body"
        file.refuse(at, f"{item} at point {point}", words_of_held)
    if not (words[2].isdigit() and int(words[2]) in file.lines and point in file.lines[int(words[2])].ends):
        file.refuse(at, f"{item} of line {words[2]} at point {point}", "must be one line that ends at this point")
        return
    time = file.number(at, f"FailTime of {item}", words[3], "s", 0.0)
    tension = file.number(at, f"FailTen of {item}", words[4], "N", 0.0)
    if not time and not tension:
        file.refuse(at, f"FailTime and FailTen of {item} = 0", "must have one > 0 [s, N]")
    failure = Failure(point, int(words[2]), time, tension)
    file.add(file.failures, _whole(file, at, "failure", words[0]), failure, at, item)


def _read_loads(file: InputFile, row: Row) -> None:
    """Read a row of SYROPE IC: lines, largest mean load, mean load."""
    if not _has(file, row, "SYROPE IC", 3):
        return
    at, words = row
    largest = file.number(at, "Tmax0", words[1], "N", 0.0)
    mean = file.number(at, "Tmean0", words[2], "N", 0.0)
    if mean > largest:
        file.refuse(at, f"Tmean0 = {words[2]} N, Tmax0 = {words[1]} N", "must have Tmax0 >= Tmean0")
    for text in words[0].split(","):
        line = file.lines.get(int(text)) if text.isdigit() else None
        kind = None if line is None else file.types.get(line.type)
        if kind is None or kind.slow is None or not kind.slow.curve:
            file.refuse(at, f"line {text} of SYROPE IC", "must be a line of a type with EA = SYROPE:file|EA_Dc|EA_D_Lm")
        else:
            file.loads[int(text)] = largest, mean


def _read_refused(section: str, allowed: str) -> Callable[[InputFile, Row], None]:
    """Return a function that records a fault for each row of a section without an equivalent in Windlass."""

    def read(file: InputFile, row: Row) -> None:
        file.refuse(row.number, f"{section} {' '.join(row.words)}", allowed)

    return read


def _read_option(file: InputFile, row: Row) -> None:
    """Read a row of OPTIONS: value, name."""
    if _has(file, row, "OPTIONS", 2):
        file.options[row.words[1].lower()] = row.number, row.words[0]


def _read_channels(file: InputFile, row: Row) -> None:
    """Read a row of OUTPUTS: names of channels."""
    for word in row.words:
        if word.upper() == "END":
            return
        channel = find_channel(word)
        if channel is None:
            file.refuse(row.number, f"output {word}", f"must be {CHANNELS}")
            continue
        fault = find_fault(file, channel)
        if fault:
            file.refuse(row.number, f"output {word}", fault)
        else:
            file.channels.append(channel)


def find_fault(file: InputFile, channel: Channel) -> str:
    """Return the reason why an output does not exist in this file, or an empty string."""
    number = channel.number
    if channel.kind == "body":
        is_free = number in file.bodies and file.bodies[number].kind in MOVING
        return "" if is_free else "must be a free body; positions of other bodies are those of its points"
    if channel.kind == "rod":
        return _find_rod_fault(file, channel)
    if number not in (file.lines if channel.kind == "line" else file.points):
        return f"there is no {channel.kind} {number}"
    if channel.kind == "line":
        segments = file.lines[number].segments
        return f"must have a node <= {segments}" if channel.node > segments else ""
    attached = [line.ends.count(number) for line in file.lines.values()]
    if not any(attached):
        return f"must be at a point with a line; point {number} has none"
    if channel.quantity not in FORCES:
        return ""
    if file.points[number].kind not in ("fixed", "coupled"):
        return "must be the force of a fixed or coupled point"
    if sum(attached) > 1 and any(failure.point == number for failure in file.failures.values()):
        return (
            f"must be at a point without FAILURE, or with one line; the {sum(attached)} lines have own supports there"
        )
    return ""


def _find_rod_fault(file: InputFile, channel: Channel) -> str:
    """Return the reason why an output of a rod is not available for this file, or an empty string."""
    rod = file.rods.get(channel.number)
    if rod is None or rod.kind not in TURNING:
        return "must be a free or pinned rod"
    if rod.segments == 0 and not channel.quantity.startswith("TEN"):
        ends = number_end(channel.number, 0), number_end(channel.number, 1)
        if channel.quantity not in VECTORS:
            return "must be a position, a velocity or a tension, as the rod has the length 0"
        if not any(end in line.ends for line in file.lines.values() for end in ends):
            return "must be a rod with a line, as the rod has the length 0"
    if channel.node > rod.segments:
        return f"must have a node <= {rod.segments}"
    if channel.quantity.startswith("TEN"):
        point = number_end(channel.number, "AB".index(channel.quantity[3]))
        count = sum(line.ends.count(point) for line in file.lines.values())
        return "" if count == 1 else f"must be at an end with one line; {name_point(point)} has {count}"
    return ""


CHANNELS = (
    "FairTen#, AnchTen#, Line#TenA, Line#TenB, Line#N@ with PX to VZ or Ten, Point# or Con# with PX to VZ or FX to FZ, "
    "Body# with PX to AZ or RX to RAZ, Rod# with PX to AZ, RX to RAY (without z), TenA or TenB, or Rod#N@ with PX to VZ"
)
VECTORS = tuple(f"{quantity}{axis}" for quantity in "PV" for axis in "XYZ")
TURNS = tuple(f"{quantity}{axis}" for quantity in ("R", "RV", "RA") for axis in "XYZ")
ACCELERATIONS = "AX", "AY", "AZ"
FORCES = "FX", "FY", "FZ"
OBJECTS = {
    "LINE": "line", "L": "line", "POINT": "point", "P": "point", "CON": "point", "C": "point", "BODY": "body",
    "ROD": "rod", "R": "rod",
}  # fmt: skip


def find_channel(word: str) -> Channel | None:
    """Return the output with a given name, or None for unknown names."""
    upper = word.upper()
    for start, node in (("FAIRTEN", "B"), ("ANCHTEN", "A")):
        if upper.startswith(start) and upper[len(start) :].isdigit():
            return Channel(word, "line", int(upper[len(start) :]), -1, f"TEN{node}")
    letters = next((k for k, letter in enumerate(upper) if letter.isdigit()), len(upper))
    kind, rest = OBJECTS.get(upper[:letters]), upper[letters:]
    digits = next((k for k, letter in enumerate(rest) if not letter.isdigit()), len(rest))
    if kind is None or not digits:
        return None
    number, rest, node_number = int(rest[:digits]), rest[digits:], -1
    if kind in ("line", "rod") and rest.startswith("N"):
        digits = next((k for k, letter in enumerate(rest[1:]) if not letter.isdigit()), len(rest) - 1)
        if not digits:
            return None
        node_number, rest = int(rest[1 : digits + 1]), rest[digits + 1 :]
        quantity = "TEN" if rest in ("T", "TEN") else rest
        of_node = (*VECTORS, "TEN") if kind == "line" else VECTORS
        return Channel(word, kind, number, node_number, quantity) if quantity in of_node else None
    allowed = {
        "line": ("TENA", "TENB"),
        "point": (*VECTORS, *FORCES),
        "body": (*VECTORS, *ACCELERATIONS, *TURNS),
        "rod": (*VECTORS, *ACCELERATIONS, *(turn for turn in TURNS if turn[-1] != "Z"), "TENA", "TENB"),
    }[kind]
    return Channel(word, kind, number, -1, rest) if rest in allowed else None


READERS: dict[str, Callable[[InputFile, Row], None]] = {
    "line types": _read_type,
    "rod types": _read_rod_type,
    "bodies": _read_body,
    "rods": _read_rod,
    "points": _read_point,
    "lines": _read_line,
    "failure": _read_failure,
    "control": _read_refused("CONTROL", "lines whose length is controlled are refused"),
    "external loads": _read_refused("EXTERNAL LOADS", "must be left out, and added to the World in Python"),
    "syrope": _read_loads,
    "options": _read_option,
    "outputs": _read_channels,
}
"""Functions that read a row, by section, in the order in which sections are read."""


def check_references(file: InputFile, rows: Sequence[Row]) -> None:
    """Record faults for lines with unknown types or points."""
    places = {int(row.words[0]): row.number for row in rows if row.words[0].isdigit()}
    for number, line in file.lines.items():
        at = places.get(number, 0)
        if line.type not in file.types and not any(f"line type {line.type}" in fault for fault in file.faults):
            file.refuse(at, f"line {number} has the type {line.type}", f"must be one of {', '.join(file.types)}")
        for end, point in zip("AB", line.ends, strict=True):
            if point != UNKNOWN and point not in file.points:
                file.refuse(at, f"end {end} of line {number} is at point {point}", "must be a point of the file")
        if UNKNOWN not in line.ends and find_node(file, line.ends[0]) == find_node(file, line.ends[1]):
            file.refuse(at, f"line {number} begins and ends at {name_point(line.ends[0])}", "must join two points")
