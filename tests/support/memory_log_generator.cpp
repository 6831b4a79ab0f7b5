// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory_log_generator.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace riffle::test {

namespace {

constexpr std::array kWeights = {"mixer.Wqkv", "mixer.out_proj", "mlp.w1", "mlp.w2", "mlp.w3", "norm1"};
constexpr std::array<uint64_t, kWeights.size()> kHundredths = {9600, 3200, 8600, 8600, 8600, 1};

std::string megabytes(uint64_t hundredths) { return fmt::format("{}.{:02} MB", hundredths / 100, hundredths % 100); }

void layer(std::string &out, const std::string &path, uint64_t own, uint64_t total)
{
    fmt::format_to(std::back_inserter(out), "layer: {}, layer_mem: {}, total_mem: {}\n", path, megabytes(own),
                   megabytes(total));
}

uint64_t blockSize()
{
    uint64_t sum = 0;
    for (const uint64_t weight : kHundredths)
        sum += weight;
    return sum;
}

std::string parameters(const std::string &heading, const std::string &name, uint32_t blocks)
{
    std::string out = heading + "_layout:\n";
    layer(out, name, 0, blockSize() * blocks);
    for (uint32_t block = 0; block < blocks; ++block) {
        const std::string inside = fmt::format("{}.blocks.{}", name, block);
        layer(out, inside, 0, blockSize());
        for (size_t weight = 0; weight < kWeights.size(); ++weight) {
            layer(out, inside + '.' + kWeights[weight], 0, kHundredths[weight]);
            layer(out, inside + '.' + kWeights[weight] + ".weight", kHundredths[weight], kHundredths[weight]);
        }
    }
    return out;
}

} // namespace

std::string generateMemoryLog(const MemoryLogOptions &options)
{
    const uint64_t whole = blockSize() * options.blocks;
    const std::string fixed = parameters("params", "param_mem", options.blocks) +
                              parameters("grads", "grad_mem", options.blocks) +
                              parameters("os_params", "os_params_mem", options.blocks) +
                              parameters("os_state", "os_state_mem", options.blocks);
    std::string out;
    for (uint32_t point = 0; point < options.points; ++point) {
        std::string layers = "activation_base_layout:\n";
        uint64_t activations = 0;
        for (uint32_t block = 0; block < options.blocks; ++block)
            for (uint32_t at = 0; at < 4; ++at) {
                const uint64_t size = (point * 37 + block * 101 + at * 7 + options.rank * 13) % 50'000;
                layer(layers, fmt::format("activation_base_mem.{}.{}", block, at), size, size);
                activations += size;
            }
        fmt::format_to(std::back_inserter(out), "Memory State:\ntime: {}.{:06}\n---summary---\ntotal_memory: {}\n",
                       30 + point / 4, point % 4 * 250'000, megabytes(4 * whole + activations));
        fmt::format_to(std::back_inserter(out),
                       "params_memory: {0}, grads_memory: {0}, os_params_memory: {0}, os_state_memory: {0}, "
                       "activation_memory: {1}\n---Layout---\n",
                       megabytes(whole), megabytes(activations));
        out += fixed;
        out += layers;
        out += '\n';
    }
    return out;
}

} // namespace riffle::test
