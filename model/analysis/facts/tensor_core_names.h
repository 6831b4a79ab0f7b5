// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/kernel_traits.h"
#include "model/trace/trace.h"

#include <optional>
#include <vector>

namespace riffle {

/// Decides whether kernels use tensor cores (R8), by the ids of their names; each name is judged once.
class TensorCoreNames {
public:
    explicit TensorCoreNames(const Trace &trace) : m_trace(trace), m_known(trace.strings.count()) {}

    TensorCores of(uint32_t name)
    {
        if (name >= m_known.size())
            return TensorCores::Unknown;
        if (!m_known[name])
            m_known[name] = tensorCoresOf(m_trace.string(name));
        return *m_known[name];
    }

private:
    const Trace &m_trace;
    std::vector<std::optional<TensorCores>> m_known;
};

} // namespace riffle
