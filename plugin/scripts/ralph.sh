#!/bin/sh
# Runs the loop: `ralph stories run` with the same arguments; --help tells which.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
. "${self%/*}/stories.sh"
stories run "$@"
