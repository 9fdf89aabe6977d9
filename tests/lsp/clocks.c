/* Preloaded into a server: its clocks run ahead by what a file says, so that a test need not wait for hours. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/* Seconds: of all clocks, and of the wall clock beyond that. */
static volatile const int64_t *ahead;

__attribute__((constructor)) static void find(void) {
  int file = open(getenv("CLOCKS_AHEAD"), O_RDONLY);
  void *shared = file < 0 ? MAP_FAILED : mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) ahead = shared;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int status = real(clock, now);
  if (status == 0 && ahead) {
    if (clock == CLOCK_REALTIME) now->tv_sec += ahead[0] + ahead[1];
    if (clock == CLOCK_MONOTONIC) now->tv_sec += ahead[0];
  }
  return status;
}
