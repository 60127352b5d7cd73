#!/bin/sh
# The loop inside a session: session-loop.sh <event> [plugin]. `command`: one of its commands was typed. For anything else
# there is something to do only in a session that is in a loop: then a file with its name lies among the sessions, in the
# folder that src/state/paths.ts knows, and says which loop it is.
if [ "${1:-}" != command ]; then
  case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME ;; *) state=${HOME:-}/.local/state ;; esac
  session=$state/ralph/sessions/${CLAUDE_CODE_SESSION_ID:-none}
  [ -e "$session" ] || exit 0
  # A tool was run. A mark for it is evidence of work where Claude Code keeps no transcript, and needs no node. Two copies of
  # this hook may be called for one tool: each has a file of its own.
  if [ "${1:-}" = tool ]; then
    umask 077
    read -r loop <"$session" || exit 0
    case $loop in */*) exit 0 ;; esac
    printf . 2>/dev/null >>"$state/ralph/loops/$loop/tools-run-${2:-installed}" || :
    exit 0
  fi
fi
# Which of the two ways in it is: the commands have other names in a plugin. (Either way a loop must not begin that this
# script would not find again.)
[ "${2:-}" = plugin ] && RALPH_FRONT=plugin || RALPH_FRONT=installed
export RALPH_FRONT
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/session-loop.cjs" claude
