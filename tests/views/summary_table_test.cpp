// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/big_vector.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/palette.h"
#include "views/common/table/summary_table.h"
#include "views/common/table/table_cells.h"

#include "tests/model/analysis/table/small_table.h"
#include "tests/views/view_case.h"

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QSplitter>
#include <QStyleOptionViewItem>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

using namespace riffle;

class SummaryTableTest : public ViewCase<SummaryTable> {
    Q_OBJECT

private slots:
    void init() { showView({1000, 300}); }
    void cleanup() { closeView(); }

    void severalSelectedRowsStayWhenTheTableIsMadeAnew()
    {
        m_view->setTable(test::smallTree());
        m_view->setCurrentRow(0);
        QTest::keyClick(view(), Qt::Key_Down, Qt::ShiftModifier);
        const std::vector<uint32_t> chosen = m_view->chosenRows();
        QCOMPARE(chosen.size(), size_t(2));
        m_view->setTable(test::smallTree());
        QCOMPARE(m_view->chosenRows(), chosen);
    }

    void rowsStandAsTheAnalysisMadeThem()
    {
        m_view->setTable(test::smallTable());
        QCOMPARE(names(), (QStringList{"aten::mm", "aten::add", "void gemm<float>(int, int)", "Optimizer.step#Adam",
                                       "nothing"}));
        QCOMPARE(cell(0, 3), QStringLiteral("12.00\u00a0ms"));
        QCOMPARE(cell(4, 3), QStringLiteral("–"));
    }

    void columnsFittedToAnEmptyTableAreFittedAgain()
    {
        ResultTable empty = test::smallTable();
        empty.keepRows({});
        m_view->setTable(std::move(empty));
        m_view->setTable(test::smallTable());
        const QString longest = QStringLiteral("void gemm<float>(int, int)");
        QVERIFY(names().contains(longest));
        QVERIFY(m_view->view()->header()->sectionSize(0) > m_view->view()->fontMetrics().horizontalAdvance(longest));
    }

    void clicksOnAHeadingSortAndShiftAddsAColumn()
    {
        m_view->setTable(test::smallTable());
        clickHeading(2); // by calls, largest first
        QCOMPARE(names().mid(0, 2), (QStringList{"aten::add", "aten::mm"}));
        clickHeading(3, Qt::ShiftModifier); // then by duration, longest first: no change
        QCOMPARE(names().mid(0, 3), (QStringList{"aten::add", "aten::mm", "Optimizer.step#Adam"}));
        clickHeading(3, Qt::ShiftModifier); // then by duration, shortest first
        QCOMPARE(names().mid(0, 3), (QStringList{"aten::add", "Optimizer.step#Adam", "aten::mm"}));
        QCOMPARE(heading(2), QStringLiteral("Calls\u00a0↓¹"));
        QCOMPARE(heading(3), QStringLiteral("Total\u00a0↑²"));
        clickHeading(0); // by name only, from A
        QCOMPARE(names().first(), QStringLiteral("Optimizer.step#Adam"));
        clickHeading(0);
        QCOMPARE(names().first(), QStringLiteral("void gemm<float>(int, int)"));
        clickHeading(0); // in the table's own order
        QCOMPARE(names().first(), QStringLiteral("aten::mm"));
    }

    void theTablesOwnOrderHasAnArrowAndAClickReversesIt()
    {
        ResultTable table = test::smallTable();
        table.column("calls")->integers = {250, 100, 100, 3, kNoInt};
        m_view->setTable(std::move(table));
        QCOMPARE(heading(2), QStringLiteral("Calls\u00a0↓"));
        QCOMPARE(heading(3), QStringLiteral("Total"));
        clickHeading(2);
        QCOMPARE(heading(2), QStringLiteral("Calls\u00a0↑"));
        QCOMPARE(names().first(), QStringLiteral("Optimizer.step#Adam"));
        clickHeading(3);
        QCOMPARE(heading(2), QStringLiteral("Calls"));
        QCOMPARE(heading(3), QStringLiteral("Total\u00a0↓"));
    }

