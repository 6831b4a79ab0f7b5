// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How serious a kind of problem is: Note (odd but understood), Repaired (read after a repair), Lost (something is
/// missing).
enum class Severity : uint8_t { Note, Repaired, Lost };

/// The kinds of problems that an import can find. kTroubles in import_report.cpp gives each its name, severity and
/// description.
enum class Trouble : uint8_t {
    BrokenEvent,    ///< an event that could not be read even after repair
    OversizedEvent, ///< longer than the limit (16 MiB)
    NotAnEvent,     ///< an array element that is not an object
    MissingTimestamp,
    BadTimestamp, ///< present but not a number
    AbsurdTime,
    FarTimes,
    NoDuration,
    NegativeDuration,
    BadDuration,
    UnknownPhase,
    MissingPhase,
    IgnoredPhase, ///< known and counted, but not shown
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
    WrongType, ///< a known field with an unexpected type
    NumberOutOfRange,
    DuplicateKey,
    TruncatedText,    ///< the text ends before the JSON does
    TruncatedArchive, ///< gzip or zstd ends early or is damaged
    MissingClose,     ///< only the last closing bracket is missing, and nothing else
    TrailingText,     ///< padding after the end of the JSON document or archive
    CutDocument,      ///< the text ends between two events or members, where the document must go on
    UnreadText,       ///< text after the end of the JSON document, or after damage that ends it
    SkippedText,      ///< text between events that is not an event
    UnboundFlow,
    LaunchlessKernel,
    SourceChanged,  ///< the file changed or was truncated while it was being read
    OutsideRange,   ///< left out because the user requested a range
    LimitReached,   ///< the trace has more lanes than Trace::kMaxLanes
    BrokenChunk,    ///< part of a collector's log: cut off, damaged or inconsistent
    MissingPart,    ///< a missing file of a collector's log
    ForeignPart,    ///< a file of another log in the log's folder
    DroppedRecords, ///< records that a collector could not keep, by its own count
    UnknownString,  ///< an id for which a collector's log has no string
    NotClosed,      ///< a collector's log that was not closed
    StillOpen,      ///< a range of a collector's log that was still open when recording ended
    LeftWindow,     ///< slices that have left a trace that grows, because it is kept in a limited memory
    Count
};

struct TroubleExample {
    uint64_t offset = 0; ///< byte in the (inflated) source text
    std::string text;    ///< start of the event's text
};

struct TroubleCount {
    uint64_t count = 0;
    std::vector<TroubleExample> examples; ///< the first few in file order
};

/// The problems that an import found: repairs, losses and oddities. Reports of parallel parts are merged; the examples
/// with the smallest offsets are kept.
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
    /// Gives write access to a count, for the code that reads a store.
    TroubleCount &stored(Trouble kind) { return m_counts[static_cast<size_t>(kind)]; }

    static const char *name(Trouble kind);     ///< stable identifier, snake_case
    static const char *sentence(Trouble kind); ///< description for the user, without a full stop
    static Severity severity(Trouble kind);

private:
    std::array<TroubleCount, static_cast<size_t>(Trouble::Count)> m_counts;
};

const char *severityName(Severity severity);

} // namespace riffle
