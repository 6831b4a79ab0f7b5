// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How bad a kind of trouble is: Note (odd but understood), Repaired (read after mending), Lost (something is missing).
enum class Severity : uint8_t { Note, Repaired, Lost };

/// Kinds of trouble an import can meet. kTroubles in import_report.cpp gives each its name, severity and sentence.
enum class Trouble : uint8_t {
    BrokenEvent,    ///< an event that could not be read even after repair
    OversizedEvent, ///< longer than the limit (16 MiB)
    NotAnEvent,     ///< an array element that is no object
    MissingTimestamp,
    BadTimestamp, ///< present but no number
    AbsurdTime,
    NoDuration,
    NegativeDuration,
    BadDuration,
    UnknownPhase,
    MissingPhase,
    IgnoredPhase, ///< known and counted, not shown
    UnmatchedEnd,
    UnfinishedBegin,
    NameMismatch,
    CrossingSlices,
    ControlCharacter,
    UnescapedQuote,
    BadEscape,
    LoneSurrogate,
    DeepValue,
    BareWord, ///< N/A, nan, inf, Infinity, True …
    TrailingComma,
    BadUtf8,
    WrongType, ///< a known field of another type than expected
    NumberOutOfRange,
    DuplicateKey,
    TruncatedText,    ///< the text ends before the JSON does
    TruncatedArchive, ///< gzip or zstd ends early or is damaged
    MissingClose,     ///< the closing ]} is missing
    TrailingText,     ///< something after the document's end
    SkippedText,      ///< text between events that is none
    UnboundFlow,
    LaunchlessKernel,
    SourceChanged,  ///< the file changed or was truncated while it was read
    OutsideRange,   ///< left out because the user asked for a range
    LimitReached,   ///< more lanes than are kept apart
    BrokenChunk,    ///< of a collector's log: cut, damaged or not what it says
    MissingPart,    ///< a file of a collector's log that is not there
    ForeignPart,    ///< a file of another log in the log's folder
    DroppedRecords, ///< what a collector could not keep, by its own count
    UnknownString,  ///< the id of a string that a collector's log does not hold
    NotClosed,      ///< a collector's log without its end
    StillOpen,      ///< a range of a collector's log that had not ended when recording did
    Count
};

struct TroubleExample {
    uint64_t offset = 0; ///< byte in the (inflated) source text
    std::string text;    ///< beginning of the event's text
};

struct TroubleCount {
    uint64_t count = 0;
    std::vector<TroubleExample> examples; ///< the first few in file order
};

/// What an import mended, lost or found odd. Reports of parallel parts are merged; the examples with the smallest
/// offsets win.
class ImportReport {
public:
    static constexpr size_t kExamples = 5;
    static constexpr size_t kExampleBytes = 240;

    void add(Trouble kind, uint64_t offset, std::string_view text, uint64_t count = 1);
    void merge(const ImportReport &other);
    const TroubleCount &of(Trouble kind) const { return m_counts[static_cast<size_t>(kind)]; }
    uint64_t total(Severity severity) const;
    bool empty() const;
    void clear() { m_counts = {}; }
    /// Used by the store only.
    TroubleCount &stored(Trouble kind) { return m_counts[static_cast<size_t>(kind)]; }

    static const char *name(Trouble kind);     ///< stable identifier, snake_case
    static const char *sentence(Trouble kind); ///< what it means, for people
    static Severity severity(Trouble kind);

private:
    std::array<TroubleCount, static_cast<size_t>(Trouble::Count)> m_counts;
};

const char *severityName(Severity severity);

} // namespace riffle
