// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/open_run.h"

#include <cassert>
#include <utility>

namespace riffle {

OpenRun openRunOf(std::vector<RunFile> files, std::vector<TraceId> members)
{
    assert(files.size() == members.size());
    OpenRun run{std::move(files), std::move(members), {}, false};
    std::vector<RunFile> placed = run.files;
    std::vector<uint32_t> failed;
    for (uint32_t at = 0; at < placed.size(); ++at)
        if (run.members[at].valid() && !placed[at].why.empty()) {
            placed[at].why.clear();
            failed.push_back(at);
        }
    run.layout = layoutOf(placed);
    run.layout.notRead.insert(run.layout.notRead.end(), failed.begin(), failed.end());
    return run;
}

} // namespace riffle
