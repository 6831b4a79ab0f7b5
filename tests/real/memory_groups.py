# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Groups allocations by stack, module, operator, size and pool: frames are folded and named here independently of the model."""

FOLDED_NAMES = ("unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "__libc_start_main", "PyEval_", "PyObject_", "PyFunction_")
FOLDED_FILES = ("core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c", "Objects/methodobject.c",
                "pycore_ceval.h", "ceval.c", "cpython/abstract.h")
FOLDED_BEGINS = ("c10::impl::wrap_kernel_functor", "c10::impl::make_boxed_from", "method_vectorcall", "slot_tp_", "slot_nb_", "slot_mp_", "slot_sq_",
                 "cfunction_", "vectorcall_", "_PyVectorcall", "PyVectorcall", "PyCFunction_", "_PyCFunction", "run_eval_code_obj", "run_mod", "pyrun_",
                 "Py_RunMain", "Py_BytesMain", "_PyRun_", "PyRun_", "pymain_", "__libc_", "execute_native_thread_routine", "start_thread", "__clone",
                 "pthread_")
GIVEN_BACK = "(from before the history, freed at)"
FOLDED_WHOLE = ("_start", "clone", "clone3", "PyCode_NewWithPosOnlyArgs", "__xmknodat")


def is_python(frame):
    name = frame["filename"]
    return name.endswith(".py") or (name.startswith("<") and name.endswith(">"))


def is_folded(frame):
    name, file = frame["name"], frame["filename"]
    return not is_python(frame) and (any(part in name for part in FOLDED_NAMES) or any(part in file for part in FOLDED_FILES)
                                     or name.startswith(FOLDED_BEGINS) or name in FOLDED_WHOLE)


def frame_text(frame):
    text = frame["name"] or "(no name)"
    if frame["filename"] not in ("", "??"):
        text += " " + frame["filename"] + (":%d" % frame["line"] if frame["line"] > 0 else "")
    return text


def titled(path_of):
    """A path function that puts allocations of unknown origin below a row that says so, by the stack that freed them."""
    def path(one):
        if not one.given_back:
            return path_of(one.stack)
        below = path_of(one.given_back)
        return [GIVEN_BACK] + ([] if len(below) == 1 and below[0].startswith("(") else below)
    return path


def by_stack(stack):
    if not stack:
        return ["(no stack recorded)"]
    frames = [(frame["name"], frame["filename"], frame["line"]) for frame in reversed(stack) if not is_folded(frame)]
    texts = [frame_text(frame) for frame in reversed(stack) if not is_folded(frame)]
    path, at = [], 0
    while at < len(frames):
        run = 1
        while at + run < len(frames) and frames[at + run] == frames[at]:
            run += 1
        path += [texts[at]] * run if run < 3 else [texts[at], "<repeats %d times>" % (run - 1)]
        at += run
    return path or ["(runtime frames only)"]


def by_module(stack):
    path, caller = [], ""
    for frame in reversed(stack):
        if not is_python(frame):
            continue
        file = frame["filename"].replace("\\", "/")
        if frame["name"] == "forward" and not caller.endswith("torch/autograd/function.py"):
            base = file.rsplit("/", 1)[-1]
            path.append("torch.nn " + base.rsplit(".", 1)[0] if "torch/nn/modules/" in file else "%s:%d" % (base, frame["line"]))
        caller = file
    return path or ["(in no module)" if stack else "(no stack recorded)"]


def operator_of(frame):
    head = frame["name"]
    for stop in "(<":
        head = head.split(stop, 1)[0]
    parts = head.split("::")
    if is_python(frame) or len(parts) < 4:
        return None
    if parts[:2] == ["at", "_ops"] and parts[-1] in ("call", "redispatch"):
        return "aten::" + parts[-2]
    return parts[-2] if parts[:2] == ["torch", "autograd"] and parts[-1] == "apply" else None


def by_operator(stack):
    path = []
    for frame in reversed(stack):
        name = operator_of(frame)
        if name and path[-1:] != [name]:
            path.append(name)
    if path or not stack:
        return path or ["(no stack recorded)"]
    innermost = next((frame for frame in stack if not is_folded(frame)), None)
    file = innermost["filename"].replace("\\", "/") if innermost else ""
    if innermost and is_python(innermost) and ("/torch/" in file or file.startswith("torch/")):
        module = file if file.startswith("torch/") else "torch/" + file.rsplit("/torch/", 1)[1]
        return [module[:-3].replace("/", ".") + "." + innermost["name"]]
    return ["(in no operator)"]


def by_size(one):
    shift = max(9, (max(one.size, 1) - 1).bit_length())
    return ["up to %d %s" % (1 << shift % 10, ("B", "KiB", "MiB", "GiB", "TiB")[shift // 10])]


def pool_name(pool):
    return "default pool" if pool == (0, 0) else "pool (%d, %d)" % pool


def by_pool(segments, has_pools):
    def path(one):
        if one.block is not None:
            return [pool_name(one.block.get("segment_pool_id", (0, 0)))]
        assert not has_pools
        for segment in segments:
            if segment["address"] <= one.address < segment["address"] + segment["total_size"]:
                return [pool_name(segment.get("segment_pool_id", (0, 0)))]
        return ["unknown"]
    return path


def grouped(alive, event, path_of):
    """(bytes, pending bytes, allocations, own bytes) by path."""
    tree = {}
    for one in alive:
        path = tuple(path_of(one))
        for depth in range(1, len(path) + 1):
            node = tree.setdefault(path[:depth], [0, 0, 0, 0])
            node[0] += one.size
            node[1] += one.size if one.pending(event) else 0
            node[2] += 1
            node[3] += one.size if depth == len(path) else 0
    return {path: tuple(node) for path, node in tree.items()}
