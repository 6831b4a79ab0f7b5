// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/control_answer.h"

#include "collector/src/engine.h"
#include "collector/src/report.h"

#include <exception>
#include <unistd.h>

namespace riffle::collector {

namespace {

using control::Kind;
using control::Message;

std::string answerWith(const Message &message, std::string_view fixed, std::string_view text = {})
{
    return control::makePacket(message.kind, message.request, fixed, text);
}

std::string hello(Engine &engine, const Message &message)
{
    const control::HelloPart part = engine.hello();
    char host[256] = {}, executable[2048] = {};
    gethostname(host, sizeof(host) - 1);
    const ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    std::string name(executable, static_cast<size_t>(std::max<ssize_t>(0, length)));
    std::replace(name.begin(), name.end(), '\n', ' ');
    const std::string text = std::string("host=") + host +
                             "\ncollector=" RIFFLE_VERSION "\npath=" + engine.statistics().path +
                             "\nexecutable=" + name + "\n";
    return answerWith(message, control::bytesOf(part), text);
}

std::string stats(Engine &engine, const Message &message)
{
    const Statistics now = engine.statistics();
    const control::StatsPart part{now.state,        now.cycle,     now.steps,       now.events,  now.dropped,
                                  now.bytesWritten, now.bytesKept, now.bufferBytes, now.threads, now.dumps};
    return answerWith(message, control::bytesOf(part));
}

/// Carries out a request that changes the recording.
Answer change(Engine &engine, const Message &message)
{
    if (message.kind == Kind::Start)
        return engine.restart(message.text);
    if (!engine.follows())
        return {RIFFLE_ESTATE, "Nothing is being recorded."};
    switch (message.kind) {
    case Kind::Pause: return engine.pause(true);
    case Kind::Resume: return engine.pause(false);
    case Kind::Stop: return engine.end();
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
    default: return nullptr;
    }
}

} // namespace

std::string errorPacket(uint32_t request, const Answer &answer)
{
    return control::makePacket(Kind::Error, request, control::bytesOf(control::ErrorPart{answer.code, 0}),
                               answer.error);
}

std::string answerTo(Engine &engine, const Message &message, pid_t peer)
{
    try {
        if (message.version != control::kVersion)
            return errorPacket(message.request, {RIFFLE_EINVAL, "This collector's control protocol has version " +
                                                                    std::to_string(control::kVersion) + ", not " +
                                                                    std::to_string(message.version) + "."});
        switch (message.kind) {
        case Kind::Hello: return hello(engine, message);
        case Kind::Stats: return stats(engine, message);
        case Kind::Committed: return answerWith(message, control::bytesOf(engine.statistics().committed));
        default: break;
        }
        const Answer answer = change(engine, message);
        if (answer.code != RIFFLE_OK)
            return errorPacket(message.request, answer);
        if (const char *sentence = sentenceOf(message.kind))
            engine.tell(std::string(sentence) + " at the request of process " + std::to_string(peer) + ".");
        return answerWith(message, {});
    } catch (const std::exception &) {
        return errorPacket(message.request, {RIFFLE_EIO, "Out of memory."});
    }
}

} // namespace riffle::collector
