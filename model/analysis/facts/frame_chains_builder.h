// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/frame_chains.h"
#include "model/analysis/facts/numbering.h"
#include "model/base/big_vector.h"
#include "model/trace/details.h"

#include <unordered_map>

namespace riffle {

/// Builds FrameChains in two phases: readSlices() passes over the slices without needing the calls; finish() assigns
/// stacks to the calls, including those that operators take from other operators.
class FrameChainsBuilder {
public:
    FrameChainsBuilder(FrameChains &made, const Trace &trace, const SliceClasses &classes);
    void readSlices();
    void finish(const CallTree &calls);

private:
    static constexpr uint32_t kNone = FrameChains::kNone;
    enum Word : uint8_t { Plain, TorchModule, LightningModule, LightningProfile };
    struct ModuleKey {
        uint32_t parent, name;
        int64_t id;
        bool operator==(const ModuleKey &) const = default;
    };
    struct ModuleHash {
        size_t operator()(const ModuleKey &key) const
        {
            return mixed(mixed(static_cast<uint64_t>(key.parent) << 32 | key.name) + static_cast<uint64_t>(key.id));
        }
    };
    struct FrameHash {
        size_t operator()(uint64_t key) const { return mixed(key); }
    };

    void readNames();
    void placeCalls(const CallTree &calls);
    void readArguments(const CallTree &calls);
    void takeOuter(const CallTree &calls);
    void takeForward(const CallTree &calls);
    void inherit(const CallTree &calls);

    /// The stack inside a slice, given the stack around it.
    uint32_t entered(uint32_t slice, const Segment &segment, uint32_t at, uint32_t around);
    /// The stack inside a slice that readSlices() has not reached yet; `next` is the slice that it is working on.
    uint32_t ahead(uint32_t slice, size_t next);
    uint32_t frame(uint32_t parent, uint32_t name, uint32_t module, bool isModule);
    uint32_t frameInModule(uint32_t parent, uint32_t name, uint32_t module);
    uint32_t addFrame(uint32_t parent, uint32_t word, uint32_t name, uint32_t module);
    uint32_t module(uint32_t parent, uint32_t name, int64_t id);
    uint32_t dottedModule(uint32_t around, std::string_view path);
    uint32_t extraName(std::string_view text);
    uint32_t argumentStack(std::string_view callStack, std::string_view hierarchy, uint32_t module);

    FrameChains &m_made;
    const Trace &m_trace;
    const SliceClasses &m_classes;
    std::vector<uint8_t> m_words; ///< Word per StringId
    PerSlice<uint32_t> m_inside;  ///< the stack inside each slice; filled in order of positions
    DetailWalk<PythonTable> m_python{&Segment::python};
    bool m_hasFrames = false; ///< slices are frames of functions, not only calls of modules
    Numbering<uint64_t, FrameHash> m_frames, m_framesInModules;
    Numbering<ModuleKey, ModuleHash> m_modules;
    std::unordered_map<std::string, uint32_t> m_extraNames;
};

} // namespace riffle
