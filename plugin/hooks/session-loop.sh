#!/bin/sh
# The loop inside a session: session-loop.sh <event> [plugin]. The event `command` means that the user typed one of its commands.
# Other events matter only if the session has a loop. Then there is a file named after the session, in the folder that
# src/state/paths.ts defines, and it says which loop it is.
if [ "${1:-}" != command ]; then
  case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME ;; *) state=${HOME:-}/.local/state ;; esac
  session=$state/ralph/sessions/${CLAUDE_CODE_SESSION_ID:-none}
  [ -e "$session" ] || exit 0
  # The agent used a tool. If Claude Code keeps no transcript, this mark is the evidence of work; writing it needs no node. Two
  # copies of this hook may be called for one tool call, so each writes to a file of its own.
  if [ "${1:-}" = tool ]; then
    umask 077
    read -r loop <"$session" || exit 0
    case $loop in */*) exit 0 ;; esac
    printf . 2>/dev/null >>"$state/ralph/loops/$loop/tools-run-${2:-installed}" || :
    exit 0
  fi
fi
# Whether the hook belongs to the plugin or was installed without it: in a plugin, the commands have a prefix. (In either case,
# a loop must not start that this script would not find again.)
[ "${2:-}" = plugin ] && RALPH_FRONT=plugin || RALPH_FRONT=installed
export RALPH_FRONT
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/session-loop.cjs" claude
