#!/bin/sh
# A guardrail for the fleet's test; it logs with which key and attempt it was started.
echo "check $RALPH_KEY $RALPH_ATTEMPT" >>"$ORACLE"
grep -q whole work.txt || { echo "not whole yet"; exit 1; }
