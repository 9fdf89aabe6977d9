/* Tells the channel of a simulation of Verilator's that has ended because nothing was left to do. */
#include <verilated.h>

extern "C" void benchwright_end(int finished);

extern "C" void benchwright_final() {
    if (!Verilated::threadContextp()->gotFinish())
        benchwright_end(0);
}
