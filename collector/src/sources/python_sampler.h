// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_runtime.h"
#include "collector/src/sources/python_sample_slices.h"
#include "collector/src/sources/python_threads.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

/// The findings of a look at one thread.
struct PythonSample {
    enum Result : uint8_t {
        kWhole,
        kMoved, ///< the thread called or returned meanwhile: the innermost frames may be from two moments
        kNone,  ///< no Python runs on the thread
        kTorn   ///< its frames were never a chain to its outermost one
    };
    uint32_t osThread = 0;
    int64_t time = 0;
    Result result = kNone;
    std::vector<SampledFrame> frames; ///< the outermost first
};

/// Reads the frames of all threads of the interpreter from one thread that is not one of them, while they run: without
/// the GIL and without stopping them. All memory is copied by the system, so that nothing faults, and everything is
/// checked before it is believed.
class PythonSampler {
public:
    explicit PythonSampler(const PythonRuntime &python) : m_python(python) {}

    /// Looks at each thread once and returns the samples, which are valid until the next call. `isWhole` is false if
    /// the list of threads could not be read to its end.
    std::span<const PythonSample> sample(bool &isWhole);

private:
    struct Frame {
        PythonAddress frame, code;
        uint64_t place;
    };
    struct Known {
        uint64_t mark;
        SampledName name; ///< null: not shown
    };

    PythonSample::Result look(const PythonThread &thread, std::vector<SampledFrame> &frames);
    bool readCurrent(PythonAddress state, PythonAddress &frame) const;
    bool walk(PythonAddress frame);
    bool name();
    bool markCodes();
    bool markTexts();
    bool define(PythonAddress code, const std::byte *header, Known &known);
    bool readText(PythonAddress text, std::string &to) const;

    const PythonRuntime &m_python;
    CopiedMemory m_memory;
    std::vector<PythonThread> m_threads;
    std::vector<PythonSample> m_samples;                 ///< keep their memory
    std::unordered_map<uint32_t, PythonAddress> m_bases; ///< the outermost frame of each thread
    std::unordered_map<PythonAddress, Known> m_known;
    // These are of the thread that is being read.
    std::vector<Frame> m_chain; ///< the innermost first
    std::vector<SampledFrame> m_frames;
    std::vector<PythonAddress> m_addresses;
    std::vector<std::byte> m_headers, m_texts;
    std::vector<uint64_t> m_marks;
    size_t m_left = 0; ///< frames in the middle that are left out
};

} // namespace riffle::collector
