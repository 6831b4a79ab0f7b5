// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/record.h"
#include "collector/src/sources/python_codes.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::collector {

class ThreadLog;

/// The domain of Python calls, which nest among themselves, whatever other ranges the program opens and closes in them.
inline constexpr Domain kPythonCalls{""};
inline constexpr const char *kCallSource = "Python calls"; ///< in gaps

/// The functions of the interpreter that name a thread's calls; all need the GIL.
struct CallInterpreter {
    void *(*back)(void *frame) = nullptr;
    void *(*code)(void *frame) = nullptr;
    void *(*repr)(void *object) = nullptr;
    const char *(*utf8)(void *text) = nullptr;
    void (*release)(void *object) = nullptr;
    void (*forgetError)() = nullptr;
    void *setProfileMeth = nullptr; ///< the function behind sys.setprofile
    const PythonLayout *layout = nullptr;
    PythonTypes types{};
    std::vector<std::string> prefixes; ///< of files, left out of names; a longer one is before its own beginning
};

/// A time in which calls are recorded. Calls that are open at its start begin there, and those at its end end there.
struct CallPeriod {
    uint32_t number;
    int64_t start;
};

/// From now on all threads write all names again, with new ids. Any thread may call it.
void forgetCallNames();

/// The open Python calls of one thread, and the names that it has written. Used by the thread alone, while it holds the
/// GIL.
class CallLog {
public:
    /// The events of a profile function (PyTrace_…).
    enum What : int { kCall = 0, kReturn = 3, kCCall = 4, kCException = 5, kCReturn = 6 };

    bool allocate() { return m_codes.allocate(); } ///< false if there is no memory
    void event(const CallInterpreter &python, ThreadLog &to, const CallPeriod &period, void *frame, int what,
               void *argument);
    /// The thread gets the profile function in the middle of a period.
    void join(int64_t time) { m_joined = time; }
    /// Another profile function comes into the place of ours: ends all calls and says so in the log.
    void leave(ThreadLog &to);

private:
    static constexpr uint32_t kMost = 4096; ///< the most open calls; deeper ones are not recorded
    static constexpr uint32_t kUnwritten = UINT32_MAX;
    // An open call is the address of its frame, for a function of C that of the caller, with these bits.
    static constexpr uint64_t kOfC = 1, kWritten = 2, kHidden = 4, kBits = 7;

    void begin(const CallInterpreter &python, ThreadLog &to, const CallPeriod &period, void *frame, int what,
               void *argument);
    void push(ThreadLog &to, uint64_t call, uint32_t id, int64_t time);
    void pop(ThreadLog &to, uint64_t call);
    uint32_t idOfCode(const CallInterpreter &python, ThreadLog &to, void *frame);
    uint32_t idOfFunction(const CallInterpreter &python, ThreadLog &to, void *function);
    static uint32_t define(ThreadLog &to, std::string_view name);

    PythonCodes m_codes; ///< by code object, or by PyMethodDef
    uint32_t m_epoch = 0, m_period = 0;
    uint32_t m_depth = 0;  ///< entries of m_open
    uint32_t m_beyond = 0; ///< open calls that are deeper
    int64_t m_joined = 0;
    bool m_isLeft = false; ///< another profile function was there
    std::array<uint64_t, kMost> m_open;
    char m_file[4096], m_name[1024], m_text[4096 + 1024 + 32];
};

} // namespace riffle::collector
