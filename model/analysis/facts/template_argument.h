// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// Shortens a template argument of a demangled name: removes namespaces, scopes and the suffixes of numbers. A lambda
/// is named after the function around it, with its numbers and parameters: "at::native::(anonymous
/// namespace)::copy(at::TensorIterator&)::{lambda()#3}::operator()() const::{lambda(float)#1}" becomes
/// "copy#3#1(float)". The result is cut after a few hundred bytes; time is linear in the length of the text. If
/// `keepScopes`, namespaces and scopes stay.
std::string shortTemplateArgument(std::string_view text, bool keepScopes = false);

} // namespace riffle
