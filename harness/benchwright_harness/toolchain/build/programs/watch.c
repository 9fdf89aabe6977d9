/* Ends a simulation whose simulated time stands still, by the signal SIGXCPU.

   A module for Icarus; with -DVERILATOR a part of simulations of Verilator's. One of those that a harness starts by itself
   also goes where other simulations run: behind inside/guard/confine. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef VERILATOR
uint64_t benchwright_time(void);
#else
#include <vpi_user.h>
static uint64_t benchwright_time(void) {
    s_vpi_time now = {.type = vpiSimTime};
    vpi_get_time(NULL, &now);
    return (uint64_t)now.high << 32 | now.low;
}
#endif

static uint64_t last = UINT64_MAX;

/* Called each time when half of the limit was spent. Time of the kernel's for this process does not count. */
static void look(int number) {
    uint64_t now = benchwright_time();
    if (now == last) {
        signal(SIGXCPU, SIG_DFL);
        raise(SIGXCPU);
    }
    last = now;
}

static void watch(void) {
    const char *limit = getenv("BENCHWRIGHT_STANDSTILL_S");
    double half_us = limit ? atof(limit) * 500000 : 0;
    if (half_us < 1)
        return;
    struct timeval each = {half_us / 1000000, (uint64_t)half_us % 1000000};
    struct itimerval timer = {each, each};
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

#ifdef VERILATOR

/* There if the simulation has a channel (channel.c), or cocotb: these lock the door themselves. */
extern const char benchwright_channel __attribute__((weak));
extern void vlog_startup_routines_bootstrap(void) __attribute__((weak));
static const char confine[] = "/opt/benchwright/inside/guard/confine";

__attribute__((constructor)) static void start(int count, char **words) {
    int alone = !&benchwright_channel && !vlog_startup_routines_bootstrap;
    if (alone && getenv("BENCHWRIGHT_SUPERVISOR") && access(confine, X_OK) == 0) {
        static char path[4096];
        char **command = calloc(count + 3, sizeof *command);
        ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
        if (command && size > 0) {
            command[0] = (char *)confine;
            command[1] = "simulate";
            command[2] = path;
            memcpy(command + 3, words + 1, (count - 1) * sizeof *command);
            execv(confine, command);
        }
    }
    watch();
}

#else
void (*vlog_startup_routines[])(void) = {watch, NULL};
#endif
