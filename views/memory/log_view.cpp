// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log_view.h"

#include "model/analysis/memory/log_tables.h"
#include "model/analysis/memory/timeline_tables.h"
#include "model/base/format.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/qt_text.h"
#include "views/memory/log_curves.h"
#include "views/memory/log_tree_items.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>

namespace riffle {

namespace {

constexpr uint32_t kNone = LogTree::kNone;
constexpr int kAtPoint = -1; ///< the subject that is no page

QComboBox *box(QWidget *parent, const QString &toolTip)
{
    auto *made = new QComboBox(parent);
    made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    made->setToolTip(toolTip);
    return made;
}

} // namespace

struct LogView::Question {
    MemoryFiles::File file;
    uint32_t rank = 0;
    uint32_t point = 0;
    std::optional<uint32_t> other;
    int page = kAtPoint;
    bool withCurves = false;
};

LogView::LogView(MemoryFiles *files, QWidget *parent)
    : QWidget(parent)
    , m_files(files)
    , m_file(box(this, tr("Which file is looked at")))
    , m_rank(box(this, tr("Which rank is looked at")))
    , m_other(box(this, tr("The rank to compare with, at the same time: what holds more is orange, what holds less is blue, the stronger the more it differs")))
    , m_subject(box(this, tr("The chosen point, or a page with a sunburst that the profiler wrote")))
    , m_remarks(new QLabel(this))
    , m_pages(new QStackedWidget(this))
    , m_curves(new MemoryCurvesView(this))
    , m_sunburst(new SunburstChart(this))
    , m_otherSunburst(new SunburstChart(this))
    , m_tree(new QTreeWidget(this))
    , m_picture(new QLabel(this))
{
    m_remarks->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_tree->setAccessibleName(tr("Layers"));
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_picture->setAlignment(Qt::AlignCenter);
    m_picture->setMinimumSize(50, 50);
    m_picture->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    m_picture->setScaledContents(false);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    for (QComboBox *one : {m_file, m_rank, m_other, m_subject})
        bar->addWidget(one);
    bar->addSpacing(6);
    bar->addWidget(m_remarks, 1);
    auto *below = new QSplitter(Qt::Horizontal, this);
    below->setChildrenCollapsible(false);
    for (QWidget *one : std::initializer_list<QWidget *>{m_sunburst, m_otherSunburst, m_tree})
        below->addWidget(one);
    below->setSizes({380, 380, 600});
    auto *numbers = new QSplitter(Qt::Vertical, m_pages);
    numbers->setChildrenCollapsible(false);
    numbers->addWidget(m_curves);
    numbers->addWidget(below);
    numbers->setSizes({200, 400});
    m_pages->addWidget(numbers);
    m_pages->addWidget(m_picture);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_pages, 1);
    setFocusProxy(m_curves);

    connect(files, &MemoryFiles::changed, this, &LogView::showFiles);
    connect(m_file, &QComboBox::currentIndexChanged, this, &LogView::showFile);
    connect(m_rank, &QComboBox::currentIndexChanged, this, &LogView::showRank);
    connect(m_other, &QComboBox::currentIndexChanged, this, [this] { ask(false); });
    connect(m_subject, &QComboBox::currentIndexChanged, this, [this] { ask(false); });
    connect(m_curves, &MemoryCurvesView::pointChanged, this, [this] { ask(false); });
    connect(m_sunburst, &SunburstChart::currentChanged, this, &LogView::goTo);
    connect(m_otherSunburst, &SunburstChart::currentChanged, this, [this](uint node) {
        const auto found = std::find(m_answer.same.begin(), m_answer.same.end(), node);
        if (node != kNone && found != m_answer.same.end())
            goTo(static_cast<uint32_t>(found - m_answer.same.begin()));
    });
    connect(m_tree, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem *item) {
        if (item)
            goTo(nodeOf(*item));
    });
    connect(m_sunburst, &SunburstChart::exportRequested, this, &LogView::fileExportRequested);
    connect(m_otherSunburst, &SunburstChart::exportRequested, this, &LogView::fileExportRequested);
    showFiles();
}

QString LogView::remarks() const { return m_remarks->toolTip(); }

const MemoryFiles::File *LogView::file() const
{
    const int index = m_file->currentIndex();
    return index >= 0 && static_cast<size_t>(index) < m_files->files().size() ? &m_files->files()[static_cast<size_t>(index)] : nullptr;
}

