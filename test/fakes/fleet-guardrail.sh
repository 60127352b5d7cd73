#!/bin/sh
# A guardrail for the fleet's test; it logs the key and the attempt of each start.
echo "check $RALPH_KEY $RALPH_ATTEMPT" >>"$ORACLE"
grep -q whole work.txt || { echo "not whole yet"; exit 1; }
