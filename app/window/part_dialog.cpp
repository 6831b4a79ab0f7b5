// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/part_dialog.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <cmath>

namespace riffle {

namespace {

QSpinBox *numberBox(const char *name, int64_t least, int64_t value, QWidget *parent)
{
    auto *box = new QSpinBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setRange(static_cast<int>(least), INT_MAX);
    box->setValue(static_cast<int>(std::clamp<int64_t>(value, least, INT_MAX)));
    return box;
}

QDoubleSpinBox *secondsBox(const char *name, double value, QWidget *parent)
{
    auto *box = new QDoubleSpinBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setRange(0, 1e7);
    box->setDecimals(3);
    box->setSuffix(QStringLiteral("\u00A0s"));
    box->setValue(value);
    return box;
}

/// "about 25 s and 4.1 GiB of memory"
QString costOf(const TraceEstimate &estimate)
{
    const double rounded = estimate.seconds < 1 ? 1 : std::ceil(estimate.seconds);
    return PartDialog::tr("about %1 s and %2 of memory")
        .arg(rounded, 0, 'f', 0)
        .arg(toQString(formatBytes(static_cast<int64_t>(estimate.memoryBytes))));
}

} // namespace

PartDialog::PartDialog(const PartQuestion &question, const PartChoice &last, QWidget *parent)
    : QDialog(parent)
    , m_list(new QWidget(this))
    , m_firstSteps(numberBox("firstSteps", 1, last.firstSteps, this))
    , m_fromStep(numberBox("fromStep", 0, last.fromStep, this))
    , m_toStep(numberBox("toStep", 0, last.toStep, this))
    , m_fromSecond(secondsBox("fromSecond", last.fromSecond, this))
    , m_toSecond(secondsBox("toSecond", last.toSecond, this))
    , m_ask(new QCheckBox(tr("Ask before large files are read"), this))
{
    setWindowTitle(tr("Read a large trace"));
    const QString size = toQString(formatBytes(static_cast<int64_t>(question.bytes)));
    auto *what = new QLabel(question.files == 1 ? tr("%1 has %2.").arg(QFileInfo(question.largest).fileName(), size)
                                                : tr("%1 files have %2 together.").arg(question.files).arg(size),
                            this);
    what->setTextFormat(Qt::PlainText);
    what->setWordWrap(true);
    auto *list = new QVBoxLayout(m_list);
    list->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](PartChoice::Kind kind, const char *name, const QString &text,
                         std::initializer_list<QWidget *> rest) {
        auto *choice = new QRadioButton(text, m_list);
        choice->setObjectName(QLatin1String(name));
        m_choices[kind] = choice;
        auto *row = new QHBoxLayout;
        row->addWidget(choice);
        for (QWidget *widget : rest)
            row->addWidget(widget);
        row->addStretch(1);
        list->addLayout(row);
    };
    const auto until = [this] { return new QLabel(tr("to"), m_list); };
    add(PartChoice::Kind::Everything, "everything",
        question.estimate ? tr("&Everything: %1").arg(costOf(*question.estimate)) : tr("&Everything"), {});
    const bool hasSteps = question.estimate && question.estimate->firstStep;
    if (hasSteps) {
        add(PartChoice::Kind::FirstSteps, "firstStepsChoice", tr("The &first steps, this many:"), {m_firstSteps});
        add(PartChoice::Kind::Steps, "stepsChoice", tr("The &steps from"), {m_fromStep, until(), m_toStep});
        m_fromStep->setValue(std::max(m_fromStep->value(), static_cast<int>(*question.estimate->firstStep)));
        m_toStep->setValue(std::max(m_toStep->value(), m_fromStep->value()));
    }
    for (QWidget *box : {m_firstSteps, m_fromStep, m_toStep})
        box->setVisible(hasSteps);
    add(PartChoice::Kind::Time, "timeChoice", tr("The &time from"), {m_fromSecond, until(), m_toSecond});
    const auto known = m_choices.find(last.kind);
    QRadioButton *const first = (known == m_choices.end() ? m_choices.begin() : known)->second;
    first->setChecked(true);
    first->setFocus();
    auto *note =
        new QLabel(tr("To find a part, Riffle reads the file twice, but needs less memory. Times count from the "
                      "first event."),
                   this);
    note->setWordWrap(true);
    note->setForegroundRole(QPalette::PlaceholderText);
    m_ask->setObjectName(QStringLiteral("askNextTime"));
    m_ask->setChecked(true);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(12);
    for (QWidget *widget : std::initializer_list<QWidget *>{what, m_list, note, m_ask, buttons})
        column->addWidget(widget);
    // A value that is changed is the one that is meant.
    const auto means = [this](QWidget *box, PartChoice::Kind kind) {
        if (const auto choice = m_choices.find(kind); choice != m_choices.end()) {
            QRadioButton *const button = choice->second;
            if (auto *whole = qobject_cast<QSpinBox *>(box))
                connect(whole, &QSpinBox::valueChanged, button, [button] { button->setChecked(true); });
            else if (auto *seconds = qobject_cast<QDoubleSpinBox *>(box))
                connect(seconds, &QDoubleSpinBox::valueChanged, button, [button] { button->setChecked(true); });
        }
    };
    means(m_firstSteps, PartChoice::Kind::FirstSteps);
    means(m_fromStep, PartChoice::Kind::Steps);
    means(m_toStep, PartChoice::Kind::Steps);
    means(m_fromSecond, PartChoice::Kind::Time);
    means(m_toSecond, PartChoice::Kind::Time);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setMinimumWidth(460);
}

PartChoice PartDialog::choice() const
{
    PartChoice choice;
    for (const auto &[kind, button] : m_choices)
        if (button->isChecked())
            choice.kind = kind;
    choice.firstSteps = m_firstSteps->value();
    choice.fromStep = m_fromStep->value();
    choice.toStep = m_toStep->value();
    choice.fromSecond = m_fromSecond->value();
    choice.toSecond = m_toSecond->value();
    return choice;
}

bool PartDialog::asksNextTime() const { return m_ask->isChecked(); }

} // namespace riffle
