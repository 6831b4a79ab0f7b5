// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/device_comparison.h"
#include "model/analysis/table/change.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The subjects of the rows of a comparison of device time.
enum class DeviceRowsBy : uint8_t {
    Kernel,   ///< kernels, copies and memsets, by name
    Operator, ///< the innermost operator around the launch
    Module,   ///< the innermost nn.Module of the operator; for a backward operator that of its forward operator
};

/// The device time of all pairs with one name in A and one in B. Work without a partner is in the row in which both
/// names are its own: there, a difference of calls says how much is gone or new.
struct DeviceTimeRow {
    std::string nameA, nameB;                    ///< empty where the subject does not occur
    std::string pathA, pathB;                    ///< of modules: with the modules around them
    bool isWithoutA = false, isWithoutB = false; ///< the work of the side has no operator or module, so no name
    ChangeState state = ChangeState::Same;       ///< renamed only if both sides have a name, and not the same
    Ns a = 0, b = 0;                             ///< device time, in ns
    Ns gone = 0, added = 0;                      ///< the parts of a and b that have no partner
    uint64_t workA = 0, workB = 0;               ///< pieces of device work
    /// The same; for operators, the calls that launched any. A call whose work is in several rows counts in each.
    uint64_t callsA = 0, callsB = 0;
    SliceId sliceA, sliceB; ///< the pair or piece of work that differs most; none where there is no such side
    Ns delta() const { return Change{a, b}.delta(); } ///< b − a, as in a table
};

/// The rows by |b − a|, the largest first. Their a, b and deltas sum to those of the comparison, to the nanosecond.
std::vector<DeviceTimeRow> deviceTimeRows(const DeviceComparison &comparison, DeviceRowsBy by);

} // namespace riffle
