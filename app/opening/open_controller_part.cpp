// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the controller that asks which part of large traces to read.
#include "app/opening/current_opening.h"
#include "app/opening/open_controller.h"
#include "views/common/look/qt_text.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {
constexpr uint64_t kHeadBytes = 32 << 20; ///< of text, for an estimate
}

/// True if a trace is large, has no store, and nobody has said which part of it to read.
bool OpenController::isPartWanted() const
{
    const OpenRequest &request = m_opening->request;
    const qint64 limit = m_settings->partLimitBytes();
    if (limit <= 0 || request.range || request.steps || request.isPartChosen)
        return false;
    return std::ranges::any_of(m_opening->files, [&](const Opening::File &file) {
        return file.found.isTrace() && !file.found.isStored && file.found.bytes >= static_cast<uint64_t>(limit);
    });
}

/// Reads the start of the largest trace, then asks.
void OpenController::askForPart()
{
    PartQuestion question;
    question.files = static_cast<int>(m_opening->files.size());
    uint64_t largest = 0;
    for (const Opening::File &file : m_opening->files) {
        question.bytes += file.found.bytes;
        if (file.found.isTrace() && file.found.bytes > largest) {
            largest = file.found.bytes;
            question.largest = file.path;
        }
    }
    m_jobs.run(
        QStringLiteral("estimate"),
        [question, largest, import = m_opening->options.import](const std::stop_token &stop) mutable {
            const auto estimate = estimateTrace(toUtf8(question.largest), import, StoreFolder::defaultFolder(),
                                                kHeadBytes, {stop, nullptr});
            if (estimate) { // otherwise, reading the file will report the error
                const double times = static_cast<double>(question.bytes) / static_cast<double>(largest);
                question.estimate = *estimate;
                question.estimate->seconds *= times;
                question.estimate->memoryBytes =
                    static_cast<uint64_t>(static_cast<double>(estimate->memoryBytes) * times);
            }
            return question;
        },
        [this](const PartQuestion &asked) {
            if (!m_opening)
                return;
            if (asked.estimate)
                m_opening->firstStep = asked.estimate->firstStep;
            m_ticker.stop(); // nothing is read while the user chooses
            emit partWanted(asked);
        });
}

void OpenController::choosePart(const PartChoice &choice)
{
    if (!m_opening)
        return;
    OpenRequest &request = m_opening->request;
    request.steps = choice.steps(m_opening->firstStep);
    request.range = choice.range();
    request.isPartChosen = true;
    m_opening->options = options(request);
    m_opening->clock.restart();
    m_ticker.start();
    begin();
}

} // namespace riffle
