# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
set(PACKAGE_VERSION 6.4.2)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