const MemoryLogRank *LogView::rank() const
{
    const MemoryFiles::File *open = file();
    const int index = m_rank->currentIndex();
    return open && open->log && index >= 0 && static_cast<size_t>(index) < open->log->ranks.size() ? &open->log->ranks[static_cast<size_t>(index)] : nullptr;
}

void LogView::showFiles()
{
    {
        const QSignalBlocker blocker(m_file);
        m_file->clear();
        for (const MemoryFiles::File &open : m_files->files())
            m_file->addItem(QFileInfo(toQString(open.log ? open.log->path : open.timeline->path)).fileName());
    }
    m_file->setVisible(m_files->files().size() > 1);
    showFile();
}

void LogView::showFile()
{
    const MemoryFiles::File *open = file();
    const bool isLog = open && open->log;
    {
        const QSignalBlocker ofRank(m_rank), ofOther(m_other);
        m_rank->clear();
        m_other->clear();
        m_other->addItem(tr("no comparison"));
        for (size_t rank = 0; isLog && rank < open->log->ranks.size(); ++rank) {
            m_rank->addItem(toQString(open->log->ranks[rank].name()));
            m_other->addItem(tr("beside %1").arg(toQString(open->log->ranks[rank].name())));
        }
    }
    m_rank->setVisible(isLog);
    m_other->setVisible(isLog && open->log->ranks.size() > 1);
    QStringList remarks;
    if (open)
        for (const std::string &remark : isLog ? logRemarks(*open->log) : timelineRemarks(*open->timeline))
            remarks += toQString(remark);
    m_remarks->setText(remarks.join(QLatin1Char(' ')));
    m_remarks->setToolTip(remarks.join(QLatin1Char('\n')));
    const bool isPicture = open && !isLog && open->timeline->form == MemoryTimeline::Form::Picture;
    m_pages->setCurrentIndex(isPicture ? 1 : 0);
    if (isPicture) {
        const std::string &bytes = open->timeline->picture;
        m_whole = QPixmap::fromImage(QImage::fromData(reinterpret_cast<const uchar *>(bytes.data()), static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX))));
        showPicture();
        m_picture->setAccessibleName(tr("The picture in the page"));
    }
    showRank();
}

void LogView::showPicture()
{
    const QSize room = m_pages->size().boundedTo(m_whole.size());
    m_picture->setPixmap(m_whole.isNull() || room.isEmpty() ? m_whole : m_whole.scaled(room, Qt::KeepAspectRatio, Qt::SmoothTransformation));
}

void LogView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layout()->activate(); // the pages have their new size
    if (!m_whole.isNull())
        showPicture();
}

void LogView::showRank()
{
    const QSignalBlocker blocker(m_subject);
    m_subject->clear();
    const MemoryLogRank *shown = rank();
    m_subject->addItem(tr("the chosen point"), kAtPoint);
    for (size_t page = 0; shown && page < shown->pages.size(); ++page)
        if (!shown->pages[page].damage)
            m_subject->addItem(toQString(shown->pages[page].title), static_cast<int>(page));
    m_subject->setVisible(m_subject->count() > 1);
    if (shown && shown->points.empty() && m_subject->count() > 1)
        m_subject->setCurrentIndex(1);
    ask(true);
}

QString LogView::sizeText(int64_t value) const
{
    const MemoryFiles::File *open = file();
    if (open && open->log)
        return toQString(printedText(value)) + QStringLiteral("\u00a0MB");
    constexpr int64_t kWithUnit = 1024;
    return value < kWithUnit ? toQString(formatBytes(value)) : toQString(formatBytes(value)) + QStringLiteral(" (%1\u00a0B)").arg(toQString(formatCount(value)));
}

LogView::Answer LogView::answerTo(const Question &question)
{
    Answer answer;
    if (question.file.timeline) {
        if (question.withCurves)
            answer.curves = curvesOf(*question.file.timeline);
        answer.tree = timelineTreeAt(*question.file.timeline, question.point);
        answer.title = tr("alive memory");
        return answer;
    }
    const auto &ranks = question.file.log->ranks;
    const auto treeOf = [&](const MemoryLogRank &rank, uint32_t point) {
        if (question.page == kAtPoint)
            return logTreeAt(rank, point);
        // The page of the same name of another rank.
        const std::string &title = ranks[question.rank].pages[static_cast<size_t>(question.page)].title;
        for (const MemoryLogPage &page : rank.pages)
            if (page.title == title && !page.damage)
                return logTreeOf(page);
        return LogTree();
    };
    const MemoryLogRank &rank = ranks[question.rank];
    if (question.withCurves)
        answer.curves = curvesOf(rank);
    answer.tree = treeOf(rank, question.point);
    answer.title = toQString(rank.name());
    if (!question.other)
        return answer;
    const MemoryLogRank &other = ranks[*question.other];
    // Ranks need not have written at the same times: what held at this one.
    const bool timed = question.point < rank.points.size() && rank.points[question.point].time != MemoryLogPoint::kNoTime;
    answer.other = treeOf(other, timed ? other.pointAt(rank.points[question.point].time) : question.point);
    answer.otherTitle = toQString(other.name());
    answer.same = sameNodes(answer.tree, answer.other);
    answer.differences = treeDifferences(answer.tree, answer.other, answer.same);
    answer.otherDifferences = treeDifferences(answer.other, answer.tree, sameNodes(answer.other, answer.tree));
    return answer;
}

