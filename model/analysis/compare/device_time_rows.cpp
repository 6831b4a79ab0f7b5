// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/device_time_rows.h"

#include "model/analysis/facts/numbering.h"
#include "model/base/filled_vector.h"
#include "model/base/merge_sort.h"
#include "model/base/seeded_hash.h"
#include "model/base/stopping.h"
#include "model/base/wrapping.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace riffle {

namespace {

constexpr uint32_t kNotCounted = UINT32_MAX;
constexpr uint32_t kWithout = UINT32_MAX; ///< the subject of work that has no operator or module

/// The length of a time, also of the smallest number.
uint64_t magnitude(Ns time) { return time < 0 ? 0 - static_cast<uint64_t>(time) : static_cast<uint64_t>(time); }

/// The modules of both traces, numbered by name and by the modules around them.
class ModuleNumbers {
public:
    uint32_t of(const TraceFacts &facts, std::vector<uint32_t> &known, uint32_t module)
    {
        const FrameChains &chains = facts.chains();
        if (known.empty())
            for (uint32_t at = 0; at < chains.modules.size(); ++at) { // parents first
                const uint32_t parent = chains.modules[at].parent;
                const uint32_t around = parent == FrameChains::kNone ? kWithout : known[parent];
                const std::string_view name = chains.moduleName(facts.trace(), at);
                const auto number = static_cast<uint32_t>(m_modules.size());
                const auto [found, isNew] = m_numbers.try_emplace({around, name}, number);
                if (isNew)
                    m_modules.push_back({around, name});
                known.push_back(found->second);
            }
        return module < known.size() ? known[module] : kWithout;
    }
    std::string name(uint32_t number) const { return std::string(m_modules[number].second); }
    std::string path(uint32_t number) const
    {
        constexpr size_t kMostNames = 64;
        std::string path = name(number);
        size_t names = 1;
        for (uint32_t at = m_modules[number].first; at != kWithout; at = m_modules[at].first) {
            if (++names > kMostNames)
                return "…/" + path;
            path = name(at) + "/" + path;
        }
        return path;
    }

private:
    using Module = std::pair<uint32_t, std::string_view>; ///< the module around it, and its name
    std::map<Module, uint32_t> m_numbers;
    std::vector<Module> m_modules;
};

class RowMaker {
public:
    RowMaker(const DeviceComparison &comparison, DeviceRowsBy by)
        : m_comparison(comparison)
        , m_pairing(comparison.pairing())
        , m_by(by)
        , m_a{comparison.scopeA(), comparison.a()}
        , m_b{comparison.scopeB(), comparison.b()}
    {
        if (by == DeviceRowsBy::Operator)
            for (Side *side : {&m_a, &m_b})
                side->countedIn = filledVector(side->tree.size(), kNotCounted);
        // The numbers behind those of A are the labels that only B has.
        const size_t ofA = m_a.tree.labels().size();
        for (uint32_t label = 0; label < m_pairing.labelsOfB.size(); ++label)
            if (const size_t number = m_pairing.labelsOfB[label]; number >= ofA) {
                m_onlyOfB.resize(std::max(m_onlyOfB.size(), number - ofA + 1));
                m_onlyOfB[number - ofA] = label;
            }
    }

    std::vector<DeviceTimeRow> make()
    {
        for (uint32_t node = 0; node < m_a.tree.size(); ++node) {
            throwIfStoppedAt(node);
            if (m_a.tree.isWork(node))
                addPair(node, m_pairing.ofA[node]);
        }
        for (uint32_t node = 0; node < m_b.tree.size(); ++node) {
            throwIfStoppedAt(node);
            if (m_b.tree.isWork(node) && m_pairing.ofB[node] == TreePairing::kNone)
                addPair(TreePairing::kNone, node);
        }
        for (uint32_t row = 0; row < m_rows.size(); ++row) {
            throwIfStoppedAt(row);
            finish(row);
        }
        std::vector<uint32_t> order(m_rows.size());
        for (uint32_t row = 0; row < order.size(); ++row)
            order[row] = row;
        const auto key = [&](uint32_t row) {
            const DeviceTimeRow &one = m_rows[row];
            return std::tuple(~magnitude(one.delta()), ~magnitude(std::max(one.a, one.b)), std::string_view(one.nameA),
                              std::string_view(one.nameB), row);
        };
        stoppableSort(order, [&](uint32_t one, uint32_t other) { return key(one) < key(other); });
        std::vector<DeviceTimeRow> rows;
        for (const uint32_t row : order)
            rows.push_back(std::move(m_rows[row]));
        return rows;
    }

private:
    struct Side {
        const Scope &scope;
        const CallShapes &tree;
        BigVector<uint32_t> countedIn = {};       ///< per node: the first row that counted it as a call
        SeededSet<uint64_t> countedAgain = {};    ///< node and row, for the few that several rows count
        std::vector<uint32_t> moduleNumbers = {}; ///< per module of the trace
    };
    struct Subjects {
        uint32_t a, b;
        bool operator==(const Subjects &) const = default;
    };
    struct SubjectsHash {
        size_t operator()(const Subjects &both) const { return SeededHash()(uint64_t{both.a} << 32 | both.b); }
    };

