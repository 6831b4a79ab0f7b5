// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/shape_label.h"
#include "model/base/big_vector.h"
#include "model/base/time.h"
#include "model/base/wrapping.h"
#include "model/trace/work_class.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

class Scope;
class TraceFacts;
struct StepSet;

/// The name of the node that is around everything outside the steps.
inline constexpr std::string_view kOutsideSteps = "outside the steps";

/// The name of nodes, without what differs from run to run (shapeName()).
struct ShapeLabel {
    ShapeKind kind = ShapeKind::Root;
    WorkClass work = WorkClass::None; ///< of kernels, copies and memsets: what they are, by their name
    std::string text;
    uint64_t hash = 0; ///< of kind and text; the same for all traces in one run of the program
};

/// The calls of a trace as a tree that can be compared with that of another trace. Below the root are the steps, in a
/// step its threads, and below a thread annotations, calls of nn.Modules and operators as they contain each other, with
/// the kernels, copies and memsets that they launched as leaves. Python frames and runtime calls are no nodes.
///
/// - A node belongs to the step in which it starts, device work to the step that it counts for (StepSet::ofWork), so a
///   step has exactly the work that a Scope of this step has. A node is below the nearest node around it that belongs
///   to the same step; what is around a whole step is above no node of it.
/// - Work whose launch was not recorded is below its operator if that is known, otherwise below its stream.
/// - What belongs to no step is below the last child of the root, "outside the steps".
///
/// So every piece of device work is a leaf of exactly one node, and times of leaves sum exactly.
///
/// The columns have one element per node, in preorder: a node's subtree is [node, end[node]). 36 bytes per node.
class CallShapes {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    BigVector<uint32_t> end;    ///< the node behind its subtree
    BigVector<uint32_t> parent; ///< kNone for the root
    BigVector<uint32_t> slice;  ///< SliceId; kNone for nodes that are no slice: the root, threads, streams
    BigVector<uint32_t> label;  ///< index into labels()
    BigVector<uint32_t> work;   ///< of leaves: the number in DeviceWork; kNone for other nodes
    BigVector<uint64_t> hash;   ///< of the labels and the order of the subtree; seeded, so nobody can aim at it
    BigVector<Ns> before;       ///< one element more: the sum of the times of all leaves before a node

    /// `withModules` is false to leave out calls of nn.Modules, for a comparison with a trace that has none.
    CallShapes(const TraceFacts &facts, const StepSet &steps, bool withModules = true);
    /// The part of `whole` that counts in a scope of the same trace and steps: the device work that has time or calls
    /// in it, with that time, and the nodes that start in it or contain such work.
    CallShapes(const CallShapes &whole, const Scope &scope);

    size_t size() const { return end.size(); }
    const std::vector<ShapeLabel> &labels() const { return *m_labels; }
    const ShapeLabel &labelOf(uint32_t node) const { return (*m_labels)[label[node]]; }
    bool isWork(uint32_t node) const { return work[node] != kNone; }
    /// The time of the device work in a node's subtree, in ns; wraps if a damaged file has more than 292 years of it.
    Ns total(uint32_t node) const
    {
        assert(node < size());
        return wrappingDifference(before[end[node]], before[node]);
    }
    /// The nearest node of a kind that is or contains a node; kNone if there is none.
    uint32_t around(uint32_t node, ShapeKind kind) const;
    /// The number of leaves.
    uint64_t workCount() const;
    bool hasModules() const { return m_hasModules; }
    size_t bytes() const; ///< of memory that the columns take

private:
    friend class CallShapesBuilder;
    void resize(size_t nodes);
    void addHashes();

    std::shared_ptr<const std::vector<ShapeLabel>> m_labels;
    std::vector<uint32_t> m_stepOf; ///< per child of the root: the number in StepSet; kNone outside the steps
    bool m_hasModules = false;
};

} // namespace riffle
