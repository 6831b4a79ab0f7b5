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

/// The one reader of call stacks: frames folded by whose code they are, the user's first own frame on top, search and
/// copy. Fill it with setFrames(); it asks to open files and to go to slices by signals.
class StackReader : public QWidget {
    Q_OBJECT
public:
    explicit StackReader(QWidget *parent = nullptr);

    /// Innermost first. `note`: where the frames come from, when that is not plain.
    void setFrames(std::vector<StackFrame> frames, const QString &note = {});
    const std::vector<StackFrame> &frames() const;

public slots:
    void copyAll() const;

signals:
    /// Wants a file opened in the user's editor.
    void openRequested(const QString &file, int line);
    /// Wants the slice of a frame brought into sight.
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
