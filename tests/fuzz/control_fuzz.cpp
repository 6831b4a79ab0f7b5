// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/control_answer.h"
#include "collector/src/engine.h"
#include "collector/src/options.h"
#include "riffle/control.h"
#include "tests/fuzz/require.h"

#include <cstring>
#include <string>

using namespace riffle;
using control::Kind;
using test::require;

namespace {

/// Reads a message as a client does.
void readAsClient(const control::Message &message)
{
    for (const char *key : {"host", "path", "executable", ""})
        require(control::lineOf(message.text, key).size() <= message.text.size(), "a line is longer than its text");
    const auto stats = message.as<control::StatsPart>();
    const auto hello = message.as<control::HelloPart>();
    require(std::memcmp(&stats, &hello, std::min({sizeof(stats), sizeof(hello), message.fixed.size()})) == 0,
            "parts differ");
}

/// Has the collector answer a valid packet of this kind, so that the code after the header's checks is reached too.
void answer(Kind kind, std::string_view text)
{
    const std::string packet = control::makePacket(kind, 7, {}, text);
    const auto asked = control::readPacket(packet);
    require(asked.has_value(), "our own packet cannot be read");
    const std::string answered = collector::answerTo(collector::Engine::get(), *asked, 0).packet;
    const auto said = control::readPacket(answered);
    require(said && said->request == 7 && (said->kind == kind || said->kind == Kind::Error),
            "the answer does not belong to the request");
}

} // namespace

/// The process records nothing. The options of a start and of changes are parsed but not carried out, because a
/// recording would create folders at arbitrary paths.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    if (const auto message = control::readPacket(bytes)) {
        readAsClient(*message);
        if (message->kind != Kind::Start && message->kind != Kind::Set)
            collector::answerTo(collector::Engine::get(), *message, 0);
    }
    collector::Options options;
    std::string error;
    require(collector::readOptions(bytes, options, error) == error.empty(), "options are invalid without a message");
    answer(Kind::Hello, bytes);
    answer(Kind::Dump, bytes);
    answer(static_cast<Kind>(size + static_cast<size_t>(Kind::Set) + 1), bytes);
    return 0;
}
