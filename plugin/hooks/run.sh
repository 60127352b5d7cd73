#!/bin/sh
# Runs a hook that needs only node: run.sh <name> starts built/<name>.cjs with the path of the plugin.
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/$1.cjs" "${0%/*}/.."
