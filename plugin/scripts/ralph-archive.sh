#!/bin/sh
# Files a finished loop away: `ralph stories archive` with the same arguments; --help tells which.
# Called by its bare name (`sh ralph.sh`) it has no folder in its name.
case $0 in */*) self=$0 ;; *) self=./$0 ;; esac
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
. "${self%/*}/stories.sh"
stories archive "$@"
