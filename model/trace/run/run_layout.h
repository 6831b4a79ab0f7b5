// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/run/place_in_name.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// The things that can be found of a rank.
enum class RunFileKind : uint8_t {
    Trace,
    Log, ///< of Riffle's collector
    Snapshot,
    MemoryTimeline,
    MemoryLog,
    FlightDump,  ///< of PyTorch's Flight Recorder
    InspectorLog ///< of NCCL Inspector
};
inline constexpr size_t kRunFileKinds = 7;
/// "trace", "recorder log", "snapshot", "memory timeline", "memory log", "Flight Recorder dump", "NCCL Inspector log"
const char *runFileKindName(RunFileKind kind);

/// The place in a job that a file itself records. Everything in it may be unknown, and may become known later.
struct RecordedPlace {
    static constexpr int64_t kMostRanks = 1 << 24; ///< larger numbers are not believed

    std::optional<int64_t> rank, worldSize;
    std::vector<ParallelCoordinate> coordinates; ///< where the rank is in the process groups that the file describes
    std::string host;
    std::optional<TimeSpan> span; ///< what was recorded, in ns since 1970
    bool operator==(const RecordedPlace &) const = default;
};

/// The evidence for a rank. A later one outweighs an earlier one.
enum class RankEvidence : uint8_t {
    None,
    Guess,      ///< a number in the name that means a rank in most cases, or equal coordinates
    FileName,   ///< "rank3.json"
    WorkerName, ///< "worker3.1623143566756.pt.trace.json"
    FolderName, ///< "rank3/trace.json"
    Recorded    ///< the file says so
};
/// "nothing", "guess", "file name", "worker name", "folder name", "recorded"
const char *rankEvidenceName(RankEvidence evidence);

/// A file that may belong to a run.
struct RunFile {
    std::string name; ///< its path, as the user would write it
    RunFileKind kind = RunFileKind::Trace;
    RecordedPlace recorded;
    std::optional<int64_t> guessedRank; ///< counts if neither the file nor its path tells a rank
    /// The names of the ranks' folders in it, if it has several ranks, as a folder of memory logs does.
    std::vector<std::string> parts;
    std::string why; ///< a sentence, if the file cannot be read
};

/// A file, or one of its parts.
struct FileRef {
    static constexpr uint32_t kWhole = UINT32_MAX;
    uint32_t file = 0; ///< the position in the list that layoutOf() got
    uint32_t part = kWhole;
    bool operator==(const FileRef &) const = default;
};

/// A rank of a run and what was found of it. If no file tells its rank, its coordinates are its identity.
struct RunCell {
    std::optional<int64_t> rank;
    RankEvidence rankFrom = RankEvidence::None; ///< the best one among its files
    std::vector<ParallelCoordinate> coordinates;
    std::string host;
    /// The files by kind; those of one kind in the order of their spans, or by name.
    std::array<std::vector<FileRef>, kRunFileKinds> files;
    /// True for a kind if there are several files that are not spans of one worker, one after the other. Snapshots and
    /// memory timelines are no duplicates: they are taken many times.
    std::array<bool, kRunFileKinds> areDuplicates{};

    const std::vector<FileRef> &of(RunFileKind kind) const { return files[static_cast<size_t>(kind)]; }
    bool isDuplicate(RunFileKind kind) const { return areDuplicates[static_cast<size_t>(kind)]; }
    /// True if nothing was found of the rank, although the world size says that there is one.
    bool isMissing() const;
    /// "rank 3", or "tp 0, dp 1".
    std::string name() const;
};

/// A fact about a run that the user should know before believing it.
struct RunRemark {
    enum class Kind : uint8_t {
        OtherRankInName,   ///< a file records another rank than its path tells, or its folder another than its name
        OtherCoordinates,  ///< two files of a rank have different coordinates
        FolderOfManyRanks, ///< a folder is named like that of one rank, and has files of several
        MixedWorldSizes,   ///< the files record different world sizes
        BeyondWorldSize,   ///< a rank is not below the recorded world size
        DuplicateRank,     ///< several files of one kind and rank are not spans
        GuessedRank,       ///< a rank is a guess
        Unplaced           ///< nothing tells which rank a file belongs to
    } kind;
    std::string sentence;
    bool operator==(const RunRemark &) const = default;
};
/// The name of a kind of remark, for programs: "other_rank_in_name", …
const char *remarkName(RunRemark::Kind kind);

/// One job at one start time.
struct Run {
    static constexpr int64_t kMostDense = 4096;
    struct Axis {
        std::string name;
        uint32_t size = 0; ///< one more than the largest index found
        bool operator==(const Axis &) const = default;
    };

    std::string folder; ///< which all of its files are in; empty if there is none
    std::string job;    ///< the name of the job's folder; empty if no start time tells which folder it is
    std::string startTime;
    std::optional<int64_t> worldSize;
    bool isWorldSizeRecorded = false; ///< otherwise it is one more than the largest rank: "at least"
    std::vector<Axis> axes;
    std::vector<std::string> hosts;
    /// The cells by rank, then those without one. The missing ones are among them if the world size is at most
    /// kMostDense, and all runs before have not too many (RunLayout::kMostMissing).
    std::vector<RunCell> cells;
    int64_t missing = 0; ///< the number of ranks below the world size of which nothing was found
    std::vector<FileRef> unplaced;
    std::vector<RunRemark> remarks;

    /// "7b_train, started Sep08_11-00-51", or the folder.
    std::string title() const;
};

/// Two things of equal rank that somebody may want to compare.
struct ComparedPair {
    struct Side {
        uint32_t run = 0;
        std::optional<uint32_t> cell; ///< otherwise the whole run
        FileRef file;
        bool operator==(const Side &) const = default;
    };
    Side a, b;
    bool operator==(const ComparedPair &) const = default;
};

/// The runs that some files belong to.
struct RunLayout {
    static constexpr int64_t kMostMissing = 1 << 16; ///< cells of missing ranks in all runs together

    std::vector<Run> runs;
    std::vector<ComparedPair>
        pairs; ///< duplicates of a rank, and neighbouring runs of one job that have a rank in common
    std::vector<uint32_t> notRead; ///< files with a reason why
};

/// Sorts files into runs and ranks. The order of the files does not matter. Takes about n log n steps.
/// - *Rank*: the recorded one outweighs that of a folder, that a worker's, that a file's name.
/// - *Runs*: each start time under a job's folder is one; so is each of several folders that have the same ranks, the
///   outermost ones. Folders with different world sizes are different runs. Folders of steps ("iteration_10") are not.
/// - *Several files of one kind and rank*: spans, if one worker recorded them one after the other; else duplicates.
RunLayout layoutOf(std::span<const RunFile> files);

} // namespace riffle
