// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <string_view>
#include <vector>

/// TensorBoard's PyTorch plugin as it counts, mistakes included. Only this folder knows of it; what it does otherwise
/// than Riffle stands in the table in differences.h.
namespace riffle::tensorboard {

enum class EventType : uint8_t { Step, Operator, Python, Module, Annotation, Runtime, Kernel, Memcpy, Memset, None };

inline bool isDeviceType(EventType type)
{
    return type == EventType::Kernel || type == EventType::Memcpy || type == EventType::Memset;
}

/// What the plugin keeps of a trace: an event with a duration. Calls of the driver are no events to it; copies of
/// annotations on streams are annotations, and those of steps are steps.
struct PluginEvent {
    Ns start = 0, end = 0;
    int64_t external = kNoInt; ///< External id
    int64_t thread = 0;        ///< its tid, of whatever process
    uint32_t slice = 0;        ///< SliceId
    uint32_t name = 0;         ///< StringId
    EventType type = EventType::None;

    Ns duration() const { return end - start; }
};

/// Ordered by start.
std::vector<PluginEvent> pluginEvents(const Trace &trace);

bool isDataLoader(std::string_view name);
bool isOptimizer(std::string_view name);
/// Of nccl and gloo five names each: the plugin knows no other collectives.
bool isCollective(std::string_view name);
/// By the list of words that ends with Ampere.
bool usesTensorCores(std::string_view kernel);
bool couldUseTensorCores(std::string_view operatorName);

} // namespace riffle::tensorboard
