/* SPDX-FileCopyrightText: The Riffle authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Prints the offsets that python_layout.cpp has, from the headers of one version of CPython. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#if PY_MINOR_VERSION >= 11
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_interp.h>

#define PRINT(name, type, field) printf(name " %zu\n", offsetof(type, field))

int main(void)
{
    PRINT("threadProfile", PyThreadState, c_profilefunc);
#if PY_MINOR_VERSION == 10
    PRINT("threadFrame", PyThreadState, frame);
    PRINT("frameCode", PyFrameObject, f_code);
    PRINT("framePrevious", PyFrameObject, f_back);
    PRINT("frameInstruction", PyFrameObject, f_lasti);
    PRINT("interpreterThreads", PyInterpreterState, tstate_head);
#else
    PRINT("interpreterThreads", PyInterpreterState, threads.head);
    PRINT("threadNative", PyThreadState, native_thread_id);
#if PY_MINOR_VERSION < 13
    PRINT("threadFrame", PyThreadState, cframe);
    PRINT("cframeFrame", _PyCFrame, current_frame);
    PRINT("frameCode", _PyInterpreterFrame, f_code);
    PRINT("frameInstruction", _PyInterpreterFrame, prev_instr);
#else
    PRINT("threadFrame", PyThreadState, current_frame);
    PRINT("frameCode", _PyInterpreterFrame, f_executable);
    PRINT("frameInstruction", _PyInterpreterFrame, instr_ptr);
#endif
    PRINT("framePrevious", _PyInterpreterFrame, previous);
    PRINT("frameOwner", _PyInterpreterFrame, owner);
    PRINT("codeQualifiedName", PyCodeObject, co_qualname);
    PRINT("codeInstructions", PyCodeObject, co_code_adaptive);
#if PY_MINOR_VERSION > 11
    PRINT("codeVersion", PyCodeObject, co_version);
#endif
#endif
    PRINT("threadIdent", PyThreadState, thread_id);
    PRINT("codeConstants", PyCodeObject, co_consts);
    PRINT("codeFirstLine", PyCodeObject, co_firstlineno);
    PRINT("codeFile", PyCodeObject, co_filename);
    PRINT("codeName", PyCodeObject, co_name);
    PRINT("codeLineTable", PyCodeObject, co_linetable);
    printf("asciiHeader %zu\ncompactHeader %zu\n", sizeof(PyASCIIObject), sizeof(PyCompactUnicodeObject));
    return offsetof(PyObject, ob_type) != 8 || offsetof(PyVarObject, ob_size) != 16 ||
           offsetof(PyASCIIObject, length) != 16 || offsetof(PyASCIIObject, state) != 32 ||
           offsetof(PyASCIIObject, hash) != 24 || offsetof(PyBytesObject, ob_sval) != 32 ||
           offsetof(PyCFunctionObject, m_ml) != 16 || offsetof(PyMethodDef, ml_name) != 0 ||
           offsetof(PyMethodDef, ml_meth) != 8 || offsetof(PyThreadState, prev) != 0 ||
           offsetof(PyThreadState, next) != 8 || offsetof(PyThreadState, interp) != 16;
}
