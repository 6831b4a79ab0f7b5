// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/agent_channel.h"

#include "collector/src/engine.h"

#include <atomic>
#include <dlfcn.h>
#include <type_traits>

namespace riffle::collector {

namespace {

riffle_wishes s_wishes{sizeof(riffle_wishes), 0, 0, 0, 0, 0, 0, 0};

void put(uint32_t &to, uint32_t value) { std::atomic_ref(to).store(value, std::memory_order_release); }

constexpr const char *kModule = "_riffle_agent._channel"; ///< where the Python part's look_up() is

} // namespace

AgentChannel::Interpreter AgentChannel::Interpreter::find()
{
    Interpreter found;
    const auto look = [](auto &function, const char *name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(RTLD_DEFAULT, name));
    };
    look(found.isInitialized, "Py_IsInitialized");
    look(found.addPendingCall, "Py_AddPendingCall");
    look(found.modules, "PyImport_GetModuleDict");
    look(found.itemOf, "PyDict_GetItemString");
    look(found.callMethod, "PyObject_CallMethod");
    look(found.release, "Py_DecRef");
    return found;
}

const riffle_wishes *AgentChannel::published() { return &s_wishes; }

void AgentChannel::withdraw()
{
    put(s_wishes.operators, 0);
    put(s_wishes.memory_history, 0);
    put(s_wishes.steps, 0);
    put(s_wishes.modules, 0);
    put(s_wishes.stacks, 0);
    put(s_wishes.changes, s_wishes.changes + 1);
}

void AgentChannel::wish(const Wishes &wishes)
{
    std::scoped_lock lock(m_mutex);
    if (wishes == m_wishes)
        return;
    m_wishes = wishes;
    put(s_wishes.operators, wishes.operators);
    put(s_wishes.shapes, wishes.shapes);
    put(s_wishes.memory_history, wishes.memoryHistory);
    put(s_wishes.steps, wishes.steps);
    put(s_wishes.modules, wishes.modules);
    put(s_wishes.stacks, static_cast<uint32_t>(wishes.stacks));
    put(s_wishes.changes, s_wishes.changes + 1);
}

AgentChannel::Wishes AgentChannel::wishes()
{
    std::scoped_lock lock(m_mutex);
    return m_wishes;
}

bool AgentChannel::ring()
{
    if (!m_isExpected)
        return false;
    std::scoped_lock lock(m_mutex); // ends() waits for it, so the interpreter lives
    if (m_hasEnded || !m_interpreter.isThere())
        return false;
    // If the interpreter's queue is full, the Python part looks at the wishes at the next step.
    if (m_ring == Ring::Looking)
        m_ring = Ring::LookingAndAsked;
    else if (m_ring == Ring::Quiet && m_interpreter.addPendingCall(&AgentChannel::called, nullptr) == 0)
        m_ring = Ring::Asked;
    return true;
}

/// The interpreter calls this in its main thread, between two instructions of the program.
int AgentChannel::called(void *)
{
    if (Engine *engine = Engine::existing()) // the child of a fork inherits the call
        return engine->agent().look() ? 0 : -1;
    return 0;
}

/// False if a handler of the program has raised an exception meanwhile, which is the program's.
bool AgentChannel::look()
{
    bool isGood = true;
    {
        std::scoped_lock lock(m_mutex);
        m_ring = Ring::Looking;
    }
    for (bool isAsked = true; isAsked;) {
        isGood = lookOnce();
        std::scoped_lock lock(m_mutex);
        const bool isAskedAgain = m_ring == Ring::LookingAndAsked;
        isAsked = isGood && isAskedAgain;
        m_ring = isAsked ? Ring::Looking : Ring::Quiet;
        // The program's exception goes on first, and then the interpreter looks.
        if (isAskedAgain && !isGood && m_interpreter.addPendingCall(&AgentChannel::called, nullptr) == 0)
            m_ring = Ring::Asked;
    }
    return isGood;
}

bool AgentChannel::lookOnce()
{
    uint32_t changes = 0;
    {
        std::scoped_lock lock(m_mutex);
        if (m_hasEnded)
            return true;
        changes = s_wishes.changes;
    }
    // The interpreter does not change any more once it has been found.
    if (void *module = m_interpreter.itemOf(m_interpreter.modules(), kModule)) {
        void *result = m_interpreter.callMethod(module, "look_up", nullptr);
        if (!result)
            return false;
        m_interpreter.release(result);
    }
    if (!m_isThere)
        says(changes, "");
    return true;
}

uint32_t AgentChannel::asked()
{
    std::scoped_lock lock(m_mutex);
    return s_wishes.changes;
}

uint32_t AgentChannel::answered()
{
    std::scoped_lock lock(m_mutex);
    return m_answered;
}

std::string AgentChannel::said()
{
    std::scoped_lock lock(m_mutex);
    return m_said;
}

void AgentChannel::says(uint32_t changes, const char *text)
{
    {
        std::scoped_lock lock(m_mutex);
        m_answered = changes;
        m_said = text ? text : "";
    }
    m_heard();
}

void AgentChannel::expect(bool isThere)
{
    // Not under the lock, and not when it is rung: dlsym() waits for threads that load a library.
    const Interpreter found = Interpreter::find();
    {
        std::scoped_lock lock(m_mutex);
        m_interpreter = found;
    }
    m_isExpected = true;
    if (isThere)
        m_isThere = true;
}

void AgentChannel::ends()
{
    std::scoped_lock lock(m_mutex);
    m_hasEnded = true;
}

} // namespace riffle::collector
