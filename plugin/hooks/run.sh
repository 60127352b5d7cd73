#!/bin/sh
# Runs a hook that needs nothing but node: run.sh <name> starts built/<name>.cjs, and tells it where the plugin is.
. "${0%/*}/start-node.sh"
exec "$node" "${0%/*}/built/$1.cjs" "${0%/*}/.."
