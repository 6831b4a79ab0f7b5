// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolButton>

namespace riffle {

class Session;

/// Says in the header of a view that its answers are about a part of the ranks, because the others are not in memory:
/// "8 of 64 ranks". A click loads them. Hidden if the view is about all ranks that it is to be about.
class PartOfRanks : public QToolButton {
    Q_OBJECT
public:
    explicit PartOfRanks(Session *session, QWidget *parent = nullptr);

private:
    void count();
    void loadOthers();

    Session *m_session;
};

} // namespace riffle