    void wordsWithAnOrderShowItBeforeNumbersThatAreSortedByChance()
    {
        ResultTable table;
        ResultColumn &severity = table.add("severity", "Severity", CellKind::Text);
        severity.texts = {"error", "warning", "warning", "hint"};
        severity.words = {"error", "warning", "hint"};
        table.add("device", "Device", CellKind::Count).integers = {2, 2, 2, kNoInt};
        table.add("step", "Step", CellKind::Count).integers = {15, 15, 15, 14};
        m_view->setTable(std::move(table));
        QCOMPARE(heading(0), QStringLiteral("Severity\u00a0↑"));
        QCOMPARE(heading(2), QStringLiteral("Step"));
    }

    void theHintNamesColumnsThatTheTableHas()
    {
        m_view->setTable(test::smallTable());
        QVERIFY(filter()->placeholderText().endsWith(QLatin1String(", >10ms, calls>100")));
        ResultTable memory;
        memory.add("place", "Place", CellKind::Text).texts = {"a"};
        memory.add("bytes", "Bytes", CellKind::Bytes).integers = {1};
        memory.add("allocations", "Allocations", CellKind::Count).integers = {1};
        m_view->setTable(std::move(memory));
        QVERIFY2(filter()->placeholderText().endsWith(QLatin1String(", >10MB, allocations>100")),
                 qPrintable(filter()->placeholderText()));
    }

    void aBarStartsWhereTheCellStartsAndIsBelowTheNumber()
    {
        m_view->setTable(test::smallTable());
        QApplication::processEvents();
        const QRect cell = view()->visualRect(m_view->rows().index(0, 3)); // 0.4 of the largest
        const QImage image = view()->viewport()->grab(cell).toImage();
        const QRgb bar = Palette::fitting(view()->palette()).bar;
        const int bottom = cell.height() - 1;
        QCOMPARE(image.pixel(4, bottom), bar);
        QCOMPARE(image.pixel(cell.width() * 3 / 10, bottom), bar);
        QVERIFY(image.pixel(cell.width() * 6 / 10, bottom) != bar);
        QVERIFY(image.pixel(4, cell.height() / 2) != bar);
    }

    void aShortNameThatDoesNotFitHasOneEllipsis()
    {
        struct Cells : BarDelegate {
            using BarDelegate::initStyleOption;
        } cells;
        ResultTable table;
        table.add("name", "Name", CellKind::Text).texts = {"void cutlass::Kernel<a, b, c>(cutlass::Params, int)"};
        table.columns[0].shorts = {"cutlass::Kernel<…>(cutlass::Params, int)"};
        m_view->setTable(std::move(table));
        QStyleOptionViewItem option;
        option.widget = view();
        option.rect = QRect(0, 0, 120, 20);
        option.fontMetrics = view()->fontMetrics();
        cells.initStyleOption(&option, m_view->rows().index(0, 0));
        QCOMPARE(option.text.count(QChar(0x2026)), 1);
        QVERIFY(option.fontMetrics.horizontalAdvance(option.text) <= 120);
        QVERIFY2(option.text.startsWith(QLatin1String("cut")) && option.text.endsWith(QLatin1String("t)")),
                 qPrintable(option.text));
    }

    void theRowsGetTheWidthOfTheirColumnsUntilTheUserMovesTheHandle()
    {
        m_view->setSide(new QLabel(QStringLiteral("side")));
        ResultTable narrow;
        narrow.add("name", "Name", CellKind::Text).texts = {"a"};
        m_view->setTable(std::move(narrow));
        auto *split = m_view->findChild<QSplitter *>();
        QTRY_VERIFY(split->sizes()[0] * 100 / split->width() >= 38 && split->sizes()[0] * 100 / split->width() <= 41);
        m_view->setTable(test::smallTable());
        for (int more = 0; more < 8; ++more) {
            ResultTable table = m_view->table();
            table.add("more" + std::to_string(more), "A long heading", CellKind::Count)
                .integers.assign(table.rows(), 1);
            m_view->setTable(std::move(table));
        }
        QTRY_VERIFY(split->sizes()[0] * 100 / split->width() >= 68);
        QSplitterHandle *handle = split->handle(1);
        QTest::mousePress(handle, Qt::LeftButton, {}, handle->rect().center());
        QTest::mouseMove(handle, handle->rect().center() - QPoint(100, 0));
        QTest::mouseMove(handle, handle->rect().center() - QPoint(200, 0));
        QTest::mouseRelease(handle, Qt::LeftButton, {}, handle->rect().center());
        QVERIFY(split->sizes()[0] * 100 / split->width() < 65);
        const QList<int> chosen = split->sizes();
        m_view->setTable(test::smallTable());
        QApplication::processEvents();
        QCOMPARE(split->sizes(), chosen);
    }

