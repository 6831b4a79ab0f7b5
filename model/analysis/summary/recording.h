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

/// The trace's own description: the framework, the rank, the devices and the options of the profiler.
struct Recording {
    struct Device {
        DeviceProperties properties;
        int64_t number = kNoInt; ///< the number that slices use for the device
        bool used = false;       ///< true if something ran on it
    };

    std::string format;
    std::string framework; ///< "PyTorch 2.7.1"; without a version if only the format is known
    std::optional<int64_t> rank, worldSize;
    DistributedInfo distributed;
    std::vector<Device> devices; ///< used devices first
    RecordedOptions options;
    std::vector<std::pair<std::string, std::string>> versions; ///< {"cuda_driver", "13.0"}

    /// The name of the device with that number. If it is not listed, the name of the listed devices if they all have
    /// the same one; otherwise empty.
    std::string nameOf(int64_t number) const;
};

Recording recordingOf(const TraceFacts &facts);

/// The process groups as text: "default_pg (8 ranks), dp (2 ranks)".
std::string groupsText(const DistributedInfo &distributed);

/// Makes version numbers readable: CUDA's "12080" becomes "12.8" and HIP's "70253211" becomes "7.2.53211"; other values
/// stay the same.
std::string versionText(std::string_view key, const std::string &value);

} // namespace riffle
