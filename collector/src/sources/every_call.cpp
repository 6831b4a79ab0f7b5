// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/every_call.h"

#include "collector/src/clock.h"
#include "collector/src/engine.h"
#include "collector/src/option_text.h"
#include "collector/src/sources/call_log.h"
#include "collector/src/sources/python_stacks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace riffle::collector {

namespace {

using Profile = int (*)(void *object, void *frame, int what, void *argument);

/// A PyMethodDef.
struct MethodDefinition {
    const char *name;
    void *(*call)(void *self, void *arguments);
    int flags;
    const char *text;
};
constexpr int kTakesArguments = 1; ///< METH_VARARGS

/// The functions of the interpreter; all need the GIL.
struct Interpreter : CallInterpreter {
    void *(*current)() = nullptr; ///< the calling thread's state
    void *(*own)() = nullptr;     ///< the interpreter's state
    void *(*firstThread)(void *interpreter) = nullptr;
    void *(*nextThread)(void *thread) = nullptr;
    void *(*frame)() = nullptr;
    int (*setProfile)(void *thread, Profile function, void *object) = nullptr;
    void (*setOwnProfile)(Profile function, void *object) = nullptr;
    void *(*makeFunction)(MethodDefinition *definition, void *self, void *module) = nullptr;
    void *(*makeCapsule)(void *pointer, const char *name, void (*destroy)(void *capsule)) = nullptr;
    void (*retain)(void *object) = nullptr;
    void *(*inSystem)(const char *name) = nullptr;
    void *(*behind)(void *function) = nullptr;
    int (*audit)(const char *event, const char *format, ...) = nullptr;
    void *none = nullptr;

    bool find()
    {
        const auto look = [](auto &function, const char *name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(RTLD_DEFAULT, name));
            return function != nullptr;
        };
        none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
        return none && look(back, "PyFrame_GetBack") && look(code, "PyFrame_GetCode") && look(repr, "PyObject_Repr") &&
               look(utf8, "PyUnicode_AsUTF8") && look(release, "Py_DecRef") && look(retain, "Py_IncRef") &&
               look(forgetError, "PyErr_Clear") && look(current, "PyThreadState_Get") &&
               look(own, "PyInterpreterState_Get") && look(firstThread, "PyInterpreterState_ThreadHead") &&
               look(nextThread, "PyThreadState_Next") && look(frame, "PyEval_GetFrame") &&
               look(setProfile, "_PyEval_SetProfile") && look(setOwnProfile, "PyEval_SetProfile") &&
               look(makeFunction, "PyCFunction_NewEx") && look(makeCapsule, "PyCapsule_New") &&
               look(inSystem, "PySys_GetObject") && look(behind, "PyCFunction_GetFunction") &&
               look(audit, "PySys_Audit");
    }
};

/// The periods in which calls are recorded. The child of a fork gets its own, because the parent's may be locked.
struct Periods {
    struct Period {
        int64_t start = 0, end = 0;
    };
    std::mutex mutex;
    bool isWanted = false;
    uint32_t number = 0;
    std::array<Period, 16> last; ///< by number modulo size
};

constexpr const char *kObject = "riffle: every Python call is recorded";

std::atomic<Interpreter *> g_interpreter{nullptr}; ///< never destroyed, because threads may be using it
constinit Periods g_firstPeriods; // the recording may start while the library's other objects are not made yet
constinit std::atomic<Periods *> g_periods{&g_firstPeriods};
std::atomic<uint32_t> g_period{0};
std::atomic<bool> g_isInstalled{false}, g_wasInstalled{false}, g_wasReplaced{false};
bool g_changesItself = false; ///< we change profile functions; guarded by the GIL

/// Begins or ends a period if that is due.
void updatePeriod()
{
    Periods &periods = *g_periods.load(std::memory_order_acquire);
    std::scoped_lock lock(periods.mutex);
    const bool records = periods.isWanted && g_isInstalled;
    if (records == (g_period.load() != 0))
        return;
    if (records) {
        ++periods.number;
        periods.last[periods.number % periods.last.size()] = {now(), 0};
        g_period = periods.number;
    } else {
        g_period = 0;
        periods.last[periods.number % periods.last.size()].end = now();
    }
}