    void theFilterBoxTakesTextAndComparisons()
    {
        m_view->setTable(test::smallTable());
        QTest::keyClicks(filter(), QStringLiteral(">10ms"));
        QCOMPARE(names(), (QStringList{"aten::mm", "void gemm<float>(int, int)"}));
        QTest::keyClicks(filter(), QStringLiteral(" /^aten/"));
        QCOMPARE(names(), QStringList{"aten::mm"});
        QTest::keyClick(filter(), Qt::Key_Escape);
        QCOMPARE(names().size(), 5);
        QTest::keyClicks(filter(), QStringLiteral("calls>10ms"));
        QVERIFY(filter()->toolTip().contains(QLatin1String("another unit")));
        QCOMPARE(names().size(), 3); // the rows for calls>10 stay
    }

    void totalsAreThoseOfWhatIsShown()
    {
        m_view->setTable(test::smallTable());
        QCOMPARE(m_view->rows().total(2), QStringLiteral("453"));
        QVERIFY(!m_view->rows().total(4)); // a total of sizes is not useful
        m_view->setFilter(QStringLiteral("aten"));
        QCOMPARE(m_view->rows().total(2), QStringLiteral("350"));
        QCOMPARE(m_view->rows().total(3), QStringLiteral("12.90\u00a0ms"));
    }

    void barsAreSharesOfTheLargest()
    {
        m_view->setTable(test::smallTable());
        QCOMPARE(m_view->rows().index(0, 3).data(ResultRowModel::kBarRole).toDouble(), 0.4);
        QVERIFY(!m_view->rows().index(0, 2).data(ResultRowModel::kBarRole).isValid());
        QVERIFY(!m_view->rows().index(4, 3).data(ResultRowModel::kBarRole).isValid());
    }

    void aTreeIsSortedAmongSiblingsAndKeepsTheWayToWhatPasses()
    {
        m_view->setTable(test::smallTree());
        clickHeading(1);
        QCOMPARE(names(), (QStringList{"loss", "net", "head", "linear", "conv"}));
        m_view->setFilter(QStringLiteral("linear"));
        QCOMPARE(names(), (QStringList{"net", "head", "linear"}));
        QCOMPARE(m_view->rows().total(1), QStringLiteral("50\u00a0ns")); // ancestor rows are not counted
        m_view->setFilter({});
        QCOMPARE(m_view->rows().total(1), QStringLiteral("300\u00a0ns")); // nothing is counted twice
    }

    void foldsStayWhenTheRowsAreMadeAnew()
    {
        m_view->setTable(test::smallTree());
        view()->collapse(m_view->rows().indexOf(2));
        m_view->setCurrentRow(1);
        m_view->setTable(test::smallTree());
        QVERIFY(view()->isExpanded(m_view->rows().indexOf(0)));
        QVERIFY(!view()->isExpanded(m_view->rows().indexOf(2)));
        QCOMPARE(m_view->currentRow(), std::optional(1u));
    }

    void columnsAreChosenInTheHeadingsMenu()
    {
        ResultTable table = test::smallTable();
        table.column("bytes")->hidden = true;
        m_view->setTable(std::move(table));
        QVERIFY(view()->isColumnHidden(4));
        QSignalSpy changed(m_view.get(), &SummaryTable::stateChanged);
        fromMenu([&] { emit view()->header()->customContextMenuRequested({5, 5}); }, QStringLiteral("Size"));
        QVERIFY(!view()->isColumnHidden(4));
        QCOMPARE(changed.size(), 1);
    }

    void orderAndColumnsAreKept()
    {
        m_view->setTable(test::smallTable());
        clickHeading(3);
        const QJsonObject state = m_view->state();
        SummaryTable other(m_session.get());
        other.restoreState(state); // before the table is set
        other.setTable(test::smallTable());
        QCOMPARE(other.rows().index(0, 0).data().toString(), QStringLiteral("void gemm<float>(int, int)"));
    }

    void ctrlCCopiesWhatIsSelectedElseAll()
    {
        m_view->setTable(test::smallTable());
        QCOMPARE(m_view->tableText().count(QLatin1Char('\n')), 6);
        m_view->setCurrentRow(2);
        view()->setFocus();
        QTest::keyClick(view(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0], QStringLiteral("Name\tCategory\tCalls\tTotal\tSize\tShare"));
        QVERIFY(lines[1].startsWith(QLatin1String("void gemm<float>(int, int)\tkernel\t3\t30.00")));
    }

