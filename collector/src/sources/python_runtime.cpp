// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_runtime.h"

#include "collector/src/clock.h"

#include <cstdlib>
#include <dlfcn.h>
#include <thread>

namespace riffle::collector {

namespace {

template <typename Function>
bool findSymbol(const char *name, Function *&function)
{
    function = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
}

/// The version in the form of Py_Version; 0 if it is not known.
uint64_t pythonVersion()
{
    if (const void *version = dlsym(RTLD_DEFAULT, "Py_Version"))
        return *static_cast<const unsigned long *>(version);
    const char *(*text)() = nullptr;
    if (!findSymbol("Py_GetVersion", text))
        return 0;
    char *next = nullptr;
    uint64_t version = 0;
    const char *from = text(); // "3.10.13 (main, ...": a pre-release has a letter after the last number
    for (int shift = 24; shift >= 8; shift -= 8) {
        version |= (std::strtoul(from, &next, 10) & 0xFF) << shift;
        from = *next == '.' ? next + 1 : next;
    }
    return *next == ' ' ? version | 0xF0 : 0;
}

/// Python's own functions for what a walk reads; all need the GIL.
struct Reference {
    int (*holdsGil)() = nullptr;
    void *(*frame)() = nullptr;
    void *(*back)(void *) = nullptr;
    void *(*code)(void *) = nullptr;
    void *(*attribute)(void *, const char *) = nullptr;
    const char *(*utf8)(void *) = nullptr;
    long (*number)(void *) = nullptr;
    void (*release)(void *) = nullptr;
    void (*retain)(void *) = nullptr;
    void (*forgetError)() = nullptr;

    bool find()
    {
        return findSymbol("PyGILState_Check", holdsGil) && findSymbol("PyEval_GetFrame", frame) &&
               findSymbol("PyFrame_GetBack", back) && findSymbol("PyFrame_GetCode", code) &&
               findSymbol("PyObject_GetAttrString", attribute) && findSymbol("PyUnicode_AsUTF8", utf8) &&
               findSymbol("PyLong_AsLong", number) && findSymbol("Py_DecRef", release) &&
               findSymbol("Py_IncRef", retain) && findSymbol("PyErr_Clear", forgetError);
    }
};

} // namespace

bool PythonRuntime::attach(const char *&why)
{
    const void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    m_types = {dlsym(RTLD_DEFAULT, "PyCode_Type"), dlsym(RTLD_DEFAULT, "PyUnicode_Type"),
               dlsym(RTLD_DEFAULT, "PyBytes_Type")};
    const uint64_t version = pythonVersion();
    if (!runtime || !m_types.code || !m_types.text || !m_types.bytes || !version ||
        !findSymbol("PyGILState_GetThisThreadState", m_threadState) ||
        (!findSymbol("Py_IsFinalizing", m_isEnding) && !findSymbol("_Py_IsFinalizing", m_isEnding))) {
        why = "Python stacks are not recorded: the process has no CPython whose symbols can be seen.";
        return false;
    }
    if ((version >> 4 & 0xF) != 0xF || dlsym(RTLD_DEFAULT, "_Py_NegativeRefcount") ||
        dlsym(RTLD_DEFAULT, "_Py_AddToAllObjects")) {
        why = "Python stacks are not recorded: this is a pre-release or a debug build of Python.";
        return false;
    }
    m_layout = pythonLayout(version, runtime, why);
    if (!m_layout)
        return false;
    const int probe = 1;
    if (CheckedMemory::read<int>(reinterpret_cast<PythonAddress>(&probe)) != probe) {
        why =
            "Python stacks are not recorded: the system forbids process_vm_readv(), with which they are checked first.";
        m_layout = nullptr;
        return false;
    }
    if (!verify()) {
        why = "Python stacks are not recorded: a walk of the frames did not give what Python itself says.";
        m_layout = nullptr;
        return false;
    }
    m_threads = findPythonThreads(*m_layout, runtime, threadState());
    return true;
}

bool PythonRuntime::verify() const
{
    Reference python;
    const PythonAddress state = threadState();
    if (!python.find() || !python.holdsGil() || !state)
        return false;
    std::array<PythonFrame, kMaxPythonFrames> frames;
    const uint32_t count = std::min(walkPythonFrames<CheckedMemory>(*m_layout, state, frames), kMaxPythonFrames);
    void *frame = python.frame();
    if (!frame || count == 0)
        return false;
    python.retain(frame);
    bool same = true;
    for (uint32_t i = 0; i < count && same && frame; ++i) {
        void *code = python.code(frame);
        const PythonAddress ours = frames[i].code;
        same = ours == code;
        // Python's own object first: then its text is safe to read.
        const auto sameText = [&](const char *name, uint32_t offset) {
            if (!offset)
                return true;
            void *object = python.attribute(code, name);
            if (!object)
                return false;
            bool equal = CheckedMemory::read<const void *>(ours + offset) == object;
            const char *text = equal ? python.utf8(object) : nullptr; // null if it has surrogates
            char buffer[4096];
            if (text)
                equal = pythonText(*m_layout, m_types, static_cast<PythonAddress>(object), buffer) ==
                        std::string_view(text).substr(0, sizeof(buffer));
            python.release(object);
            return equal;
        };
        const auto sameObject = [&](const char *name, uint32_t offset) {
            void *object = python.attribute(code, name);
            if (object)
                python.release(object);
            return object && CheckedMemory::read<const void *>(ours + offset) == object;
        };
        const auto sameNumber = [&](void *from, const char *name, long number) {
            void *object = python.attribute(from, name);
            const bool equal = object && python.number(object) == number;
            if (object)
                python.release(object);
            return equal;
        };
        same = same && sameText("co_name", m_layout->codeName) && sameText("co_filename", m_layout->codeFile) &&
               sameText("co_qualname", m_layout->codeQualifiedName) &&
               sameObject("co_linetable", m_layout->codeLineTable) &&
               sameObject("co_consts", m_layout->codeConstants) &&
               sameNumber(code, "co_firstlineno", CheckedMemory::read<int32_t>(ours + m_layout->codeFirstLine)) &&
               sameNumber(frame, "f_lasti", static_cast<int32_t>(instructionOffset(*m_layout, frames[i])));
        python.release(code);
        void *back = same ? python.back(frame) : nullptr;
        python.release(frame);
        frame = back;
    }
    same = same && (frame == nullptr || count == kMaxPythonFrames);
    if (frame)
        python.release(frame);
    python.forgetError();
    return same;
}

void PythonRuntime::forbid()
{
    m_allowed.store(false);
    // A walk takes microseconds. In a forked child the walks of other threads never end, but these threads are gone.
    for (const int64_t end = now() + 100'000'000; m_walking.load() != 0 && now() < end;)
        std::this_thread::yield();
}

} // namespace riffle::collector
