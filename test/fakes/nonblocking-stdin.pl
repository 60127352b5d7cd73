#!/usr/bin/perl
# Runs a program with a stdin that answers "try again" instead of waiting, as some parents hand it down.
use strict;
use warnings;
use Fcntl;
fcntl(STDIN, F_SETFL, fcntl(STDIN, F_GETFL, 0) | O_NONBLOCK) or die "fcntl: $!";
exec @ARGV or die "exec: $!";
