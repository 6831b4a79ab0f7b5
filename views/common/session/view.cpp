// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/view.h"

namespace riffle {

View::View(Session *session, Session::Changes interest, QWidget *parent)
    : DeferredWidget(interest, parent)
    , m_session(session)
{
    connect(session, &Session::changed, this, [this, interest](Session::Changes changes) {
        if (changes & interest)
            markDirty(changes & interest);
    });
}

} // namespace riffle
