#!/bin/sh
# The guard for runs without a sandbox. ralph turns it on for the runs that it starts.
[ "${RALPH_GUARD:-}" = on ] || exit 0
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/pre-tool-use.cjs"
