// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_checks.h"

#include "model/analysis/memory/memory_device_figures.h"
#include "model/analysis/memory/memory_info.h"

#include <algorithm>
#include <cassert>

namespace riffle {

SnapshotChecks::SnapshotChecks(std::vector<Check> checks, Devices devices)
    : m_checks(std::move(checks))
    , m_devices(devices)
    , m_found(m_checks.size())
{
    assert(areFigures(m_checks));
}

Result<void> SnapshotChecks::areFigures(std::span<const Check> checks)
{
    for (const Check &check : checks) {
        const auto figures = snapshotFigures();
        const auto figure =
            std::ranges::find_if(figures, [&](const SnapshotFigure &one) { return check.metric == one.name; });
        if (figure == figures.end()) {
            std::string names;
            for (const SnapshotFigure &one : figures)
                names += (names.empty() ? "" : ", ") + std::string(one.name);
            return check.wrong("Snapshots have no such figure. Their figures are " + names + ".");
        }
        const bool plainBytes = figure->unit == Check::Unit::Bytes && check.unit == Check::Unit::Number;
        if (check.unit != figure->unit && !plainBytes)
            return check.wrongUnit();
    }
    return {};
}

Result<void> SnapshotChecks::add(const SnapshotFacts &facts)
{
    const std::string &path = facts.snapshot().path;
    std::vector<uint32_t> devices;
    std::string there;
    for (uint32_t row = 0; row < facts.replay().devices.size(); ++row) {
        const DeviceReplay &device = facts.replay().devices[row];
        there += (there.empty() ? "" : ", ") + memoryDeviceName(device);
        if (device.host == m_devices.host && (!m_devices.number || device.device == *m_devices.number))
            devices.push_back(row);
    }
    if (devices.empty() && !there.empty())
        return Error{"There is no such device. The devices are " + there + ".", path, std::nullopt,
                     ErrorKind::Question};
    MemoryDeviceFigures figures(facts);
    for (size_t at = 0; at < m_checks.size(); ++at) {
        Found &found = m_found[at];
        const auto note = [&](Lack &lack, const std::string &why, const std::string &device) {
            if (lack.why.empty())
                lack = {why, {device, path}};
        };
        if (devices.empty())
            note(found.missing, "The snapshot contains no segments and no history.", {});
        for (const uint32_t device : devices) {
            const MemoryDeviceFigures::Value value = figures.of(device, m_checks[at].metric);
            const std::string name = memoryDeviceName(facts.replay().devices[device]);
            if (!value.number)
                note(value.idle ? found.idle : found.missing, value.missing, name);
            else if (!found.worst || m_checks[at].isWorse(*value.number, *found.worst)) {
                found.worst = value.number;
                found.worstPlace = {name, path};
            }
        }
    }
    m_deviceCount = std::max(m_deviceCount, devices.size());
    ++m_snapshotCount;
    return {};
}

std::string SnapshotChecks::text(const Place &place) const
{
    std::string text;
    if (!place.device.empty() && (m_deviceCount > 1 || m_snapshotCount > 1))
        text += " on " + place.device;
    if (m_snapshotCount > 1)
        text += (place.device.empty() ? " in " : " of ") + place.path;
    return text;
}

std::vector<CheckOutcome> SnapshotChecks::outcomes() const
{
    std::vector<CheckOutcome> outcomes;
    for (size_t at = 0; at < m_checks.size(); ++at) {
        const Found &found = m_found[at];
        const Lack &lack = found.missing.why.empty() && !found.worst ? found.idle : found.missing;
        if (!lack.why.empty() || !found.worst)
            outcomes.push_back(
                {false, "not recorded" + text(lack.place) + (lack.why.empty() ? std::string() : ": " + lack.why)});
        else
            outcomes.push_back(
                {m_checks[at].holds(*found.worst), m_checks[at].text(*found.worst) + text(found.worstPlace)});
    }
    return outcomes;
}

} // namespace riffle
