/**
 * Claude Code's PostToolUse hook: tells the agent, once per threshold, how full its context is. The `sh` in front of it
 * starts it only when the transcript has grown to the next threshold, or when nobody knows yet where that is.
 */
import { statSync, writeSync } from 'node:fs';
import { alertOf, crossedBy, nextAt, windowFrom } from './context/alerts.ts';
import { alertState, fire, remember } from './context/state.ts';
import { readInput } from './io/input.ts';

function monitor(): void {
  const { session_id: session, transcript_path: transcript } = readInput();
  const state = alertState(session);
  if (state === null || typeof transcript !== 'string') return;
  const bytes = statSync(transcript, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return;
  const window = windowFrom(process.env.CLAUDE_CONTEXT_WINDOW);
  const fired = fire(state, crossedBy(bytes, window));
  remember(state, transcript, nextAt(bytes, window));
  if (fired === null) return;
  const hookSpecificOutput = { hookEventName: 'PostToolUse', additionalContext: alertOf(fired, bytes, window) };
  writeSync(1, `${JSON.stringify({ hookSpecificOutput })}\n`);
}

try {
  monitor();
} catch (error) {
  // An alert is a courtesy: whatever is wrong with it must not disturb the work.
  writeSync(2, `ralph: the context monitor failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
