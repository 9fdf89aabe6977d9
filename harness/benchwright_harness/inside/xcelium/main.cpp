// Runs a simulation as Xcelium does: an error is counted and the simulation goes on; the exit status tells
// whether there was one. Verilator's own main ends at the first error and says nothing about `$finish`.

#include "verilated.h"
#include "verilated_cov.h"
#include "Vtop.h"

#include <climits>
#include <cstdio>
#include <memory>
#include <unistd.h>

int main(int argc, char** argv) {
    const std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    context->threads(1);
    context->commandArgs(argc, argv);
    context->fatalOnError(false);
    context->errorLimit(INT_MAX);
#if VM_COVERAGE
    context->coveragep()->forcePerInstance(true);
#endif
    const std::unique_ptr<Vtop> top{new Vtop{context.get(), ""}};
    while (!context->gotFinish()) {
        top->eval();
        if (!top->eventsPending()) break;
        context->time(top->nextTimeSlot());
    }
    top->final();
    // What the design has written goes out first, and nothing of it after the coverage.
    std::fflush(nullptr);
#if VM_COVERAGE
    context->coveragep()->write();
#endif
    _exit(context->errorCount() || context->gotError() ? 1 : 0);
}
