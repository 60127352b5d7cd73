#!/bin/sh
# Runs after every tool call. The session's file has two lines: the size of the transcript at which the next alert is due, and
# the path of the transcript. While the transcript is smaller, there is nothing to do and node is not started.
state=${CLAUDE_CODE_TMPDIR:-/tmp}/claude-context-alerts-${CLAUDE_CODE_SESSION_ID:-}
case ${CLAUDE_CODE_SESSION_ID:-} in
'' | *[!A-Za-z0-9_-]*) ;;
*)
  if [ -f "$state" ] && [ -O "$state" ] && { read -r next && IFS= read -r transcript; } <"$state"; then
    [ "$next" = never ] && exit 0
    size=$(wc -c <"$transcript") 2>/dev/null || exit 0
    [ "$size" -lt "$next" ] && exit 0
  fi
  ;;
esac
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/context-monitor.cjs"
