// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lane_state_json.h"

#include "views/common/look/qt_text.h"

#include <QJsonArray>

namespace riffle {

namespace {

template <typename Keys>
QJsonArray toArray(const Keys &keys)
{
    QJsonArray array;
    for (const std::string &key : keys)
        array.append(toQString(key));
    return array;
}

template <typename Keys>
Keys fromArray(const QJsonValue &value)
{
    Keys keys;
    for (const QJsonValue &key : value.toArray())
        keys.insert(keys.end(), toUtf8(key.toString()));
    return keys;
}

} // namespace

QJsonObject laneStateToJson(const LaneState &state)
{
    QJsonObject heights;
    for (const auto &[key, height] : state.heights)
        heights.insert(toQString(key), height);
    QJsonObject order;
    for (const auto &[group, keys] : state.order)
        order.insert(toQString(group), toArray(keys));
    return {{QStringLiteral("folded"), toArray(state.folded)},
            {QStringLiteral("unfolded"), toArray(state.unfolded)},
            {QStringLiteral("ranksFolded"), state.ranksFolded},
            {QStringLiteral("whole"), toArray(state.whole)},
            {QStringLiteral("hidden"), toArray(state.hidden)},
            {QStringLiteral("pinned"), toArray(state.pinned)},
            {QStringLiteral("heights"), heights},
            {QStringLiteral("order"), order},
            {QStringLiteral("allFrames"), state.allFrames},
            {QStringLiteral("otherwiseFramed"), toArray(state.otherwiseFramed)},
            {QStringLiteral("byName"), state.byName},
            {QStringLiteral("filter"), toQString(state.filter)}};
}

LaneState laneStateFromJson(const QJsonObject &json)
{
    LaneState state;
    state.folded = fromArray<std::set<std::string>>(json.value(QStringLiteral("folded")));
    state.unfolded = fromArray<std::set<std::string>>(json.value(QStringLiteral("unfolded")));
    state.ranksFolded = json.value(QStringLiteral("ranksFolded")).toBool();
    state.whole = fromArray<std::set<std::string>>(json.value(QStringLiteral("whole")));
    state.allFrames = json.value(QStringLiteral("allFrames")).toBool();
    state.otherwiseFramed = fromArray<std::set<std::string>>(json.value(QStringLiteral("otherwiseFramed")));
    state.byName = json.value(QStringLiteral("byName")).toBool();
    state.hidden = fromArray<std::set<std::string>>(json.value(QStringLiteral("hidden")));
    state.pinned = fromArray<std::vector<std::string>>(json.value(QStringLiteral("pinned")));
    const QJsonObject heights = json.value(QStringLiteral("heights")).toObject();
    for (auto at = heights.begin(); at != heights.end(); ++at)
        state.heights[toUtf8(at.key())] = at.value().toInt();
    const QJsonObject order = json.value(QStringLiteral("order")).toObject();
    for (auto at = order.begin(); at != order.end(); ++at)
        state.order[toUtf8(at.key())] = fromArray<std::vector<std::string>>(at.value());
    state.filter = toUtf8(json.value(QStringLiteral("filter")).toString());
    return state;
}

} // namespace riffle
