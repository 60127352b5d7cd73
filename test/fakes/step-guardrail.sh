#!/bin/sh
# A guardrail that takes a moment and passes from step $1 on; it logs the key of each start.
echo "check $RALPH_KEY $RALPH_ATTEMPT" >>"$ORACLE"
sleep 0.03
[ "$(grep -c step steps)" -ge "$1" ]
