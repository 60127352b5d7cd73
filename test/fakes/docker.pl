#!/usr/bin/env perl
# `docker sandbox …` as a thin client: the machines live in the engine, and go on when a client is killed. In Perl, because
# a loop asks often, and Node takes ten times as long to start.
use strict;
use warnings;
use Socket;
use IO::Handle;

my $is_fed = grep { ($ARGV[$_] // '') eq '-i' } 0 .. 3;
binmode $_ for *STDIN, *STDOUT, *STDERR;
my $stdin = $is_fed ? do { local $/; <STDIN> } // '' : '';
socket(my $engine, PF_UNIX, SOCK_STREAM, 0) or die "no socket: $!";
if (!connect($engine, pack_sockaddr_un($ENV{DOCKER_ENGINE}))) {
  print STDERR "Cannot connect to the Docker daemon. Is the docker daemon running?\n";
  exit 1;
}
binmode $engine;
STDOUT->autoflush(1);

# A line with the length of each part, then the parts: the words of the command line, and stdin.
print {$engine} join(' ', map { length } @ARGV, $stdin), "\n", @ARGV, $stdin;
$engine->flush;
my $exit = 1;
# What comes is `out`, `err` or `exit`, a number, and so many bytes of what the machine printed; or the exit code.
while (defined(my $line = <$engine>)) {
  my ($kind, $number) = split ' ', $line;
  if ($kind eq 'exit') {
    $exit = $number;
    next;
  }
  read($engine, my $text, $number);
  print { $kind eq 'out' ? *STDOUT : *STDERR } $text;
}
exit $exit;
