#!/usr/bin/env perl
# `docker sandbox …` as a thin client: the machines live in docker-engine.mjs, and keep running when a client is killed.
# It is in Perl because a loop calls it often, and Node takes ten times as long to start.
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

# The request: a line with the length of each part, then the parts: the words of the command line, and stdin.
print {$engine} join(' ', map { length } @ARGV, $stdin), "\n", @ARGV, $stdin;
$engine->flush;
my $exit = 1;
# The answer: `out` or `err`, a length, and that many bytes of output; at the end `exit` and the exit code.
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
