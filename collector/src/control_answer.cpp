// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/control_answer.h"

#include "collector/src/clock.h"
#include "collector/src/engine.h"
#include "collector/src/report.h"

#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

using control::Kind;
using control::Message;

std::string answerWith(const Message &message, std::string_view fixed, std::string_view text = {})
{
    return control::makePacket(message.kind, message.request, fixed, text);
}

/// The text without line breaks, so that it fits into a line of KEY=VALUE.
std::string oneLine(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// The command line of this process, with spaces between its words.
std::string commandLine()
{
    char bytes[2048];
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, bytes, sizeof(bytes));
    if (file >= 0)
        close(file);
    std::string text(bytes, static_cast<size_t>(std::max<ssize_t>(0, length)));
    while (!text.empty() && text.back() == '\0')
        text.pop_back();
    std::replace(text.begin(), text.end(), '\0', ' ');
    return oneLine(text);
}

std::string hello(Engine &engine, const Message &message)
{
    const control::HelloPart part = engine.hello();
    const Statistics now = engine.statistics();
    char host[256] = {}, executable[2048] = {};
    gethostname(host, sizeof(host) - 1);
    const ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    const std::string name(executable, static_cast<size_t>(std::max<ssize_t>(0, length)));
    std::string text = std::string("host=") + host + "\ncollector=" RIFFLE_VERSION "\npath=" + now.path +
                       "\nsession=" + now.session + "\n" + engine.helloLines();
    if (!now.error.empty())
        text += "error=" + oneLine(now.error) + "\n";
    return answerWith(message, control::bytesOf(part),
                      text + "executable=" + oneLine(name) + "\ncommand=" + commandLine() + "\n");
}

std::string stats(Engine &engine, const Message &message)
{
    const Statistics now = engine.statistics();
    const uint64_t ours = static_cast<uint64_t>(nanoseconds(CLOCK_THREAD_CPUTIME_ID)); // of the thread that answers
    const control::StatsPart part{
        now.state,       now.cycle,   now.steps, now.events, now.dropped, now.bytesWritten,       now.bytesKept,
        now.bufferBytes, now.threads, now.dumps, now.lagNs,  now.entries, now.collectorNs + ours, now.programNs,
        now.elapsedNs,   now.stepNs};
    std::string text;
    for (const auto &[reason, count] : now.reasons)
        text += "dropped." + reason + "=" + std::to_string(count) + "\n";
    return answerWith(message, control::bytesOf(part), text);
}

bool asksPythonPart(Kind kind) { return kind == Kind::Start || kind == Kind::Resume || kind == Kind::Set; }

/// Carries out a request that changes the recording.
Answer change(Engine &engine, const Message &message)
{
    if (message.kind == Kind::Start)
        return engine.restart(message.text);
    if (message.kind == Kind::Set)
        return message.text.empty() ? Answer{RIFFLE_EINVAL, "A change needs at least one option."}
                                    : engine.change(message.text);
    if (!engine.follows())
        return {RIFFLE_ESTATE, "Nothing is being recorded."};
    switch (message.kind) {
    case Kind::Pause: return engine.pause(true);
    case Kind::Resume: return engine.pause(false);
    case Kind::Stop:
        // The observer of operators can only be removed safely while open ranges are still tracked, so its removal
        // comes first; agentAnswer() ends the recording.
        return engine.agent().wishes().operators ? engine.pause(true) : engine.end();
    case Kind::Flush: return engine.flush();
    case Kind::Dump:
        if (!message.text.starts_with('/'))
            return {RIFFLE_EINVAL, "A dump needs the absolute path of its folder."};
        return engine.dump(std::string(message.text));
    default: return {RIFFLE_EINVAL, "This version of the collector does not know this request."};
    }
}

const char *sentenceOf(Kind kind)
{
    switch (kind) {
    case Kind::Start: return "Recording was started";
    case Kind::Pause: return "Recording was paused";
    case Kind::Resume: return "Recording was resumed";
    case Kind::Stop: return "Recording was stopped";
    case Kind::Dump: return "A dump was written";
    case Kind::Set: return "Recording was changed";
    default: return nullptr;
    }
}

} // namespace

std::string errorPacket(uint32_t request, const Answer &answer)
{
    return control::makePacket(Kind::Error, request, control::bytesOf(control::ErrorPart{answer.code, 0}),
                               answer.error);
}

std::string agentAnswer(Engine &engine, Kind kind, uint32_t request, std::string_view text, bool isHeard)
{
    const auto answer = [&](std::string_view said) { return control::makePacket(kind, request, {}, said); };
    const auto changes = [&](std::string_view key) {
        return kind == Kind::Set && text.find(std::string(key) + "=") != std::string_view::npos;
    };
    if (kind == Kind::Stop) {
        const Answer ended = engine.end();
        return ended.code == RIFFLE_OK ? answer({}) : errorPacket(request, ended);
    }
    if (!isHeard)
        return answer(
            "operators=later\nnote=Operators and the memory history follow at the next step of the program, or as "
            "soon as its main thread runs Python code.\n");
    const std::string said = engine.agent().said();
    const AgentChannel::Wishes wishes = engine.agent().wishes();
    if (!engine.agent().isThere() &&
        (wishes.shapes || wishes.modules || wishes.stacks != StacksWay::None || wishes.memoryHistory)) {
        const std::string why =
            "Shapes, modules, stacks and the memory history need PyTorch and a job that runs under riffle-cli record.";
        if (!changes("shapes") && !changes("modules") && !changes("stacks") && !changes("memory_history"))
            return answer("note=" + why + "\n");
        engine.change("shapes=0\nmodules=0\nstacks=0\nmemory_history=0");
        return errorPacket(request, {RIFFLE_EOPTION, why});
    }
    const std::string_view refused = control::lineOf(said, "refused"), key = refused.substr(0, refused.find(':'));
    if (!refused.empty() && changes(key)) {
        engine.change(std::string(key) + "=0");
        return errorPacket(request, {RIFFLE_EOPTION, std::string(refused)});
    }
    return answer(said);
}

Reply answerTo(Engine &engine, const Message &message, pid_t peer)
{
    try {
        if (message.version != control::kVersion)
            return {errorPacket(message.request, {RIFFLE_EINVAL, "This collector's control protocol has version " +
                                                                     std::to_string(control::kVersion) + ", not " +
                                                                     std::to_string(message.version) + "."}),
                    {}};
        switch (message.kind) {
        case Kind::Hello: return {hello(engine, message), {}};
        case Kind::Stats: return {stats(engine, message), {}};
        case Kind::Committed: return {answerWith(message, control::bytesOf(engine.statistics().committed)), {}};
        default: break;
        }
        const Answer answer = change(engine, message);
        const bool hasPython = engine.agent().ring();
        if (answer.code != RIFFLE_OK)
            return {errorPacket(message.request, answer), {}};
        if (const char *sentence = sentenceOf(message.kind))
            engine.tell(std::string(sentence) + " at the request of " +
                        (peer ? "process " + std::to_string(peer) : std::string("a process in another container")) +
                        ".");
        if (message.kind == Kind::Stop ? !engine.follows() : !asksPythonPart(message.kind))
            return {answerWith(message, {}), {}};
        if (hasPython)
            return {{}, engine.agent().asked()};
        return {agentAnswer(engine, message.kind, message.request, message.text, true), {}};
    } catch (const std::exception &) {
        return {errorPacket(message.request, {RIFFLE_EIO, "Out of memory."}), {}};
    }
}

} // namespace riffle::collector
