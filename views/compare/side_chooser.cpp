// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/compare/side_chooser.h"

#include "model/base/format.h"
#include "views/common/look/elided_label.h"
#include "views/common/look/qt_text.h"
#include "views/compare/part_words.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kBoxCharacters = 16; ///< the least width of a box

} // namespace

SideChooser::SideChooser(ComparisonState *state, size_t side, QWidget *parent)
    : View(state->session(), Session::Answers | Session::Steps | Session::Area, parent)
    , m_state(state)
    , m_side(side)
    , m_letter(new QLabel(side ? QStringLiteral("B") : QStringLiteral("A"), this))
    , m_member(new QComboBox(this))
    , m_part(new QComboBox(this))
    , m_text(new ElidedLabel(this))
{
    QFont bold = font();
    bold.setBold(true);
    m_letter->setFont(bold);
    m_letter->setAlignment(Qt::AlignCenter);
    m_letter->setFixedWidth(fontMetrics().height() + 4);
    m_letter->setAutoFillBackground(true);
    m_letter->setBackgroundRole(QPalette::Text);
    m_letter->setForegroundRole(QPalette::Base);
    const QString letter = m_letter->text();
    m_member->setAccessibleName(tr("Trace of %1").arg(letter));
    m_member->setToolTip(tr("The trace, or rank, that is side %1").arg(letter));
    m_part->setAccessibleName(tr("Part of %1").arg(letter));
    m_part->setToolTip(tr("The step, steps or range that are compared. Others can be typed: 551, 551:553 or 10ms:20ms "
                          "after the first event."));
    m_part->setEditable(true);
    m_part->setInsertPolicy(QComboBox::NoInsert);
    m_part->setCompleter(nullptr);
    for (QComboBox *box : {m_member, m_part}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(kBoxCharacters);
        box->setMaxVisibleItems(20);
    }
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->setSpacing(6);
    row->addWidget(m_letter);
    row->addWidget(m_member);
    row->addWidget(m_part);
    row->addWidget(m_text, 1);
    connect(m_member, &QComboBox::activated, this, &SideChooser::chooseMember);
    connect(m_part, &QComboBox::activated, this, [this](int index) {
        if (m_part->itemText(index) == m_part->currentText())
            choosePart(m_part->itemData(index).toString());
    });
    connect(m_part->lineEdit(), &QLineEdit::returnPressed, this, [this] {
        if (m_part->findText(m_part->currentText()) < 0) // otherwise, the box activates what is listed
            choosePart(m_part->currentText());
    });
    connect(m_state, &ComparisonState::changed, this, [this] { markDirty(Session::Steps); });
}

void SideChooser::refresh(Session::Changes)
{
    fillMembers();
    fillParts();
    describe();
}

bool SideChooser::hasSteps() const
{
    if (!m_state->hasChoices())
        return false;
    const Trace *trace = session()->traces().trace(m_state->choice(m_side).trace);
    return trace && !session()->stepsOf(m_state->choice(m_side).trace).empty();
}

void SideChooser::fillMembers()
{
    const TraceSet &set = session()->traces();
    const bool isOpen = m_member->view()->isVisible();
    if (isOpen) // the user is choosing
        return;
    m_member->clear();
    for (const TraceMember &member : set.members()) {
        const QString title = toQString(set.title(member.id));
        m_member->addItem(member.state == MemberState::Loaded ? title : tr("%1 (not loaded)").arg(title),
                          member.id.value);
    }
    if (m_state->hasChoices())
        m_member->setCurrentIndex(m_member->findData(m_state->choice(m_side).trace.value));
    m_member->setEnabled(m_member->count() > 1);
}

void SideChooser::fillParts()
{
    if (m_part->view()->isVisible() || (m_part->hasFocus() && m_part->lineEdit()->isModified()))
        return;
    m_part->clear();
    if (!m_state->hasChoices())
        return;
    const SideChoice &choice = m_state->choice(m_side);
    const auto add = [&](const SideRequest &request, const QString &more = {}) {
        const QString words = partWords(request, hasSteps());
        m_part->addItem(words + more, words);
    };
    SideRequest request;
    add(request);
    if (hasSteps()) {
        request.allSteps = true;
        add(request);
        request.allSteps = false;
    }
    const LoadedTrace *member = session()->traces().find(choice.trace);
    if (const auto area = session()->area(); area && member) {
        const Ns first = member->trace->recordedSpan().begin;
        const TimeSpan own = member->time.toTrace(area->in(session()->traces()));
        SideRequest range;
        range.range = TimeSpan{saturatedSum(own.begin, -first), saturatedSum(own.end, -first)};
        if (range.range->end > 0)
            add(range, tr(" (selected range)"));
    }
    size_t listed = 0;
    for (const Step &step : hasSteps() ? session()->stepsOf(choice.trace) : std::span<const Step>()) {
        if (++listed > kMostSteps)
            break;
        request.steps = TimeSpan{step.number, step.number};
        add(request, QStringLiteral(" · ") + toQString(formatDuration(step.span.duration())));
    }
    const QString words = partWords(choice.request, hasSteps());
    const int known = m_part->findData(words);
    m_part->setCurrentIndex(known);
    m_part->setEditText(words);
    m_part->lineEdit()->setModified(false);
    m_part->lineEdit()->setCursorPosition(0);
}

QString SideChooser::description() const
{
    if (!m_state->hasChoices())
        return {};
    if (!m_state->parts())
        return m_state->problem();
    const ComparedParts &parts = *m_state->parts();
    const TraceMember *member = session()->traces().member(m_state->choice(m_side).trace);
    const QString file = member ? QFileInfo(toQString(member->path)).fileName() : QString();
    return toQString(parts.sides[m_side].partText) + QStringLiteral(" · ") +
           toQString(formatDuration(parts.spans[m_side].duration())) +
           (file.isEmpty() ? file : QStringLiteral(" · ") + file);
}

void SideChooser::describe() { m_text->setText(description()); }

void SideChooser::chooseMember(int index)
{
    if (!m_state->hasChoices())
        return;
    SideChoice choice = m_state->choice(m_side);
    choice.trace = TraceId(m_member->itemData(index).toUInt());
    // Another trace has other steps and times.
    if (choice.trace != m_state->choice(m_side).trace)
        choice = medianStepOf(choice.trace, choice.request.stepMark);
    m_state->choose(m_side, choice);
    emit chosen();
}

void SideChooser::choosePart(const QString &text)
{
    if (!m_state->hasChoices())
        return;
    SideChoice choice = m_state->choice(m_side);
    const auto request = partFromWords(text, choice.request, hasSteps());
    if (!request) {
        emit told(toQString(request.error().text()));
        return;
    }
    choice.request = *request;
    m_part->lineEdit()->setModified(false);
    m_state->choose(m_side, choice);
    markDirty(Session::Steps); // the box shows what was understood
    emit chosen();
}

} // namespace riffle
