#!/bin/sh
# Removes the files in which the hooks keep what they know about this session.
case ${CLAUDE_CODE_SESSION_ID:-} in '' | *[!A-Za-z0-9_-]*) exit 0 ;; esac
tmp=${CLAUDE_CODE_TMPDIR:-/tmp}
state=$tmp/claude-context-alerts-$CLAUDE_CODE_SESSION_ID
exec rm -f "$state" "$state.50" "$state.60" "$state.70" "$state.80" "$state.90" \
  "$tmp/ralph-stop-blocks-$CLAUDE_CODE_SESSION_ID" "$tmp/ralph-no-node-$CLAUDE_CODE_SESSION_ID" \
  "$tmp/ralph-acting-$CLAUDE_CODE_SESSION_ID" "$tmp/ralph-stop-told-$CLAUDE_CODE_SESSION_ID".*
