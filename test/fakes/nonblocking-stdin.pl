#!/usr/bin/perl
# Runs a program with a non-blocking stdin, as some parents pass it on: a read fails with EAGAIN instead of waiting.
use strict;
use warnings;
use Fcntl;
fcntl(STDIN, F_SETFL, fcntl(STDIN, F_GETFL, 0) | O_NONBLOCK) or die "fcntl: $!";
exec @ARGV or die "exec: $!";
