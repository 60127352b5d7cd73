#!/bin/sh
# Sets up a project for a loop. Same arguments as `ralph stories init`; see --help.
# If it is called by its bare name (`sh ralph.sh`), $0 contains no folder.
case $0 in */*) self=$0 ;; *) self=./$0 ;; esac
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
. "${self%/*}/stories.sh"
stories init "$@"
