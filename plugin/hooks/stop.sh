#!/bin/sh
# The Stop hook of a stories loop, and of a loop inside a session. Without either it ends here, and node is not started.
project=${CLAUDE_PROJECT_DIR:-$PWD}
case ${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME ;; *) state=${HOME:-}/.local/state ;; esac
[ -e "$state/ralph/sessions/${CLAUDE_CODE_SESSION_ID:-none}" ] && loop=yes || loop=
[ -e "$project/.ralph-active" ] && stories=yes || stories=
[ "$loop$stories" ] || exit 0
# The loop's notices name its commands as the plugin's.
export RALPH_FRONT=plugin
. "${0%/*}/start-node.sh"
[ "$stories" ] || exec "$node" "${0%/*}/built/session-loop.cjs" claude
# Check 3 needs git; asked from here, the hook itself starts no program. The start of a long answer is enough.
RALPH_GIT_STATUS=$(git -C "$project" --no-optional-locks status --porcelain 2>/dev/null </dev/null | head -c 4096)
export RALPH_GIT_STATUS
# Both: what the stories do not let stop is no stop, and does not count in the session's loop either.
[ "$loop" ] && exec "$node" "${0%/*}/built/session-loop.cjs" claude "${0%/*}/built/stories-stop.cjs" "$project"
exec "$node" "${0%/*}/built/stories-stop.cjs" "$project"
