// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_properties.h"
#include "model/analysis/facts/trace_facts.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// What was traced, by whom and where, as far as the trace says it.
struct Recording {
    struct Device {
        DeviceProperties properties;
        int64_t number = kNoInt; ///< as slices have it
        bool used = false;       ///< something ran on it
    };

    std::string format;
    std::string framework; ///< "PyTorch 2.7.1"; without a number where only the format tells
    std::optional<int64_t> rank, worldSize;
    DistributedInfo distributed;
    std::vector<Device> devices; ///< those first that were used
    RecordedOptions options;
    std::vector<std::pair<std::string, std::string>> versions; ///< {"cuda_driver", "13.0"}

    /// Name of the device with that number. Where it is not listed, that of all the others if they are alike.
    std::string nameOf(int64_t number) const;
};

Recording recordingOf(const TraceFacts &facts);

/// "default_pg (8 ranks), dp (2 ranks)"
std::string groupsText(const DistributedInfo &distributed);

/// "12080" is CUDA's 12.8 and "70253211" is HIP's 7.2.53211; anything else stays as it is.
std::string versionText(std::string_view key, const std::string &value);

} // namespace riffle
