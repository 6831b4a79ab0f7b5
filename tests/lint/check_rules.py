#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of the code that are not about layers: threads, mappings, importers, commands, names, asserts.

Usage: check_rules.py [ROOT]        check the tree (default: the repository of this file)
       check_rules.py --self-test   plant violations in a scratch tree; each must be found

An exception is a line in one of the lists below, with its reason.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOTS = ("model", "views", "app", "collector")
SOURCE_SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".c"}

OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)

# (what may not be written, where it may be written after all, message). A place is a prefix of the path.
PLACES = (
    (re.compile(r"\bstd::(thread|jthread|async)\b|\bpthread_create\b|\bQThreadPool\b|\bQRunnable\b|\bQtConcurrent\b"
                r"|\bnew QThread\b|\bQThread::create\b|\bpublic QThread\b"),
     ("model/base/parallel.cpp",
      "model/ingest/text_blocks.",      # recompresses large zstd frames while they are read
      "model/trace/growth/merge_thread.",   # merges segments beside the ticks of a growing trace
      "views/common/session/jobs.cpp",  # keeps the GUI thread free
      "collector/"),                    # runs inside another program
     "starts a thread; use model/base/parallel.h or views/common/session/jobs.h"),
    (re.compile(r"\b(mmap|mmap64|mremap|MapViewOfFile)\s*\(|<sys/mman\.h>"),
     ("model/base/", "collector/src/ring.cpp",
      "collector/src/call_slots.cpp"),  # changes the protection of a page
     "maps memory; use model/base/mapped_file.h or column_memory.h"),
    (re.compile(r"#\s*include\s*<(sys/[\w/]+|linux/[\w/]+|unistd|fcntl|pthread|sched|poll|dlfcn|link|windows)\.h>"),
     ("model/base/", "collector/",
      "model/trace/source_identity.cpp", "model/trace/store_f",  # stores: locks, times of use, sparse files
      "model/ingest/text_blocks.cpp",                            # reads and writes an unlinked file
      "app/cli/info.cpp",                                        # the memory that the process has used
      "app/cli/window.cpp"),                                     # becomes the window
     "includes a header of the operating system; only model/base and collector do"),
    (re.compile(r"\bstd::(cout|cerr|clog|abort|exit|quick_exit)\b|(?<![\w:])f?printf\s*\(|\bstd::f?printf\b"
                r"|\bfmt::print\b|\bq(Debug|Info|Warning|Critical|Fatal)\s*\("),
     ("app/", "collector/"),
     "prints or ends the process; return a Result or a table"),
    (re.compile(r"\bdynamic_cast\b"), ("model/", "collector/", "app/cli/"),
     "asks a C++ library that is not Qt's in the window's wheel about a type; use qobject_cast or static_cast"),
    (re.compile(r"\bfirstSlice [-+] |- [\w.>()\[\]-]*\bfirstSlice\b|\bnesting\.(parent|depth|self)\b"), ("model/trace/",),
     "takes ids for places in a segment; ask Segment::idAt, indexOf, parentInside, Trace::parentOf, depthOf or selfOf"),
    (re.compile(r"\bconst_pointer_cast\b"), (), "makes sealed data writable; copy it and change the copy"),
    (re.compile(r"\b(class|struct|enum|union)\s+(class\s+)?\w*(Manager|Helper|Util)s?\b"), (),
     "has a name that says nothing: Manager, Helper or Utils"),
)
FILE_NAME = re.compile(r"(^|_)(manager|helper|util)s?(_|\.)")
USING_NAMESPACE = re.compile(r"^\s*using\s+namespace\b", re.MULTILINE)
GENERATED = re.compile(r"(^|/)(build|__pycache__|CMakeFiles)/|\.(o|a|so|pyc|moc|gch|pch|gcda|gcno)$"
                       r"|(^|/)(moc_|qrc_|ui_)\w+\.(cpp|h)$|(^|/)(CMakeCache\.txt|compile_commands\.json)$")

# "What the log says" and "Of the lane" leave the reader to find out what the comment is about.
COMMENT_BEGIN = re.compile(r"\s*//+[!<]? *(What|Of|By|That|As)\b")

