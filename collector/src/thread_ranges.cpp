// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/thread_ranges.h"

#include "collector/src/engine.h"

namespace riffle::collector {

int pushRange(const Domain *domain, std::string_view name, std::string_view category, uint8_t payloadKind,
              uint64_t payload, uint32_t color)
{
    Engine *engine = Engine::existing();
    if (!engine)
        return kNotTracked;
    if (!engine->follows()) {
        ThreadLog *log = engine->knownLog();
        return log ? log->push(false, domain, name, category) : kNotTracked;
    }
    engine->began(name);
    if (ThreadLog *log = engine->threadLog())
        return log->push(engine->records(), domain, name, category, payloadKind, payload, color,
                         engine->pythonStacks());
    engine->lose();
    return kNotTracked;
}

int popRange(const Domain *domain)
{
    Engine *engine = Engine::existing();
    ThreadLog *log = engine ? engine->knownLog() : nullptr;
    return log ? log->pop(domain) : kNotTracked;
}

} // namespace riffle::collector
