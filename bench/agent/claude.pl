# The agent of the benchmarks for machines without a C compiler; see claude.c.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);

my $start = clock_gettime(CLOCK_MONOTONIC);
my ($transcript, $times, $line_ms) = (TRANSCRIPT, TIMES, LINE_MS);
open my $in, '<:raw', $transcript or die "$transcript: $!";
if ($line_ms) {
  while (my $line = <$in>) {
    syswrite STDOUT, $line;
    sleep $line_ms / 1000;
  }
} else {
  while (sysread $in, my $chunk, 1 << 20) {
    for (my $done = 0; $done < length $chunk;) {
      $done += syswrite(STDOUT, $chunk, length($chunk) - $done, $done) // exit 1;
    }
  }
}
if ($times) {
  open my $log, '>>', $times or die "$times: $!";
  syswrite $log, sprintf("%.0f %.0f\n", $start * 1e9, clock_gettime(CLOCK_MONOTONIC) * 1e9);
}
