// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/view.h"
#include "views/compare/comparison_state.h"

class QComboBox;
class QLabel;

namespace riffle {

class ElidedLabel;

/// The line above the lanes of one side: its letter, the boxes in which the user chooses its trace and its part, and
/// what the part was found to be.
class SideChooser : public View {
    Q_OBJECT
public:
    SideChooser(ComparisonState *state, size_t side, QWidget *parent = nullptr);

    QComboBox *memberBox() const { return m_member; }
    QComboBox *partBox() const { return m_part; } ///< what it does not list can be typed
    QString description() const;

signals:
    void chosen(); ///< the user has chosen something, and the boxes need the focus no more
    void told(const QString &sentence);

protected:
    void refresh(Session::Changes changes) override;

private:
    void fillMembers();
    void fillParts();
    void describe();
    void chooseMember(int index);
    void choosePart(const QString &text);
    bool hasSteps() const;

    /// Longer lists would be slow to open; other steps can be typed.
    static constexpr size_t kMostSteps = 500;

    ComparisonState *m_state;
    size_t m_side;
    QLabel *m_letter;
    QComboBox *m_member, *m_part;
    ElidedLabel *m_text;
};

} // namespace riffle