int64_t startOfPeriod(uint32_t number)
{
    Periods &periods = *g_periods.load(std::memory_order_acquire);
    std::scoped_lock lock(periods.mutex);
    return periods.last[number % periods.last.size()].start;
}

int onEvent(void *, void *frame, int what, void *argument)
{
    Interpreter &python = *g_interpreter.load(std::memory_order_relaxed);
    const uint32_t number = g_period.load(std::memory_order_acquire);
    if (number == 0) [[unlikely]] {
        if (!g_isInstalled.load(std::memory_order_relaxed)) // a thread that the removal did not reach
            python.setOwnProfile(nullptr, nullptr);
        return 0;
    }
    Engine *engine = Engine::existing();
    if (!engine)
        return 0;
    ThreadLog *log = engine->threadLog();
    CallLog *calls = log ? log->calls() : nullptr;
    if (!calls) {
        if (what == CallLog::kCall || what == CallLog::kCCall)
            engine->lose();
        return 0;
    }
    static thread_local CallPeriod period{0, 0};
    if (period.number != number)
        period = {number, startOfPeriod(number)};
    calls->event(python, *log, period, frame, what, argument);
    return 0;
}

void *functionOf(const Interpreter &python, void *thread)
{
    return DirectMemory::read<void *>(static_cast<PythonAddress>(thread) + python.layout->threadProfile);
}
bool isOurs(void *function) { return function == reinterpret_cast<void *>(&onEvent); }

/// True if the program has an audit hook. A change of a profile function calls it, and while it runs other threads may
/// end, whose states must not be touched then. Python makes the arguments of an event only if there is a hook.
bool isAudited(const Interpreter &python)
{
    bool found = false;
    const auto argument = +[](void *to) -> void * {
        *static_cast<bool *>(to) = true;
        const Interpreter &known = *g_interpreter.load(std::memory_order_relaxed);
        known.retain(known.none);
        return known.none;
    };
    if (python.audit("riffle.calls", "O&", argument, &found) != 0)
        python.forgetError();
    return found;
}

/// Python destroys the object of a thread's profile function when another one comes, or when the thread ends.
void objectEnds(void *)
{
    Interpreter &python = *g_interpreter.load(std::memory_order_relaxed);
    if (g_changesItself || !g_isInstalled || !python.frame())
        return;
    Engine *engine = Engine::existing();
    const bool isHere = !isOurs(functionOf(python, python.current())); // otherwise that of another thread
    if (isHere)
        g_wasReplaced = true;
    ThreadLog *log = engine && isHere && everyCallPeriod() ? engine->knownLog() : nullptr;
    if (CallLog *calls = log ? log->calls() : nullptr)
        calls->leave(*log);
}

/// The function behind what sys.getprofile() gives a program; Python calls it if the program hands that to
/// sys.setprofile() later.
void *comeBack(void *, void *)
{
    Interpreter &python = *g_interpreter.load(std::memory_order_relaxed);
    if (!joinEveryCall())
        python.setOwnProfile(nullptr, nullptr);
    python.retain(python.none);
    return python.none;
}
MethodDefinition g_comeBack{"riffle", comeBack, kTakesArguments, nullptr};

/// The object that Python keeps with a thread's profile function; null if there is no memory.
void *makeObject(const Interpreter &python)
{
    void *capsule = python.makeCapsule(&g_comeBack, kObject, objectEnds);
    void *made = capsule ? python.makeFunction(&g_comeBack, capsule, nullptr) : nullptr;
    if (capsule)
        python.release(capsule);
    if (!made)
        python.forgetError();
    return made;
}

/// The states of all threads of Python. They stay as long as no code of Python runs, which may give up the GIL.
std::vector<void *> threadsOf(const Interpreter &python)
{
    std::vector<void *> threads;
    for (void *thread = python.firstThread(python.own()); thread; thread = python.nextThread(thread))
        threads.push_back(thread);
    return threads;
}

/// Sets or removes the function in one thread, and releases the object.
void change(const Interpreter &python, void *thread, Profile function, void *object)
{
    g_changesItself = true;
    if (thread && python.setProfile(thread, function, object) != 0) // a hook for audits has refused
        python.forgetError();
    if (object)
        python.release(object);
    g_changesItself = false;
}

