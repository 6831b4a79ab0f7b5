// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Which part of a parallel job a rank is, along one axis.
struct ParallelCoordinate {
    std::string axis; ///< "dp", "tp", "pp", "ep", "cp", ...
    uint32_t index = 0;
    bool operator==(const ParallelCoordinate &) const = default;
};

/// "dp 0, tp 1"; empty if there are none.
std::string coordinatesText(const std::vector<ParallelCoordinate> &coordinates);

/// The part of a path that tells a rank. A later one outweighs an earlier one.
enum class NameEvidence : uint8_t {
    None,
    File,   ///< the name of the file
    Worker, ///< the name of TensorBoard's worker in it: "<worker>[.<digits>].pt.trace.json[.gz]"
    Folder  ///< the nearest folder whose name tells a rank
};

/// The place in a parallel job that a path tells. Nothing of it is certain: a name is what somebody chose.
struct PlaceInName {
    std::optional<int64_t> rank;
    NameEvidence rankFrom = NameEvidence::None;
    std::optional<int64_t> rankOfFile; ///< what the file's own name tells, if a folder told `rank`
    /// In the order of the name; those of the folder that tells the rank outweigh those of the file.
    std::vector<ParallelCoordinate> coordinates;
    /// Numbers of axes that may just as well be sizes, as in "tp8_pp2/trace.json"; only names beside it can tell.
    std::vector<ParallelCoordinate> indicesOrSizes;
    std::string worker; ///< TensorBoard's worker, or who wrote a folder of Ascend's profiler
    std::string host;
    std::optional<int64_t> pid;
    /// Tells several recordings of one rank apart, in their order: the digits of TensorBoard, or n of "iteration_n".
    std::optional<int64_t> span;
    bool isSpanOfFolder = false; ///< `span` comes from a folder such as "iteration_10"
    /// When the job started, as written: "Sep08_11-00-51" of a folder, or the number in front of SGLang's names.
    std::string startTime;
    size_t startTimeEnd = 0;  ///< the length of the path up to the end of that folder's name; 0 for a file's name
    size_t rankFolderEnd = 0; ///< the same for the folder that tells the rank; 0 if none does
};

/// Returns what a path tells. Numbers of 2^24 and more are no ranks, and of an axis with two numbers in one name none
/// counts. Either slash separates folders.
/// - *Rank*: the last "rank_3", "rank-3", "rank3" … of a name, but not "local_rank_3"; "dp_rank_3" is a coordinate.
///   "worker3" is one, too, if the name says nothing else.
/// - *Coordinates*: "tp_0", "TP-0", "tp0". A folder's name counts if it also tells a rank, and a file's name if it does
///   or separates axes and numbers, because "llama_tp8" says how many ranks there are. Full words ("data-0-tensor-1")
///   count if the name has two of them.
/// - *Host and process*: "<host>_<pid>" of a worker, Paddle's "host_<host>pid_<pid>", the recorder's logs, folders such
///   as "node3".
PlaceInName placeInName(std::string_view path);

} // namespace riffle
