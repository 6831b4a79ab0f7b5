// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/jobs.h"
#include "views/common/session/view.h"
#include "views/strip/strip_figures.h"

#include <array>
#include <cstdint>
#include <optional>

class QSpacerItem;

namespace riffle {

class AsOfLabel;
class StripItem;

/// Figures about the selection: step, device busy, exposed communication, idle, findings; in one line, or as tiles if
/// there is room for them. They follow the area and the filters. A figure that was not recorded has no place.
class StripView : public View {
    Q_OBJECT
public:
    explicit StripView(Session *session, QWidget *parent = nullptr);
    bool settled() const { return m_jobs.idle(); }
    const StripFigures &figures() const { return m_figures; }
    QSize minimumSizeHint() const override;
    void setTiles(bool on);

    enum Item { Step, Busy, Exposed, Idle, Findings, Items };
    StripItem *item(Item item) const { return m_items[item]; }

signals:
    /// Asks for a table (an id of the window's views) and, if it shows several, for one of them.
    void tableRequested(const QString &id, const QString &word);

protected:
    void refresh(Session::Changes changes) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void showFigures(StripFigures figures);
    void fit();

    std::array<StripItem *, Items> m_items;
    AsOfLabel *m_asOf;   ///< not shown beside tiles, because their page says it
    QSpacerItem *m_rest; ///< beside the figures of one line; tiles fill it
    StripFigures m_figures;
    AsOf m_factsAsOf;
    bool m_tiles = false;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