Interpreter *findInterpreter(std::string_view prefixes)
{
    auto made = std::make_unique<Interpreter>();
    if (!made->find())
        return nullptr;
    made->layout = &attachedPython()->layout();
    made->types = attachedPython()->types();
    if (void *setter = made->inSystem("setprofile"))
        made->setProfileMeth = made->behind(setter);
    made->forgetError(); // a program may have replaced sys.setprofile
    while (!prefixes.empty())
        made->prefixes.emplace_back(takePart(prefixes, "\n"));
    return made.release();
}

} // namespace

EveryCallAnswer installEveryCall(std::string_view prefixes)
{
    if (const std::string why = allowPythonStacks(); !why.empty())
        return {why, true};
    if (!g_interpreter) {
        Interpreter *found = findInterpreter(prefixes);
        if (!found)
            return {"Python calls are not recorded: the interpreter lacks a function that is needed for it.", true};
        g_interpreter = found;
    }
    const Interpreter &python = *g_interpreter;
    const bool onlyHere = isAudited(python);
    std::vector<void *> objects; // made before: that may run code of Python
    objects.resize(threadsOf(python).size());
    std::generate(objects.begin(), objects.end(), [&] { return makeObject(python); });
    size_t others = 0;
    for (void *thread : threadsOf(python)) {
        if (onlyHere && thread != python.current())
            continue;
        void *before = functionOf(python, thread);
        others += before && !isOurs(before);
        if (before || objects.empty() || !objects.back())
            continue;
        change(python, thread, onEvent, objects.back());
        objects.pop_back();
    }
    for (void *object : objects)
        change(python, nullptr, nullptr, object);
    void *const own = functionOf(python, python.current());
    g_isInstalled = true;
    g_wasInstalled = isOurs(own);
    if (!own) {
        removeEveryCall();
        return {"Python calls are not recorded: the interpreter did not take the profile function.", true};
    }
    updatePeriod();
    if (onlyHere)
        return {
            "The program has an audit hook: Python calls are recorded only in the thread that makes the steps, and in "
            "threads that start later.",
            false};
    if (others)
        return {"The program has a profile function of its own in " + std::to_string(others) +
                    (others == 1 ? " thread" : " threads") + ": no Python calls are recorded there.",
                false};
    return {};
}

bool joinEveryCall()
{
    if (!g_isInstalled)
        return false;
    const Interpreter &python = *g_interpreter;
    void *thread = python.current();
    if (void *object = makeObject(python))
        change(python, thread, onEvent, object);
    Engine *engine = Engine::existing();
    ThreadLog *log = engine && everyCallPeriod() ? engine->threadLog() : nullptr;
    if (CallLog *calls = log ? log->calls() : nullptr)
        calls->join(now());
    return isOurs(functionOf(python, thread));
}

void removeEveryCall()
{
    if (!g_isInstalled.exchange(false))
        return;
    updatePeriod();
    const Interpreter &python = *g_interpreter;
    const bool onlyHere = isAudited(python); // other threads take it away at their next call
    for (void *thread : threadsOf(python))
        if ((!onlyHere || thread == python.current()) && isOurs(functionOf(python, thread)))
            change(python, thread, nullptr, nullptr);
}

void forkedEveryCall()
{
    g_isInstalled = false;
    g_period = 0;
    Periods *made = new Periods;
    made->number = g_periods.load()->number; // threads know the number of their last period
    g_periods = made;
}

void recordEveryCall(bool on)
{
    {
        Periods &periods = *g_periods.load(std::memory_order_acquire);
        std::scoped_lock lock(periods.mutex);
        periods.isWanted = on;
    }
    updatePeriod();
}

uint32_t everyCallPeriod() { return g_period.load(std::memory_order_acquire); }

int64_t endOfCallPeriod(uint32_t number)
{
    Periods &periods = *g_periods.load(std::memory_order_acquire);
    std::scoped_lock lock(periods.mutex);
    return periods.last[number % periods.last.size()].end;
}

PythonStacksSaid stacksSaid(StacksWay way)
{
    if (way == StacksWay::Calls && attachedPython())
        return {g_wasInstalled ? "recorded: every Python call"
                               : "no Python calls are recorded in the thread that makes the steps",
                false};
    return pythonStacksSaid(way);
}

bool wasEveryCallReplaced() { return g_wasReplaced.exchange(false); }

} // namespace riffle::collector
