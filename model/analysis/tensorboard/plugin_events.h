// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <string_view>

/// Computes figures as TensorBoard's PyTorch plugin does, including its mistakes. Only this folder knows about the
/// plugin; the table in differences.h lists what it does differently from Riffle.
namespace riffle::tensorboard {

enum class EventType : uint8_t { Step, Operator, Python, Module, Annotation, Runtime, Kernel, Memcpy, Memset, None };

inline bool isDeviceType(EventType type)
{
    return type == EventType::Kernel || type == EventType::Memcpy || type == EventType::Memset;
}

/// An event with a duration, as the plugin keeps it. Driver calls are left out. Copies of annotations on streams are
/// annotations, and copies of steps are steps.
struct PluginEvent {
    Ns start = 0, end = 0;
    int64_t external = kNoInt; ///< External id
    int64_t thread = 0;        ///< its tid, regardless of the process
    uint32_t slice = 0;        ///< SliceId
    uint32_t name = 0;         ///< StringId
    EventType type = EventType::None;

    Ns duration() const { return end - start; }
};

/// The plugin's events of a trace, ordered by start.
BigVector<PluginEvent> pluginEvents(const Trace &trace);

bool isDataLoader(std::string_view name);
bool isOptimizer(std::string_view name);
/// True for the five operators of nccl and of gloo that the plugin knows as collectives.
bool isCollective(std::string_view name);
/// True if the kernel's name contains a word of the plugin's list, which ends with Ampere.
bool usesTensorCores(std::string_view kernel);
bool couldUseTensorCores(std::string_view operatorName);

} // namespace riffle::tensorboard
