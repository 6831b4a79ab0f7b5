// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace riffle {

/// The use of a span of time, in order of priority: if several overlap, the first one counts (R3, R4).
enum class Role : uint8_t { Compute, Memcpy, Memset, Communication, Runtime, Dataloader, Cpu, Other };

inline constexpr size_t kRoles = 8;
inline constexpr size_t kRecordedRoles = 7; ///< without Other, which is the rest

inline bool isKernel(Role role) { return role == Role::Compute || role == Role::Communication; }

struct RoleText {
    const char *key; ///< the column key without its suffix _ns
    const char *title;
    const char *meaning; ///< for tooltips
};

inline constexpr std::array<RoleText, kRoles> kRoleTexts{{
    {"kernel", "Kernel", "Kernels other than communication."},
    {"memcpy", "Memcpy", "Copies by the device, while no kernel computes."},
    {"memset", "Memset", "Memory set by the device, while no kernel computes and nothing is copied."},
    {"communication", "Communication",
     "Kernels of collectives and point-to-point transfers, while none of the above happens. Without device work, the "
     "collectives that the host carries out (gloo, MPI)."},
    {"runtime", "Runtime", "Runtime and driver calls of the host, while the device is idle."},
    {"dataloader", "DataLoader", "Waiting for the next batch, while none of the above happens."},
    {"cpu", "CPU", "Operators, Python frames and annotations, while none of the above happens."},
    {"other", "Other", "The rest of the step."},
}};

inline const RoleText &textOf(Role role) { return kRoleTexts[static_cast<size_t>(role)]; }

} // namespace riffle
