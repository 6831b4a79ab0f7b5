// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/part_question.h"
#include "app/session/part_choice.h"

#include <QDialog>

#include <map>

class QCheckBox;
class QDoubleSpinBox;
class QRadioButton;
class QSpinBox;

namespace riffle {

/// Lets the user choose which part of large traces to read: everything, some steps, or a range of time.
class PartDialog : public QDialog {
    Q_OBJECT
public:
    /// Starts with the last choice, if it applies.
    PartDialog(const PartQuestion &question, const PartChoice &last, QWidget *parent);

    PartChoice choice() const;
    bool asksNextTime() const;

private:
    QWidget *m_list;
    std::map<PartChoice::Kind, QRadioButton *> m_choices;
    QSpinBox *m_firstSteps, *m_fromStep, *m_toStep;
    QDoubleSpinBox *m_fromSecond, *m_toSecond;
    QCheckBox *m_ask;
};

} // namespace riffle
