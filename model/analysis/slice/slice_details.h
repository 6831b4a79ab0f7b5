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

/// One input of an operator, put together from its array arguments. Raw text; empty where the trace says nothing.
struct TensorArgument {
    std::string shape;
    std::string type;
    std::string strides;
    std::string value; ///< of a number or other plain input
};

/// Everything there is to say about one slice. What the source holds is read when this is made.
struct SliceDetails {
    Slice slice;
    std::string name;
    std::string category;
    std::string laneName;
    std::string processName;
    std::vector<EventArgument> arguments; ///< all of them, in their order
    std::vector<TensorArgument> tensors;  ///< those of the arguments that describe inputs
    std::string sourceTrouble;            ///< why there are no arguments, when the source could not be read
    std::vector<SliceId> children;        ///< the first ones, in order of time
    uint64_t childCount = 0;
    SliceLinks links;
    std::vector<StackFrame> stack; ///< innermost first
};

/// nullopt when there is no such slice or the task was stopped.
std::optional<SliceDetails> detailsOf(const Trace &trace, SliceId slice, const Task &task);

/// The elements of a JSON array's raw text, each as raw text.
std::vector<std::string> elementsOf(std::string_view arrayText);
/// The inputs that "Input Dims", "Input type", "Input Strides" and "Concrete Inputs" describe together.
std::vector<TensorArgument> tensorArguments(const std::vector<EventArgument> &arguments);

} // namespace riffle
