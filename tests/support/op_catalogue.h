// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/trace_generator.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle::test {

/// A GPU kernel: its name, and the facts about its launch that are printed with each of its runs.
struct KernelSpec {
    std::uint32_t name = 0;
    std::string launchText; ///< registers … occupancy, as printed
    std::int64_t nanoseconds = 0;
};

/// An operator: what it calls, launches and allocates, and what its backward pass does.
struct OpSpec {
    std::uint32_t name = 0;
    std::uint32_t firstArguments = 0; ///< first of kVariants texts
    int kernel = -1;
    bool allocates = false;
    std::uint32_t backwardNode = 0; ///< name of the autograd node, 0 = not differentiable
    std::uint32_t backwardTask = 0; ///< name of the engine's call of that node
    std::vector<int> children = {};
    std::vector<int> backwardOps = {};
};

/// The names, operators, argument texts and kernels of a generated trace. Built once per trace, then only read.
class OpCatalogue {
public:
    static constexpr std::uint32_t kVariants = 48;

    explicit OpCatalogue(const TraceOptions &options);

    std::uint32_t name(std::string_view text);
    const std::string &nameText(std::uint32_t name) const { return m_names[name]; }
    const std::string &argumentText(std::uint32_t arguments) const { return m_arguments[arguments]; }
    const OpSpec &op(int index) const { return m_ops[static_cast<std::size_t>(index)]; }
    const KernelSpec &kernel(int index) const { return m_kernels[static_cast<std::size_t>(index)]; }
    int opNamed(std::string_view text) const;

private:
    struct Recipe;

    void addKernels();
    void addOps();
    int addOp(const Recipe &recipe);
    std::uint32_t addArguments(std::string_view pattern);
    std::string argumentList(std::string_view pattern);
    std::uint32_t random(std::uint32_t below);

    bool m_long = false;
    std::uint64_t m_random;
    std::vector<std::string> m_names;
    std::unordered_map<std::string, std::uint32_t> m_nameIndex;
    std::vector<std::string> m_arguments;
    std::vector<KernelSpec> m_kernels;
    std::vector<OpSpec> m_ops;
    std::unordered_map<std::string, int> m_opIndex;
};

} // namespace riffle::test
