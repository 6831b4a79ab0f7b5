// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang.h"

namespace riffle {

std::string_view divergenceName(DivergenceKind kind)
{
    switch (kind) {
    case DivergenceKind::MissingEntry: return "missing entry";
    case DivergenceKind::LateEntry: return "late entry";
    case DivergenceKind::OtherCollective: return "another collective";
    case DivergenceKind::OtherSize: return "another size";
    case DivergenceKind::MissingPeer: return "missing peer";
    case DivergenceKind::StuckInside: return "stuck inside";
    case DivergenceKind::NoDump: return "no dump";
    }
    return "unknown";
}

std::string_view surenessName(Sureness sureness) { return sureness == Sureness::Sure ? "sure" : "likely"; }

std::string_view partName(HangMember::Part part)
{
    switch (part) {
    case HangMember::Part::Waits: return "waits";
    case HangMember::Part::Finished: return "finished";
    case HangMember::Part::NeverCame: return "never came";
    case HangMember::Part::NoDump: return "no dump";
    case HangMember::Part::Unknown: break;
    }
    return "unknown";
}

} // namespace riffle
