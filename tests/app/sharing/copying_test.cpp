// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Pictures and Markdown on the clipboard say what the window shows.
#include "model/analysis/table/table_text.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/chart/chart.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/summary_table.h"
#include "views/summary/summary_pane.h"

#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QImage>
#include <QTreeView>

using namespace riffle;

class CopyingTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-copying"));
        for (const char *rank : {"rank0", "rank1"}) {
            const QString name = QStringLiteral("generated_%1.pt.trace.json.gz").arg(QLatin1String(rank));
            QVERIFY(QFile::copy(QStringLiteral(":/sample/") + name, path(name)));
        }
        makeWindow();
        OpenRequest request;
        request.files = {path(QStringLiteral("generated_rank0.pt.trace.json.gz"))};
        open(request);
    }
    void cleanupTestCase() { closeWindow(); }
    void init()
    {
        session()->select({});
        session()->setArea(std::nullopt);
        QGuiApplication::clipboard()->clear();
    }

    void aTableIsCopiedAsMarkdown()
    {
        SummaryTable *table = shownTable(QStringLiteral("kernels"));
        press(Qt::Key_M);
        const QStringList lines = clipboard().split(QLatin1Char('\n'));
        QCOMPARE(lines.at(0),
                 QStringLiteral("**generated_rank0.pt.trace.json.gz · %1**")
                     .arg(toQString(table->table().title).replace(QLatin1Char('_'), QLatin1String("\\_"))));
        QVERIFY2(lines.at(2).startsWith(QLatin1String("all of the trace, ")), qPrintable(lines.at(2)));
        QVERIFY(lines.at(5).contains(QLatin1String("---:")));
        // The rows follow the model of the table, cell by cell.
        const QAbstractItemModel &model = *table->view()->model();
        QCOMPARE(lines.size(), 6 + model.rowCount() + 1);
        for (int row = 0; row < model.rowCount(); ++row) {
            QStringList cells;
            for (const size_t column : table->shownColumns())
                cells +=
                    unescaped(toQString(cellText(table->table().columns[column],
                                                 table->rows().tableRow(model.index(row, 0)), table->table().origin)));
            QString line = unescaped(lines.at(6 + row));
            QCOMPARE(line, QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |"));
        }
    }

    void onlySelectedRowsAreCopied()
    {
        SummaryTable *table = shownTable(QStringLiteral("operators"));
        const QAbstractItemModel &model = *table->view()->model();
        table->view()->selectionModel()->select(model.index(1, 0),
                                                QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        press(Qt::Key_M);
        const QString name = model.index(1, 0).data().toString();
        QCOMPARE(clipboard().count(QLatin1String("\n| ")), 3); // the heading, the rule and one row
        QVERIFY2(unescaped(clipboard()).contains(QLatin1String("| ") + unescaped(name)), qPrintable(clipboard()));
        table->view()->selectionModel()->clearSelection();
    }

    void theHeadingNamesWhatLimitsTheTable()
    {
        Filters filters;
        filters.text = "/gemm|x/";
        session()->setFilters(filters);
        shownTable(QStringLiteral("kernels"));
        press(Qt::Key_M);
        QVERIFY2(clipboard().contains(QStringLiteral("Only “/gemm\\|x/”")), qPrintable(clipboard()));
        session()->setFilters({});
        const TimeSpan whole = session()->traces().span();
        session()->setArea(AreaSelection{{whole.begin, whole.begin + whole.duration() / 2}, {}});
        shownTable(QStringLiteral("kernels"));
        press(Qt::Key_M);
        QVERIFY2(clipboard().contains(QLatin1String("starting at")), qPrintable(clipboard()));
    }

    void theSelectedSliceIsCopiedAsAList()
    {
        focusLanes();
        const Trace &trace = *session()->traces().trace(TraceId(0));
        const auto stream =
            std::ranges::find_if(trace.segments, [](const auto &segment) { return !segment->device.slice.empty(); });
        const SliceId kernel((*stream)->device.slice[0]);
        const auto slice = trace.slice(kernel);
        QVERIFY(slice);
        press(Qt::Key_M);
        QVERIFY(m_window->noticeText().contains(QLatin1String("Select a slice")));
        session()->select({TraceId(0), kernel});
        press(Qt::Key_M);
        QTRY_VERIFY(clipboard().startsWith(QLatin1String("**generated")));
        const QString text = unescaped(clipboard());
        QVERIFY2(text.contains(QStringLiteral("**%1**").arg(toQString(trace.string(slice->data.name)))),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("\n- Category: %1\n").arg(toQString(trace.string(slice->data.category)))),
                 qPrintable(text));
        const double us = static_cast<double>(slice->data.duration) / 1000;
        QVERIFY2(text.contains(QStringLiteral("\n- Duration: %1\u00a0µs\n").arg(us, 0, 'f', 3)), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("\n- Launched by: ")), qPrintable(text));
    }

    void aPictureOfATableHasAllItsRows()
    {
        SummaryTable *table = shownTable(QStringLiteral("operators"));
        press(Qt::Key_I);
        const QImage image = QGuiApplication::clipboard()->image();
        QVERIFY(!image.isNull());
        const QTreeView &view = *table->view();
        const int row = view.visualRect(view.model()->index(0, 0)).height(), rows = view.model()->rowCount();
        QVERIFY(rows * row > view.viewport()->height()); // so the visible rows would not be enough
        QVERIFY2(image.height() > 2 * rows * row, qPrintable(QString::number(image.height())));
        QVERIFY(image.width() >= 2 * 480);
        // The last row is painted: its band differs from one flat colour.
        QSet<QRgb> colours;
        for (int x = 0; x < image.width(); ++x)
            colours.insert(image.pixel(x, image.height() - 2 * view.header()->height() - row));
        QVERIFY(colours.size() > 2);
    }

    void aPictureOfTheLanesShowsThemBelowAHeading()
    {
        focusLanes();
        press(Qt::Key_I);
        const QImage image = QGuiApplication::clipboard()->image();
        const QSize lanes = m_window->timeline()->size();
        QCOMPARE(image.width(), 2 * lanes.width());
        QVERIFY(image.height() > 2 * lanes.height() + 2 * QFontMetrics(m_window->font()).height());
        QImage shown(lanes * 2, QImage::Format_RGB32);
        shown.setDevicePixelRatio(2);
        m_window->timeline()->render(&shown);
        const QImage below = image.copy(0, image.height() - 2 * lanes.height(), image.width(), 2 * lanes.height());
        QCOMPARE(below.convertToFormat(QImage::Format_RGB32), shown.copy());
    }

private:
    static QString unescaped(QString text) { return text.remove(QLatin1Char('\\')); }
    static QString clipboard() { return QGuiApplication::clipboard()->text(); }
    void press(Qt::Key key)
    {
        QTest::keyClick(QApplication::focusWidget(), key, Qt::ControlModifier | Qt::ShiftModifier);
    }
    SummaryTable *shownTable(const QString &id)
    {
        m_window->bringForward(id);
        auto *pane = qobject_cast<SummaryPane *>(m_window->view(id));
        if (!QTest::qWaitFor([&] { return m_window->settled() && pane->table()->table().rows() > 0; }))
            qFatal("The table is not shown.");
        pane->table()->view()->setFocus();
        return pane->table();
    }
    void focusLanes()
    {
        m_window->showPage(QStringLiteral("timeline"));
        m_window->timeline()->setFocus();
        QVERIFY(QTest::qWaitFor([this] { return m_window->settled(); }));
    }
};

RIFFLE_WIDGET_TEST(CopyingTest)
#include "copying_test.moc"