    uint32_t subjectOf(Side &side, uint32_t node)
    {
        const auto common = [&](uint32_t label) { return &side == &m_a ? label : m_pairing.labelsOfB[label]; };
        switch (m_by) {
        case DeviceRowsBy::Kernel: return common(side.tree.label[node]);
        case DeviceRowsBy::Operator: {
            const uint32_t around = side.tree.around(node, ShapeKind::Operator);
            return around == CallShapes::kNone ? kWithout : common(side.tree.label[around]);
        }
        case DeviceRowsBy::Module: {
            const TraceFacts &facts = side.scope.facts();
            const uint32_t call = FrameChains::callOf(facts.work(), facts.calls(), side.tree.work[node]);
            return m_modules.of(facts, side.moduleNumbers, facts.chains().moduleOf(call));
        }
        }
        return kWithout;
    }

    /// 1 if the work is, or belongs to, a call that the row has not counted yet.
    uint64_t callsOf(Side &side, uint32_t node, uint32_t row)
    {
        if (m_by != DeviceRowsBy::Operator)
            return 1;
        const uint32_t around = side.tree.around(node, ShapeKind::Operator);
        if (around == CallShapes::kNone)
            return 1;
        uint32_t &first = side.countedIn[around];
        if (first == kNotCounted) {
            first = row;
            return 1;
        }
        return first != row && side.countedAgain.insert(uint64_t{around} << 32 | row).second;
    }

    void addPair(uint32_t a, uint32_t b)
    {
        const uint32_t none = TreePairing::kNone;
        const uint32_t subjectA = subjectOf(a == none ? m_b : m_a, a == none ? b : a);
        const uint32_t subjectB = a == none || b == none ? subjectA : subjectOf(m_b, b);
        const auto [number, isNew] = m_numbers.of({subjectA, subjectB});
        if (isNew) {
            m_rows.emplace_back();
            m_largest.push_back(0);
        }
        DeviceTimeRow &row = m_rows[number];
        const Ns timeA = a == none ? 0 : m_a.tree.total(a), timeB = b == none ? 0 : m_b.tree.total(b);
        addWrapping(row.a, timeA);
        addWrapping(row.b, timeB);
        if (b == none)
            addWrapping(row.gone, timeA);
        if (a == none)
            addWrapping(row.added, timeB);
        row.workA += a != none;
        row.workB += b != none;
        row.callsA += a == none ? 0 : callsOf(m_a, a, number);
        row.callsB += b == none ? 0 : callsOf(m_b, b, number);
        const uint64_t difference = magnitude(Change{timeA, timeB}.delta());
        const bool isLarger = difference > m_largest[number];
        if (isLarger)
            m_largest[number] = difference;
        if (a != none && (isLarger || !row.sliceA.valid()))
            row.sliceA = SliceId(m_a.tree.slice[a]);
        if (b != none && (isLarger || !row.sliceB.valid()))
            row.sliceB = SliceId(m_b.tree.slice[b]);
    }

    const std::string &labelText(uint32_t subject) const
    {
        const std::vector<ShapeLabel> &labels = m_a.tree.labels();
        return subject < labels.size() ? labels[subject].text
                                       : m_b.tree.labels()[m_onlyOfB[subject - labels.size()]].text;
    }

    void finish(uint32_t number)
    {
        DeviceTimeRow &row = m_rows[number];
        const Subjects subjects = m_numbers.key(number);
        const auto name = [&](uint32_t subject, std::string &text, std::string &path, bool &isWithout) {
            isWithout = subject == kWithout;
            if (isWithout)
                return;
            text = m_by == DeviceRowsBy::Module ? m_modules.name(subject) : labelText(subject);
            if (m_by == DeviceRowsBy::Module)
                path = m_modules.path(subject);
        };
        if (row.workA)
            name(subjects.a, row.nameA, row.pathA, row.isWithoutA);
        if (row.workB)
            name(subjects.b, row.nameB, row.pathB, row.isWithoutB);
        if (subjects.a == subjects.b)
            row.state = stateOf(row.workA > 0, row.workB > 0, row.a == row.b && row.workA == row.workB);
        else // a module can be elsewhere under its name
            row.state = row.isWithoutA || row.isWithoutB || row.nameA == row.nameB ? ChangeState::Changed
                                                                                   : ChangeState::Renamed;
    }

    const DeviceComparison &m_comparison;
    const TreePairing &m_pairing;
    DeviceRowsBy m_by;
    Side m_a, m_b;
    ModuleNumbers m_modules;
    Numbering<Subjects, SubjectsHash> m_numbers;
    std::vector<DeviceTimeRow> m_rows;
    std::vector<uint64_t> m_largest; ///< per row: the largest difference of a pair
    std::vector<uint32_t> m_onlyOfB; ///< the labels of B that A does not have
};

} // namespace

std::vector<DeviceTimeRow> deviceTimeRows(const DeviceComparison &comparison, DeviceRowsBy by)
{
    return RowMaker(comparison, by).make();
}

} // namespace riffle
