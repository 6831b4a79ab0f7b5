// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/distributed/c10d/ParamCommsUtils.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace riffle_observer {

/// The facts about a call of a process group; see riffle_collective in riffle/collector.h. A call through PyTorch's
/// dispatcher (`c10d::…`) has the group and the tensors as inputs. Some backends, such as NCCL, describe their part of
/// it themselves, as the operator `record_param_comms`.
struct Collective {
    int64_t sequence = -1;
    std::string operation, dataType, group, description, ranks, inSplit, outSplit;
    int64_t inElements = -1, outElements = -1, groupSize = -1, rank = -1, source = -1, destination = -1;

    static bool mayBe(const char *name)
    {
        return std::strncmp(name, kCalls, std::strlen(kCalls)) == 0 || std::strcmp(name, kDescription) == 0;
    }

    /// Returns false if the operator is not such a call, or says too little of it. Throws what PyTorch throws.
    bool read(const at::RecordFunction &function, bool hasInputs)
    {
        if (std::strcmp(function.name(), kDescription) == 0)
            return readDescription(function, hasInputs);
        return hasInputs && readCall(function.name() + std::strlen(kCalls), function.inputs());
    }

private:
    static constexpr const char *kCalls = "c10d::", *kDescription = "record_param_comms";
    static constexpr size_t kMostRanks = 1024; // a longer list is left out

    template <typename Numbers>
    static std::string list(const Numbers &numbers)
    {
        std::string text = "[";
        for (const auto number : numbers)
            text += (text.size() > 1 ? ", " : "") + std::to_string(number);
        return text + "]";
    }
    template <typename Numbers>
    void setRanks(const Numbers &numbers)
    {
        static thread_local std::pair<std::vector<int64_t>, std::string> t_last; // programs use few groups
        if (numbers.empty() || numbers.size() > kMostRanks)
            return;
        if (t_last.first.size() != numbers.size() || !std::equal(numbers.begin(), numbers.end(), t_last.first.begin()))
            t_last = {{numbers.begin(), numbers.end()}, list(numbers)};
        ranks = t_last.second;
    }

    static bool hasRoot(std::string_view operation)
    {
        for (const std::string_view rooted :
             {"broadcast", "_broadcast_oop", "reduce", "_reduce_oop", "gather", "scatter"})
            if (operation == rooted)
                return true;
        return false;
    }