void LogView::ask(bool withCurves)
{
    const QString key = QStringLiteral("log");
    const MemoryFiles::File *open = file();
    if (!open || (open->log && !rank())) {
        m_jobs.cancel(key);
        m_curves->setCurves(nullptr, nullptr);
        take({}, 0);
        return;
    }
    m_curvesWanted = m_curvesWanted || withCurves;
    Question question{*open, static_cast<uint32_t>(std::max(0, m_rank->currentIndex())), m_curves->point(), std::nullopt, m_subject->currentData().toInt(), m_curvesWanted};
    // A rank or file that is new is looked at where its memory is largest.
    if (m_curvesWanted)
        question.point = open->log ? rank()->peak() : open->timeline->peak();
    if (question.point == MemoryCurvesView::kNone)
        question.point = 0;
    if (const int other = m_other->currentIndex(); open->log && other > 0)
        question.other = static_cast<uint32_t>(other - 1);
    m_jobs.run(key, [question](std::stop_token) { return answerTo(question); },
               [this, point = question.point](Answer answer) { take(std::move(answer), point); });
}

void LogView::take(Answer answer, uint32_t point)
{
    const QScopedValueRollback following(m_following, true);
    m_answer = std::move(answer);
    const auto text = [this](int64_t value) { return sizeText(value); };
    if (m_answer.curves) {
        const QSignalBlocker blocker(m_curves);
        m_curvesWanted = false;
        m_curves->setCurves(m_answer.curves, text);
        m_curves->setPoint(point);
    }
    m_sunburst->setTree(IcicleTree(m_answer.tree.values, m_answer.tree.depth), m_answer.tree.names, m_answer.title, text);
    m_sunburst->setDifferences(m_answer.differences);
    m_otherSunburst->setTree(IcicleTree(m_answer.other.values, m_answer.other.depth), m_answer.other.names, m_answer.otherTitle, text);
    m_otherSunburst->setDifferences(m_answer.otherDifferences);
    m_otherSunburst->setVisible(!m_answer.otherTitle.isEmpty());
    fillTree();
}

void LogView::fillTree()
{
    m_tree->clear();
    const bool compares = !m_answer.otherTitle.isEmpty();
    QStringList titles{tr("Name"), tr("With what is in it"), tr("Its own")};
    if (compares)
        titles << m_answer.otherTitle << tr("Difference");
    m_tree->setColumnCount(static_cast<int>(titles.size()));
    m_tree->setHeaderLabels(titles);
    m_tree->setSortingEnabled(false);
    m_tree->addTopLevelItems(logTreeItems(m_answer.tree, compares ? &m_answer.other : nullptr, m_answer.same, [this](int64_t value) { return sizeText(value); }));
    m_tree->setSortingEnabled(true);
    m_tree->header()->setSortIndicator(-1, Qt::DescendingOrder);
    m_tree->setColumnHidden(2, !rank()); // categories hold nothing else
    m_tree->expandToDepth(0);
    m_tree->header()->resizeSection(0, 160);
    for (int column = 1; column < m_tree->columnCount(); ++column)
        m_tree->resizeColumnToContents(column);
}

void LogView::goTo(uint32_t node)
{
    if (m_following || node >= m_answer.tree.size())
        return;
    const QScopedValueRollback following(m_following, true);
    m_sunburst->setCurrent(node);
    if (node < m_answer.same.size() && m_answer.same[node] != kNone)
        m_otherSunburst->setCurrent(m_answer.same[node]);
    if (QTreeWidgetItem *item = itemOf(*m_tree, node); item && item != m_tree->currentItem()) {
        m_tree->setCurrentItem(item);
        m_tree->scrollToItem(item);
    }
}

} // namespace riffle
