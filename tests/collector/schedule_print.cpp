// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Prints the result of the collector's schedule: for each line of settings on stdin, one line with one letter per step
// and the step at which recording ends.

#include "collector/src/schedule.h"

#include <cstdlib>
#include <iostream>
#include <string>

int main(int, char **argv)
{
    const int steps = std::atoi(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
        const auto schedule = riffle::collector::readSchedule(line);
        if (!schedule)
            return 1;
        for (int step = 0; step < steps; ++step)
            std::cout << ".wrS"[static_cast<int>(schedule->at(step))];
        std::cout << ' ' << schedule->end().value_or(-1) << '\n';
    }
}
