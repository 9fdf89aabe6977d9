// Beside cocotb's own main: counts errors instead of ending at the first, and makes the exit status tell of them.

#include "verilated.h"
#include "verilated_cov.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

VerilatedContext* context;

void judge() {
    // Nothing that the design has written goes out after the coverage.
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(context->errorCount() || context->gotError() ? 1 : 0);
}

const bool prepared = [] {
    context = Verilated::threadContextp();
    context->errorLimit(INT_MAX);
    context->fatalOnError(false);
#if VM_COVERAGE
    context->coveragep()->forcePerInstance(true);
#endif
    std::atexit(judge);
    return true;
}();

}  // namespace
