#!/bin/sh
# An agent for the fleet's test; it logs the key of each start and each end. Iteration 1 does half the work, 2 fixes
# what the guardrail reported (the first try runs until it is ended, the next for a second), 3 fails, 4 finishes.
echo "start $RALPH_KEY" >>"$ORACLE"
iteration=${RALPH_KEY%%/*}
case "$RALPH_KEY" in
*/message/*)
  echo "Commit of iteration $iteration"
  ;;
1/*)
  echo half >work.txt
  ;;
2/*)
  case "$1" in *"not whole yet"*) ;; *) exit 9 ;; esac
  echo torn >work.txt
  [ "$RALPH_KEY" = 2/work/1 ] && sleep 60
  sleep 1
  echo whole >work.txt
  ;;
3/*)
  exit 7
  ;;
4/*)
  echo done >>work.txt
  echo "<response>DONE</response>"
  ;;
esac
echo "end $RALPH_KEY" >>"$ORACLE"
