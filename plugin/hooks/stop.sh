#!/bin/sh
# The Stop hook of a stories loop. Without one it ends at the first line, and node is not started.
project=${CLAUDE_PROJECT_DIR:-$PWD}
[ -e "$project/.ralph-active" ] || exit 0
. "${0%/*}/start-node.sh"
# Check 3 needs git; asked from here, the hook itself starts no program. The start of a long answer is enough.
RALPH_GIT_STATUS=$(git -C "$project" --no-optional-locks status --porcelain 2>/dev/null </dev/null | head -c 4096)
export RALPH_GIT_STATUS
exec "$node" "${0%/*}/built/stories-stop.cjs" "$project"