    void exportsHaveWholeNanoseconds()
    {
        m_view->setTable(test::smallTable());
        m_view->setFilter(QStringLiteral("gemm"));
        QSignalSpy saved(m_view.get(), &SummaryTable::exportRequested);
        m_view->exportAs(QStringLiteral("csv"));
        m_view->exportAs(QStringLiteral("json"));
        QCOMPARE(saved.at(0).at(0).toString(), QStringLiteral("small.csv"));
        QCOMPARE(saved.at(0).at(1).toString(),
                 QStringLiteral("name,category,calls,total_ns,bytes,share\n\"void gemm<float>(int, "
                                "int)\",kernel,3,30000000,5242880,0.7\n"));
        QCOMPARE(saved.at(1).at(0).toString(), QStringLiteral("small.json"));
        QVERIFY(saved.at(1).at(1).toString().contains(QLatin1String("\"total_ns\": 30000000")));
    }

    void rowsAndSlicesLeadToEachOther()
    {
        m_view->setTable(kernels());
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        m_view->setCurrentRow(0);
        view()->setFocus();
        QTest::keyClick(view(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
        const auto last = [&] { return revealed.last().at(0).value<SliceRef>(); };
        const SliceRef first = last();
        QCOMPARE(nameOf(first), QStringLiteral("sgemm"));
        m_session->select(first);
        QTest::keyClick(view(), Qt::Key_BracketRight);
        QCOMPARE(revealed.size(), 2);
        QVERIFY(last() > first);
        m_session->select(last());
        QTest::mouseClick(tool(QStringLiteral("Previous instance")), Qt::LeftButton);
        QCOMPARE(last(), first);
        m_view->showRowOf({TraceId(0), slicesNamed("sgemm_bwd").front()});
        QCOMPARE(m_view->currentRow(), std::optional(1u));
        m_view->showRowOf({TraceId(0), slicesNamed("aten::mm").front()}); // not in any row
        QCOMPARE(m_view->currentRow(), std::optional(1u));
    }

    void aDoubleClickJumps()
    {
        m_view->setTable(kernels());
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        const QPoint at = view()->visualRect(m_view->rows().index(1, 0)).center();
        QTest::mouseClick(view()->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(view()->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(revealed.size(), 1);
        QCOMPARE(nameOf(revealed.last().at(0).value<SliceRef>()), QStringLiteral("sgemm_bwd"));
    }

    void allInstancesAreHighlightedAndAgainNone()
    {
        m_view->setTable(kernels());
        m_view->setCurrentRow(0);
        QToolButton *all = nullptr;
        for (QToolButton *button : m_view->findChildren<QToolButton *>())
            if (button->text() == QLatin1String("All instances"))
                all = button;
        QTest::mouseClick(all, Qt::LeftButton);
        BigVector<uint32_t> wanted;
        for (const SliceId slice : slicesNamed("sgemm"))
            wanted.push_back(slice.value);
        QCOMPARE(m_session->highlightedSlices(), PerTrace<BigVector<uint32_t>>{wanted});
        QTest::mouseClick(all, Qt::LeftButton);
        QVERIFY(m_session->highlightedSlices().empty());
    }

    void withoutRowsItSaysWhy()
    {
        ResultTable table;
        table.add("name", "Module", CellKind::Text);
        table.absence = "No modules were recorded: with_modules=True";
        m_view->setTable(std::move(table));
        const auto labels = m_view->findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->isVisible() && label->text().contains(QLatin1String("with_modules=True"));
        }));
        QVERIFY(!view()->isVisible());
    }

    void headingsExplainAndLongNamesWrap()
    {
        ResultTable table = test::smallTable();
        table.columns[0].texts[0] = std::string(2000, 'a') + "<b & c>" + std::string(3000, 'd');
        m_view->setTable(std::move(table));
        QVERIFY(m_view->rows()
                    .headerData(2, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains(QLatin1String("slices with that name")));
        const QString tip = m_view->rows().index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(QLatin1String("&lt;b &amp; c&gt;")));
        QVERIFY(tip.count(QLatin1String("<br>")) > 5000 / 130 - 1);
        QVERIFY(m_view->rows().index(0, 0).data().toString().size() < 400);
    }

    void aHundredThousandRowsStayFluid()
    {
        ResultTable table;
        table.add("name", "Name", CellKind::Text);
        table.add("total_ns", "Total", CellKind::Time);
        uint64_t state = 7;
        for (int row = 0; row < 100'000; ++row) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            table.columns[0].texts.push_back("void at::native::elementwise_kernel<" + std::to_string(state >> 40) +
                                             ">(int)");
            table.columns[1].integers.push_back(static_cast<int64_t>(state >> 33));
        }
        QElapsedTimer timer;
        timer.start();
        const auto lap = [&](const char *what) {
            QApplication::processEvents();
            qInfo("%s: %lld ms", what, static_cast<long long>(timer.restart()));
        };
        m_view->setTable(std::move(table));
        lap("first");
        clickHeading(1);
        lap("sorted by time");
        clickHeading(0);
        lap("sorted by name");
        m_view->setFilter(QStringLiteral("77"));
        lap("filtered");
        m_view->setFilter(QStringLiteral("/<1.*9>/ >1s"));
        lap("filtered by expression");
        QVERIFY(m_view->rows().rowCount() > 0);
        const auto shown = m_view->rows().shownRows();
        const ResultTable &now = m_view->table();
        for (size_t at = 1; at < shown.size(); ++at)
            QVERIFY(now.columns[0].texts[shown[at - 1]] <= now.columns[0].texts[shown[at]]);
    }

private:
    QTreeView *view() const { return m_view->view(); }
    QLineEdit *filter() const { return m_view->findChild<QLineEdit *>(); }
    QString cell(int row, int column) const { return m_view->rows().index(row, column).data().toString(); }
    QString heading(int column) const
    {
        return m_view->rows().headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    }
    QStringList names() const
    {
        QStringList names;
        for (const uint32_t row : m_view->rows().shownRows())
            names += QString::fromStdString(m_view->table().columns[0].texts[row]);
        return names;
    }
    QToolButton *tool(const QString &name) const
    {
        for (QToolButton *button : m_view->findChildren<QToolButton *>())
            if (button->accessibleName() == name)
                return button;
        return nullptr;
    }
    void clickHeading(int column, Qt::KeyboardModifiers modifiers = {})
    {
        QHeaderView *header = view()->header();
        QTest::mouseClick(
            header->viewport(), Qt::LeftButton, modifiers,
            {header->sectionViewportPosition(column) + header->sectionSize(column) / 2, header->height() / 2});
    }
    /// Opens a menu and chooses the action with the given text.
    template <typename Open>
    void fromMenu(Open open, const QString &text)
    {
        QTimer::singleShot(0, this, [text] {
            auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            QVERIFY(menu);
            for (QAction *action : menu->actions())
                if (action->text() == text)
                    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            menu->close();
        });
        open();
    }
    std::vector<SliceId> slicesNamed(std::string_view name) const
    {
        std::vector<SliceId> found;
        for (uint32_t id = 0; id < m_trace->sliceCount(); ++id)
            if (m_trace->string(m_trace->slice(SliceId(id))->data.name) == name)
                found.push_back(SliceId(id));
        return found;
    }
    QString nameOf(SliceRef slice) const
    {
        return QString::fromStdString(std::string(m_trace->string(m_trace->slice(slice.slice)->data.name)));
    }
    /// Two rows with one kernel each.
    ResultTable kernels() const
    {
        ResultTable table;
        table.view = "kernels";
        ResultColumn &names = table.add("name", "Name", CellKind::Text);
        RowSlices::Member member{TraceId(0), {}, {}};
        for (uint32_t row = 0; row < 2; ++row) {
            names.texts.push_back(row == 0 ? "sgemm" : "sgemm_bwd");
            for (const SliceId slice : slicesNamed(names.texts.back()))
                member.slices.push_back(slice.value);
        }
        std::sort(member.slices.begin(), member.slices.end());
        for (const uint32_t slice : member.slices)
            member.rows.push_back(m_trace->string(m_trace->slice(SliceId(slice))->data.name) == "sgemm" ? 0 : 1);
        table.slices = std::make_shared<const RowSlices>(std::vector{member});
        return table;
    }
};

RIFFLE_WIDGET_TEST(SummaryTableTest)
#include "summary_table_test.moc"
