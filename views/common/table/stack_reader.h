// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice/stack_of.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace riffle {

class StackRowModel;

/// The common widget to read call stacks: frames folded by the origin of their code, the user's innermost frame on top,
/// search and copy. Fill it with setFrames(); its signals request that a file is opened or a slice is shown.
class StackReader : public QWidget {
    Q_OBJECT
public:
    explicit StackReader(QWidget *parent = nullptr);

    /// `frames`: innermost first. `note`: where the frames come from, if that is not obvious.
    void setFrames(std::vector<StackFrame> frames, const QString &note = {});
    const std::vector<StackFrame> &frames() const;

public slots:
    void copyAll() const;

signals:
    /// The user wants to open a file in an editor.
    void openRequested(const QString &file, int line);
    /// The user wants to go to the slice of a frame.
    void sliceRequested(riffle::SliceId slice);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void activate(const QModelIndex &index);
    void showMenu(const QPoint &at);
    void copyFrame(const QModelIndex &index) const;
    void showFolds();

    StackRowModel *m_rows;
    QLabel *m_top;
    QLineEdit *m_search;
    QToolButton *m_unfold;
    QTreeView *m_list;
};

} // namespace riffle
