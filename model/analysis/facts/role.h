// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace riffle {

/// What time is spent on, in order of priority: where several overlap, the first has it (R3, R4).
enum class Role : uint8_t { Compute, Memcpy, Memset, Communication, Runtime, Dataloader, Cpu, Other };

inline constexpr size_t kRoles = 8;
inline constexpr size_t kRecordedRoles = 7; ///< without Other, which is the rest

inline bool isKernel(Role role) { return role == Role::Compute || role == Role::Communication; }

struct RoleText {
    const char *key; ///< of columns, with _ns behind it
    const char *title;
    const char *meaning; ///< for tool tips
};

inline constexpr std::array<RoleText, kRoles> kRoleTexts{{
    {"kernel", "Kernel", "Kernels that are no communication."},
    {"memcpy", "Memcpy", "Copies by the device, where no kernel computes."},
    {"memset", "Memset", "Memory set by the device, where no kernel computes and nothing is copied."},
    {"communication", "Communication",
     "Kernels of collectives and point-to-point transfers that nothing of the above hides."},
    {"runtime", "Runtime", "Runtime and driver calls of the host while the device does nothing."},
    {"dataloader", "DataLoader", "Waiting for the next batch, while nothing of the above happens."},
    {"cpu", "CPU", "Operators, Python frames and annotations, while nothing of the above happens."},
    {"other", "Other", "The rest of the step."},
}};

inline const RoleText &textOf(Role role) { return kRoleTexts[static_cast<size_t>(role)]; }

} // namespace riffle
