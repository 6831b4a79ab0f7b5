// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice/slice_links.h"
#include "model/analysis/slice/stack_of.h"
#include "model/base/task.h"
#include "model/trace/trace.h"

#include <string>
#include <vector>

namespace riffle {

/// One input of an operator, assembled from the operator's array arguments. Raw text; empty if the trace has none.
struct TensorArgument {
    std::string shape;
    std::string type;
    std::string strides;
    std::string value; ///< the value of a number or other plain input
};

/// All details of one slice. Those that are only in the source are read when this is built.
struct SliceDetails {
    Slice slice;
    std::string name;
    std::string category;
    std::string laneName;
    std::string processName;
    EventArguments arguments;            ///< all arguments, in the order of the file
    std::vector<TensorArgument> tensors; ///< the inputs that the arguments describe
    std::string sourceTrouble;           ///< why there are no arguments, if the source could not be read
    std::vector<SliceId> children;       ///< the first children, in order of time
    uint64_t childCount = 0;
    SliceLinks links;
    std::vector<StackFrame> stack; ///< innermost first
    bool forwardStack = false;     ///< the slice has no stack of its own; `stack` is that of its forward operator
};

/// The details of a slice; nullopt if there is no such slice or the task was stopped.
std::optional<SliceDetails> detailsOf(const Trace &trace, SliceId slice, const Task &task);

/// The elements of a JSON array's raw text, each as raw text.
std::vector<std::string> elementsOf(std::string_view arrayText);
/// The inputs that the arguments "Input Dims", "Input type", "Input Strides" and "Concrete Inputs" describe together.
std::vector<TensorArgument> tensorArguments(const EventArguments &arguments);

} // namespace riffle
