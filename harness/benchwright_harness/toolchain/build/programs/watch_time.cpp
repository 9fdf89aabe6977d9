/* The simulated time of a simulation of Verilator's, for watch.c. */
#include <verilated.h>

extern "C" uint64_t benchwright_time() {
    return Verilated::threadContextp()->time();
}
