// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/seeded_hash.h"

#include <random>

namespace riffle {

namespace {

struct HashSeeds {
    uint64_t mask, factor;
};

uint64_t randomNumber(std::random_device &device) { return uint64_t(device()) << 32 | device(); }

const HashSeeds &hashSeeds()
{
    static const HashSeeds kSeeds = [] {
        std::random_device device;
        const uint64_t mask = randomNumber(device);
        return HashSeeds{mask, randomNumber(device) | 1};
    }();
    return kSeeds;
}

} // namespace

uint64_t hashSeed() { return hashSeeds().mask; }

SeededHash::SeededHash() : m_mask(hashSeeds().mask), m_factor(hashSeeds().factor) {}

} // namespace riffle
