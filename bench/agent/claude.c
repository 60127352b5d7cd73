/* The agent of the benchmarks: prints a prepared transcript as fast as the machine can, or line by line.
   TRANSCRIPT is a path; TIMES, if defined, gets a line "start end" in nanoseconds; LINE_MS, if defined, is the pause
   after each line. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static void print(const char *from, const char *end) {
  while (from < end) {
    ssize_t written = write(1, from, end - from);
    if (written < 0) _exit(1);
    from += written;
  }
}

int main(void) {
  long long start = now();
  struct stat file;
  int transcript = open(TRANSCRIPT, O_RDONLY);
  if (transcript < 0 || fstat(transcript, &file) < 0) return 1;
  const char *text = mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, transcript, 0);
  if (text == MAP_FAILED) return 1;
  const char *end = text + file.st_size;
#ifdef LINE_MS
  struct timespec pause = {LINE_MS / 1000, LINE_MS % 1000 * 1000000L};
  for (const char *line = text; line < end;) {
    const char *next = (const char *)memchr(line, '\n', end - line) + 1;
    print(line, next);
    nanosleep(&pause, NULL);
    line = next;
  }
#else
  print(text, end);
#endif
#ifdef TIMES
  char times[64];
  int log = open(TIMES, O_WRONLY | O_APPEND | O_CREAT, 0600);
  int length = snprintf(times, sizeof times, "%lld %lld\n", start, now());
  if (write(log, times, length) != length) return 1;
#endif
  (void)start;
  return 0;
}
