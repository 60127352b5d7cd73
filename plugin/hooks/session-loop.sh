#!/bin/sh
# The loop inside a session. `command`: one of its commands was typed. Otherwise node is started only for a session that
# is in a loop: then a file with its name lies among the sessions, in the folder that src/state/paths.ts knows.
if [ "${1:-}" != command ]; then
  case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME ;; *) state=${HOME:-}/.local/state ;; esac
  [ -e "$state/ralph/sessions/${CLAUDE_CODE_SESSION_ID:-none}" ] || exit 0
fi
# A loop must not begin that these scripts would not find again.
export RALPH_FRONT=plugin
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/session-loop.cjs" claude
