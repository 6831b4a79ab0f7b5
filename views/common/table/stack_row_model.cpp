// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/stack_row_model.h"

#include "views/common/look/qt_text.h"

#include <QApplication>
#include <QFont>
#include <QPalette>

#include <cassert>

namespace riffle {

namespace {

/// The internal id of a group's row. A frame inside a fold has its group's number + 1.
constexpr quintptr kTopLevel = 0;

QString foldLabel(FrameClass kind, size_t count)
{
    const bool one = count == 1;
    switch (kind) {
    case FrameClass::Torch:
        return one ? StackRowModel::tr("1 PyTorch frame") : StackRowModel::tr("%1 PyTorch frames").arg(count);
    case FrameClass::Library:
        return one ? StackRowModel::tr("1 library frame") : StackRowModel::tr("%1 library frames").arg(count);
    case FrameClass::Runtime:
        return one ? StackRowModel::tr("1 runtime frame") : StackRowModel::tr("%1 runtime frames").arg(count);
    case FrameClass::User: break;
    }
    return one ? StackRowModel::tr("1 frame") : StackRowModel::tr("%1 frames").arg(count);
}

} // namespace

QString frameLabel(const StackFrame &frame)
{
    if (frame.file.empty())
        return singleLine(toQString(frame.text));
    return QStringLiteral("%1  %2:%3")
        .arg(singleLine(toQString(frame.function)), singleLine(toQString(frame.file)))
        .arg(frame.line);
}

size_t firstOwnFrame(const std::vector<StackFrame> &frames)
{
    for (const FrameClass wanted : {FrameClass::User, FrameClass::Library}) {
        for (size_t i = 0; i < frames.size(); ++i) {
            if (frames[i].kind == wanted && !frames[i].file.empty())
                return i;
        }
    }
    return 0;
}

void StackRowModel::setFrames(std::vector<StackFrame> frames)
{
    beginResetModel();
    m_frames = std::move(frames);
    regroup();
    endResetModel();
}

void StackRowModel::setFilter(const QString &text)
{
    if (text == m_filter)
        return;
    beginResetModel();
    m_filter = text;
    regroup();
    endResetModel();
}

void StackRowModel::regroup()
{
    m_groups.clear();
    for (size_t i = 0; i < m_frames.size(); ++i) {
        const StackFrame &frame = m_frames[i];
        if (!m_filter.isEmpty()) {
            if (toQString(frame.text).contains(m_filter, Qt::CaseInsensitive))
                m_groups.push_back({{i}, false});
            continue;
        }
        const bool own = frame.kind == FrameClass::User;
        const bool joins = !own && !m_groups.empty() && m_groups.back().folded &&
                           m_frames[m_groups.back().frames.back()].kind == frame.kind;
        if (joins)
            m_groups.back().frames.push_back(i);
        else
            m_groups.push_back({{i}, !own});
    }
}

const StackFrame *StackRowModel::frame(const QModelIndex &index) const
{
    if (!index.isValid())
        return nullptr;
    assert(checkIndex(index, CheckIndexOption::DoNotUseParent) && index.internalId() <= m_groups.size());
    if (index.internalId() != kTopLevel)
        return &m_frames[m_groups[index.internalId() - 1].frames[static_cast<size_t>(index.row())]];
    const Group &group = m_groups[static_cast<size_t>(index.row())];
    return group.folded ? nullptr : &m_frames[group.frames.front()];
}

QModelIndex StackRowModel::indexOf(size_t wanted) const
{
    for (size_t group = 0; group < m_groups.size(); ++group) {
        const std::vector<size_t> &frames = m_groups[group].frames;
        for (size_t at = 0; at < frames.size(); ++at) {
            if (frames[at] != wanted)
                continue;
            if (!m_groups[group].folded)
                return createIndex(static_cast<int>(group), 0, kTopLevel);
            return createIndex(static_cast<int>(at), 0, static_cast<quintptr>(group + 1));
        }
    }
    return {};
}

QModelIndex StackRowModel::index(int row, int column, const QModelIndex &parent) const
{
    if (row < 0 || column != 0 || row >= rowCount(parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row() + 1) : kTopLevel);
}

QModelIndex StackRowModel::parent(const QModelIndex &child) const
{
    if (!child.isValid() || child.internalId() == kTopLevel)
        return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, kTopLevel);
}

int StackRowModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (parent.internalId() != kTopLevel)
        return 0;
    const Group &group = m_groups[static_cast<size_t>(parent.row())];
    return group.folded ? static_cast<int>(group.frames.size()) : 0;
}

int StackRowModel::columnCount(const QModelIndex &) const { return 1; }

QVariant StackRowModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const StackFrame *shown = frame(index);
    if (!shown) {
        const Group &group = m_groups[static_cast<size_t>(index.row())];
        if (role == Qt::DisplayRole)
            return foldLabel(m_frames[group.frames.front()].kind, group.frames.size());
        if (role == Qt::ForegroundRole)
            return QApplication::palette().brush(QPalette::PlaceholderText);
        return {};
    }
    switch (role) {
    case Qt::DisplayRole: return frameLabel(*shown);
    case Qt::ToolTipRole: return toQString(shown->text);
    case Qt::ForegroundRole: // unfolded frames are still paler than the user's own
        return shown->kind == FrameClass::User ? QVariant()
                                               : QVariant(QApplication::palette().brush(QPalette::PlaceholderText));
    default: return {};
    }
}

} // namespace riffle