    /// Reads the description that a backend gives of its own call.
    bool readDescription(const at::RecordFunction &function, bool hasInputs)
    {
        const auto *info = static_cast<const torch::ParamCommsDebugInfo *>(
            c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PARAM_COMMS_INFO));
        if (!info)
            return false;
        operation = info->getCollectiveName();
        dataType = c10::toString(info->getDType());
        group = info->getProcessGroupName();
        description = info->getProcessGroupDesc();
        inElements = info->getInMessageNelems();
        outElements = info->getOutMessageNelems();
        groupSize = info->getWorldSize();
        // This is the peer in point-to-point calls, and the root in calls that have one.
        const int64_t named = info->getRank();
        const auto &all = info->getGroupRanks();
        const int64_t global = named >= 0 && static_cast<size_t>(named) < all.size() ? all[named] : -1;
        if (operation == "send")
            destination = global;
        else if (operation == "recv")
            source = global;
        else if (!hasRoot(operation))
            rank = named;
        inSplit = list(info->getInputSplitSizes());
        outSplit = list(info->getOutputSplitSizes());
        setRanks(info->getGroupRanks());
        if (hasInputs)
            for (const c10::IValue &value : function.inputs()) // the number and whether it is point-to-point
                if (value.isTuple() && value.toTupleRef().elements().size() == 2 &&
                    value.toTupleRef().elements()[0].isInt() && value.toTupleRef().elements()[1].isBool())
                    sequence = value.toTupleRef().elements()[0].toInt();
        return true;
    }

    /// Reads the inputs of a call: tensors (if there are two, the output comes first), then the group, then others.
    bool readCall(std::string_view name, c10::ArrayRef<const c10::IValue> inputs)
    {
        c10::intrusive_ptr<c10d::ProcessGroup> called;
        size_t before = 0; // the number of tensors, or lists of tensors
        for (; before < inputs.size() && !called; ++before)
            if (inputs[before].isObject() && inputs[before].type() == groupType())
                called = inputs[before].toCustomClass<c10d::ProcessGroup>();
        // Functions of a class derived from it may run Python.
        if (!called || typeid(*called) != typeid(c10d::ProcessGroup))
            return false;
        --before;
        operation = name.substr(0, name.find_last_not_of('_') + 1);
        const c10::IValue *output = before > 0 ? &inputs[0] : nullptr, *input = before > 1 ? &inputs[1] : output;
        std::optional<c10::DeviceType> device;
        if (operation != "barrier" && operation != "monitored_barrier") {
            inElements = outElements = 0;
            add(output, outElements, device);
            add(input, inElements, device);
        } else {
            int64_t none = 0;
            add(output, none, device);
            dataType.clear();
            inElements = outElements = 0;
        }
        try {
            readGroup(*called, device);
        } catch (...) { // The facts that are known already stay.
        }
        const auto peer = [&](size_t index) {
            return index < inputs.size() && inputs[index].isInt() ? globalRank(inputs[index].toInt()) : -1;
        };
        if (operation == "send")
            source = globalRank(rank), destination = peer(before + 1), outElements = 0;
        else if (operation == "recv")
            source = peer(before + 1), destination = globalRank(rank), inElements = 0;
        else if (operation == "recv_any_source")
            destination = globalRank(rank), inElements = 0;
        else if (operation == "alltoall_base")
            outSplit = split(inputs, before + 1), inSplit = split(inputs, before + 2);
        return true;
    }

    static const c10::TypePtr &groupType()
    {
        static const c10::TypePtr type = c10::getCustomClassType<c10::intrusive_ptr<c10d::ProcessGroup>>();
        return type;
    }
    int64_t globalRank(int64_t inGroup) const
    {
        return inGroup >= 0 && static_cast<size_t>(inGroup) < m_ranks.size() ? m_ranks[inGroup] : -1;
    }
    static std::string split(c10::ArrayRef<const c10::IValue> inputs, size_t index)
    {
        return index < inputs.size() && inputs[index].isIntList() ? list(inputs[index].toIntVector()) : "";
    }

    /// Counts the elements of a tensor or of lists of tensors.
    void add(const c10::IValue *value, int64_t &elements, std::optional<c10::DeviceType> &device)
    {
        if (value && value->isTensor() && value->toTensor().defined()) {
            const at::Tensor &tensor = value->toTensor();
            dataType = c10::toString(tensor.scalar_type());
            const c10::TensorImpl &impl = *tensor.unsafeGetTensorImpl();
            if (elements < 0 || impl.is_python_dispatch() || impl.has_symbolic_sizes_strides() || tensor.is_nested()) {
                elements = -1; // its functions may run Python, or throw
                return;
            }
            elements += tensor.numel();
            device = tensor.device().type();
        } else if (value && value->isList()) {
            for (const c10::IValue &each : value->toListRef())
                add(&each, elements, device);
        }
    }

    void readGroup(c10d::ProcessGroup &called, std::optional<c10::DeviceType> device)
    {
        group = called.getGroupName();
        description = called.getGroupDesc();
        groupSize = called.getSize();
        rank = called.getRank();
        if (!device)
            return;
        const auto backend = called.getBackend(*device); // which the call itself is about to look up
        ask(*backend, "ranks", [&] {
            if (const auto options = backend->getBackendOptions())
                m_ranks.assign(options->global_ranks_in_group.begin(), options->global_ranks_in_group.end());
        });
        if (m_ranks.size() != static_cast<size_t>(groupSize)) // the list of a group that was split off
            m_ranks.clear();
        if (m_ranks.empty() && group == "0" && description == "default_pg") { // of all ranks, without a list
            m_ranks.resize(groupSize);
            std::iota(m_ranks.begin(), m_ranks.end(), 0);
        }
        setRanks(m_ranks);
        ask(*backend, "sequence", // how many calls there were
            [&] { sequence = static_cast<int64_t>(backend->getSequenceNumberForGroup()) + 1; });
    }

    /// Asks a backend. If it throws, which costs milliseconds, this thread never asks a backend of that type again.
    template <typename Ask>
    static void ask(const c10d::Backend &backend, const char *what, Ask one)
    {
        static thread_local std::set<std::pair<std::type_index, std::string_view>> t_refused;
        const std::pair<std::type_index, std::string_view> question(typeid(backend), what);
        if (t_refused.count(question))
            return;
        try {
            one();
        } catch (...) {
            t_refused.insert(question);
        }
    }

    std::vector<int64_t> m_ranks;
};

} // namespace riffle_observer
