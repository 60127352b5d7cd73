#!/usr/bin/env bash
# The minimum for a shell loop: the agent, through tee, into a log. Usage: floor-tee.sh <iterations> <folder>
for ((i = 1; i <= $1; i++)); do
  claude -p --output-format stream-json --verbose x | tee "$2/$i.log"
done
