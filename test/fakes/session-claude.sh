#!/bin/sh
# A fake Claude Code where only the id of its session matters: records it and exits.
while [ $# -gt 0 ]; do
  [ "$1" = --session-id ] && echo "$2" >"$SCENE/session"
  shift
done
