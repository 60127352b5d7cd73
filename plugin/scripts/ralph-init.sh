#!/bin/sh
# Prepares a project for a loop: `ralph stories init` with the same arguments; --help tells which.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
. "${self%/*}/stories.sh"
stories init "$@"
