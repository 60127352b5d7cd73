#!/bin/sh
# The Stop hook of a stories loop and of a loop inside a session. Without either, it ends here and node is not started.
project=${CLAUDE_PROJECT_DIR:-$PWD}
case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME ;; *) state=${HOME:-}/.local/state ;; esac
[ -e "$state/ralph/sessions/${CLAUDE_CODE_SESSION_ID:-none}" ] && loop=yes || loop=
[ -e "$project/.ralph-active" ] && stories=yes || stories=
[ "$loop$stories" ] || exit 0
# The messages of the loop name its commands with the prefix of the plugin.
export RALPH_FRONT=plugin
. "${0%/*}/start-node.sh"
[ "$stories" ] || exec "$node" "${0%/*}/built/session-loop.cjs" claude
# Check 3 needs the output of git. It is collected here so that the hook itself starts no programs; the first part is enough.
RALPH_GIT_STATUS=$(git -C "$project" --no-optional-locks status --porcelain 2>/dev/null </dev/null | head -c 4096)
export RALPH_GIT_STATUS
# With both, the stories decide first: a stop that they refuse does not count in the session's loop.
[ "$loop" ] && exec "$node" "${0%/*}/built/session-loop.cjs" claude "${0%/*}/built/stories-stop.cjs" "$project"
exec "$node" "${0%/*}/built/stories-stop.cjs" "$project"
