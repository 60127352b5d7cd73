#!/bin/sh
# Stands in for Claude Code where only its session's name matters: notes it, and ends.
while [ $# -gt 0 ]; do
  [ "$1" = --session-id ] && echo "$2" >"$SCENE/session"
  shift
done
