/**
 * Claude Code's SessionStart hook: says which copy of the plugin acts in this session, and arms its context alerts, and no
 * other session's. A compaction is no new session: the transcript keeps its size, and what was said about it holds.
 */
import { realpathSync, statSync, writeSync } from 'node:fs';
import { nextAt, windowFrom } from './context/alerts.ts';
import { alertState, forgetAlerts, remember } from './context/state.ts';
import { readInput } from './io/input.ts';
import { sessionFile, writeOwn } from './io/session-file.ts';
import { forgetBlocks } from './stories/block-count.ts';

function start(plugin: string): void {
  const { session_id: session, transcript_path: transcript, source } = readInput();
  const state = alertState(session);
  if (state === null || source === 'compact') return;
  const acting = sessionFile('ralph-acting', session);
  if (acting !== null) writeOwn(acting, `${realpathSync(plugin)}\n`);
  forgetAlerts(state);
  forgetBlocks(session);
  if (typeof transcript !== 'string') return;
  const bytes = statSync(transcript, { throwIfNoEntry: false })?.size ?? 0;
  // A long session that is taken up again has crossed thresholds: the monitor is to look at its first call.
  const window = windowFrom(process.env.CLAUDE_CONTEXT_WINDOW);
  const isNew = nextAt(bytes, window) === nextAt(0, window);
  if (isNew) remember(state, transcript, nextAt(0, window));
}

try {
  start(process.argv[2] ?? '.');
} catch (error) {
  writeSync(2, `ralph: the SessionStart hook failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