# An importer uses base, trace, its own folder and the files in model/ingest itself. Besides:
IMPORTER_USES = {
    ("collector_log", "model/ingest/chrome_json/event_record.h"),           # its rows read as events of Chrome JSON
    ("collector_log", "model/ingest/chrome_json/training_meta.h"),
    ("cuda_snapshot", "model/ingest/memory_log/log_parser.h"),              # says what a file is that is no snapshot
    ("cuda_snapshot", "model/ingest/memory_timeline/memory_timeline.h"),
    ("memory_timeline", "model/ingest/cuda_snapshot/html_pickle.h"),        # reads base64 in a page
    ("perfetto", "model/ingest/chrome_json/importer.h"),                    # reads the events that it writes as JSON
}
# The files of model/ingest itself that may use importers: the table of formats, and the writer of parts, which writes
# events as Kineto does.
IMPORTER_TABLES = ("model/ingest/importers.cpp", "model/ingest/trimmed_trace.cpp")

# What every command may use. A command also uses its own files: those of its folder, or with the same first word.
COMMAND_SHARED = {"app/cli/command.h", "app/cli/known_ranks.h", "app/cli/output.h", "app/cli/printed_tables.h", "app/cli/table_printer.h", "app/cli/text_width.h"}
COMMAND_USES = {
    ("main", "app/cli/window.h"),                  # a path opens the window
    ("record", "app/cli/window.h"),                # --open opens the window
    ("summary", "app/cli/like/like.h"),            # --like prints a summary as other tools do
    ("info", "app/cli/memory/memory_kinds.h"),     # describes memory files, too
    ("info", "app/cli/flight/flight_info.h"),      # and dumps of collectives
    ("report", "app/cli/memory/memory_kinds.h"),   # reports on memory snapshots, too
    ("report", "app/cli/memory/memory_flame.h"),
    ("report", "app/cli/memory/memory_instant.h"),
    ("report", "app/cli/memory/snapshot_opening.h"),
    ("sql", "app/cli/memory/snapshot_opening.h"),   # also asks snapshots
    ("check", "app/cli/memory/snapshot_opening.h"), # also judges snapshots
}
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{")
TYPE = re.compile(r"(?:class|struct|union|enum class)\s+(\w+)(?:\s+final)?\s*(?::[^:][^;]*)?\{?$")
ADD_COMMAND = re.compile(r"\b(void\s+)?(add\w+Command)\b(?=[\s(,;})])")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def code_of(text):
    """The text without comments and string literals, line for line. Includes keep their names."""
    return COMMENT_OR_TEXT.sub(blank, text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def asserts(code):
    """(position, condition) of each assert."""
    for match in re.finditer(r"(?<![\w:])assert\(", code):
        depth, at = 1, match.end()
        while at < len(code) and depth > 0:
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        yield match.start(), code[match.end():at - 1]


def command_of(name):
    parts = Path(name).parts
    return parts[2] if len(parts) > 3 else parts[2].split(".")[0].split("_")[0]


def check_includes(name, text):
    parts = Path(name).parts
    for match in OWN_INCLUDE.finditer(text):
        included, where = match.group(1), f"{name}:{line_of(text, match.start())}"
        importer = Path(included).parts[2] if included.startswith("model/ingest/") and included.count("/") > 2 else ""
        if name.startswith("model/ingest/") and importer:
            own = parts[2] if len(parts) > 3 else ""
            if own and own != importer and (own, included) not in IMPORTER_USES:
                yield f"{where}: the importer {own} may not use {included}"
            if not own and name not in IMPORTER_TABLES:
                yield f"{where}: only the table in importers.cpp chooses between importers: {included}"
        if name.startswith("app/cli/") and included.startswith("app/cli/") and included not in COMMAND_SHARED:
            own = command_of(name)
            if command_of(included) != own and (own, included) not in COMMAND_USES:
                yield f"{where}: the command {own} may not use {included}"


def comments_without_subject(name, text):
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        match = COMMENT_BEGIN.match(line)
        if match and not before.lstrip().startswith("//"):
            yield f"{name}:{number}: a comment begins with its subject, not with: {match.group(1)}"
        before = line


def check_file(name, text):
    code = code_of(text)
    found = list(check_includes(name, text))
    for pattern, places, message in PLACES:
        if not name.startswith(places or ("-",)):
            for match in pattern.finditer(code):
                found.append(f"{name}:{line_of(code, match.start())}: {message}: {match.group(0).strip()}")
    if FILE_NAME.search(Path(name).name):
        found.append(f"{name}:1: has a name that says nothing: Manager, Helper or Utils")
    if name.endswith((".h", ".hpp")):
        for match in USING_NAMESPACE.finditer(code):
            found.append(f"{name}:{line_of(code, match.start())}: a header may not use a namespace for all who read it")
    found += comments_without_subject(name, text)
    for at, condition in asserts(code):
        if re.search(r"\+\+|--|(?<![=!<>])=(?!=)", condition):
            found.append(f"{name}:{line_of(code, at)}: an assert may not change anything: assert({condition.strip()})")
    return found


def check_commands(files):
    """Every add…Command that a header of app/cli declares is defined once and called once."""
    defined, called = {}, {}
    for name, text in files.items():
        if name.startswith("app/cli/") and name.endswith(".cpp"):
            for match in ADD_COMMAND.finditer(code_of(text)):
                uses = defined if match.group(1) else called
                uses.setdefault(match.group(2), []).append(name)
    for name, text in files.items():
        if name.startswith("app/cli/") and name.endswith(".h"):
            for match in ADD_COMMAND.finditer(code_of(text)):
                for what, uses in (("defined", defined), ("called", called)):
                    count = len(uses.get(match.group(2), []))
                    if count != 1:
                        yield f"{name}:{line_of(text, match.start())}: {match.group(2)} is {what} {count} times"


def types_of(text):
    """(line, qualified name) of each type that other files could see: outside functions and unnamed namespaces."""
    spaces = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := NAMESPACE.match(line):
            spaces.append(match.group(1))
        elif line.startswith("} // namespace") and spaces:
            spaces.pop()
        elif (match := TYPE.match(line)) and "" not in spaces:
            yield number, "::".join(spaces + [match.group(1)])


def check_types(files):
    """No two types have the same name: the linker would choose one of their functions for both."""
    places = {}
    for name, text in files.items():
        if not name.startswith("tests/"):
            for number, type_name in types_of(text):
                places.setdefault(type_name, []).append(f"{name}:{number}")
    for type_name, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{where[1]}: {type_name} is also defined in {where[0].rsplit(':', 1)[0]}"


def check_tracked(names):
    return [f"{name}:1: a generated file is in the repository" for name in names if GENERATED.search(name)]


def tracked(root):
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=True)
        return listed.stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        return []  # an unpacked archive


def check_tree(root):
    def sources(tops):
        files = {}
        for top in tops:
            for path in sorted((root / top).rglob("*")):
                if path.suffix in SOURCE_SUFFIXES and path.is_file():
                    files[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8", errors="replace")
        return files

    files, tests = sources(ROOTS), sources(("tests",))
    found = [line for name, text in files.items() for line in check_file(name, text)]
    found += [line for name, text in tests.items() for line in comments_without_subject(name, text)]
    return found + list(check_commands(files)) + list(check_types(files)), len(files)


# --- Self-test -----------------------------------------------------------------------------------

GOOD = {
    "model/base/parallel.cpp": "std::jthread worker;\n",
    "model/base/mapped_file.cpp": "#include <sys/mman.h>\nvoid *at = mmap(nullptr, 1, 0, 0, 0, 0);\n",
    "model/trace/a.h": "// std::thread, mmap() and fmt::print in a comment\nauto text = \"std::cout << mmap(\";\n",
    "model/trace/b.cpp": "assert(a == b && c <= d && \"x = 1\");\nstatic_assert(sizeof(int) == 4);\nstd::snprintf(to, 1, \"\");\n",
    "model/ingest/importers.cpp": '#include "model/ingest/chrome_json/importer.h"\n',
    "model/ingest/chrome_json/a.cpp": '#include "model/ingest/chrome_json/a.h"\n#include "model/ingest/byte_source.h"\n',
    "model/ingest/collector_log/a.cpp": '#include "model/ingest/chrome_json/event_record.h"\n',
    "views/common/session/jobs.cpp": "QThreadPool pool;\n",
    "views/common/a.cpp": "assert(QThread::currentThread() == thread());\n",
    "app/cli/command.h": "void addInfoCommand(CLI::App &app, int &code);\n",
    "app/cli/main.cpp": '#include "app/cli/output.h"\nint main() { addInfoCommand(app, code); fmt::print(""); }\n',
    "app/cli/info.cpp": '#include "app/cli/command.h"\nvoid addInfoCommand(CLI::App &app, int &code) {}\n',
    "app/cli/report.cpp": '#include "app/cli/report_html.h"\n',
    "app/cli/memory/memory.cpp": '#include "app/cli/memory/memory_kinds.h"\n',
    "model/trace/row.h": "namespace riffle {\nstruct Row {\n};\nstruct Later;\n} // namespace riffle\n",
    "model/query/row.cpp": "namespace riffle {\nnamespace {\nclass Row {\n};\n} // namespace\n} // namespace riffle\n",
    "views/common/row.h": "namespace riffle::view {\nstruct Row {\n};\n} // namespace riffle::view\nstruct Later;\n",
    "model/base/words.h": "/// The line that a log gets.\n/// What is between stays.\nint a; ///< What a row says\n",
    "collector/src/engine.cpp": "#include <unistd.h>\nstd::thread drain;\n",
}

BAD = {
    "model/trace/t.cpp": ("std::thread worker;\n", "starts a thread"),
    "views/timeline/t.cpp": ("QtConcurrent::run(f);\n", "starts a thread"),
    "app/window/t.cpp": ("auto later = std::async(f);\n", "starts a thread"),
    "model/trace/m.cpp": ("void *at = mmap(nullptr, 1, 0, 0, 0, 0);\n", "maps memory"),
    "collector/src/m.cpp": ("void *at = mmap(nullptr, 1, 0, 0, 0, 0);\n", "maps memory"),
    "views/common/u.cpp": ("#include <unistd.h>\n", "operating system"),
    "model/query/p.cpp": ("fmt::print(\"x\");\n", "prints"),
    "views/details/p.cpp": ("qDebug() << 1;\n", "prints"),
    "views/details/d.cpp": ("auto *p = dynamic_cast<QWidget *>(o);\n", "C++ library"),
    "model/analysis/ids.cpp": ("auto id = segment->firstSlice + at;\n", "ids for places"),
    "model/layout/index.cpp": ("auto at = slice - segment.firstSlice;\n", "ids for places"),
    "views/timeline/parent.cpp": ("auto p = segment.nesting.parent[at];\n", "ids for places"),
    "model/analysis/c.cpp": ("auto p = std::const_pointer_cast<Trace>(t);\n", "sealed data"),
    "model/trace/words.h": ("int a;\n    /// What a row says.\n", "begins with its subject"),
    "tests/words.cpp": ("// Of the lane that is shown.\n", "begins with its subject"),
    "model/layout/n.h": ("class LaneManager {};\n", "says nothing"),
    "views/common/string_utils.h": ("int n;\n", "says nothing"),
    "model/base/n.h": ("using namespace std;\n", "namespace"),
    "model/base/a.cpp": ("assert(++count > 0);\n", "change anything"),
    "model/base/b.cpp": ("assert(f(1) &&\n       (done = true));\n", "change anything"),
    "model/ingest/chrome_json/o.cpp": ('#include "model/ingest/collector_log/a.h"\n', "the importer chrome_json"),
    "model/ingest/cuda_snapshot/o.cpp": ('#include "model/ingest/chrome_json/a.h"\n', "the importer cuda_snapshot"),
    "model/ingest/importer.h": ('#include "model/ingest/chrome_json/a.h"\n', "chooses between importers"),
    "app/cli/trim.cpp": ('#include "app/cli/report_html.h"\n', "the command trim"),
    "app/cli/slices.cpp": ('#include "app/cli/memory/memory_kinds.h"\n', "the command slices"),
    "app/cli/memory/o.h": ("void addOomCommand(CLI::App &app);\nvoid f() { addOomCommand(app); }\n", "defined 0 times"),
}


def self_test():
    failures = []

    def reports(planted):
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in planted.items():
                path = Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_tree(Path(scratch))

    found, files = reports(GOOD)
    failures += [f"reported without cause: {f}" for f in found]
    if files != len(GOOD):
        failures.append(f"{files} files seen of {len(GOOD)}")
    for name, (text, expected) in BAD.items():
        found, _ = reports({name: text})
        if not found or not all(name in line for line in found) or not any(expected in line for line in found):
            failures.append(f"{name}: expected '{expected}', got {found}")
    twice = "namespace riffle {\nclass Twice final : public Once {\n};\n} // namespace riffle\n"
    found, _ = reports({"model/base/t.h": twice, "views/common/t.cpp": twice})
    if len(found) != 1 or "riffle::Twice is also defined in model/base/t.h" not in found[0]:
        failures.append(f"two types with one name: {found}")
    generated = ["build/a.txt", "tests/__pycache__/a.pyc", "views/moc_session.cpp", "model/a.o"]
    if len(check_tracked(generated + ["model/trace/mock_trace.cpp", "dev", "tests/a.json"])) != len(generated):
        failures.append("generated files are not told from others")
    for failure in failures:
        print(failure)
    print(f"self-test: {len(GOOD)} good files, {len(BAD) + len(generated)} violations planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    found, files = check_tree(root)
    found += check_tracked(tracked(root))
    for line in found:
        print(line)
    print(f"{files} files, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
