// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice/stack_of.h"

#include <QAbstractItemModel>

#include <vector>

namespace riffle {

/// A call stack as rows, innermost first. Each of the user's own frames has its own row; neighbouring frames of another
/// class are folded into one row. With a filter, only the frames that contain it are shown, unfolded.
class StackRowModel : public QAbstractItemModel {
    Q_OBJECT
public:
    using QAbstractItemModel::QAbstractItemModel;

    void setFrames(std::vector<StackFrame> frames);
    void setFilter(const QString &text);
    const std::vector<StackFrame> &frames() const { return m_frames; }
    /// The frame of a row; null for the row of a fold.
    const StackFrame *frame(const QModelIndex &index) const;
    /// The row that shows a frame.
    QModelIndex indexOf(size_t frame) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    /// Consecutive frames: one of the user's own, or several of another class in one fold.
    struct Group {
        std::vector<size_t> frames;
        bool folded = false;
    };
    void regroup();

    std::vector<StackFrame> m_frames;
    std::vector<Group> m_groups;
    QString m_filter;
};

/// "train.py:20  train", or the recorded text if it has no file.
QString frameLabel(const StackFrame &frame);
/// The index of the innermost frame with a known file that is the user's own; otherwise of one that belongs to a
/// library; otherwise 0.
size_t firstOwnFrame(const std::vector<StackFrame> &frames);

} // namespace riffle
