/** The plugin's PostToolUse hook: tells the agent how full its context is, once per threshold. */
import { statSync, writeSync } from 'node:fs';
import { alertFile, alertOf, crossedBy, fire, nextAt, remember, windowFrom } from './io/context-alerts.ts';
import { readInput, runHook } from './io/hook.ts';

runHook('the context monitor failed', () => {
  const { session_id: session, transcript_path: transcript } = readInput();
  const file = alertFile(session);
  if (file === null || typeof transcript !== 'string') return;
  const bytes = statSync(transcript, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return;
  const window = windowFrom(process.env.CLAUDE_CONTEXT_WINDOW);
  const fired = fire(file, crossedBy(bytes, window));
  remember(file, transcript, nextAt(bytes, window));
  if (fired === null) return;
  const hookSpecificOutput = { hookEventName: 'PostToolUse', additionalContext: alertOf(fired, bytes, window) };
  writeSync(1, `${JSON.stringify({ hookSpecificOutput })}\n`);
});
