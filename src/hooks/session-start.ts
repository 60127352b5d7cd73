/** The plugin's SessionStart hook: decides which copy of the plugin acts in this session, and resets its alerts. */
import { realpathSync, statSync } from 'node:fs';
import { alertFile, forgetAlerts, nextAt, remember, windowFrom } from './io/context-alerts.ts';
import { readInput, runHook } from './io/hook.ts';
import { forgetBlocks, sessionFile, writeOwn } from './io/session-file.ts';

runHook('the SessionStart hook failed', () => {
  const { session_id: session, transcript_path: transcript, source } = readInput();
  const alerts = alertFile(session);
  // A compaction does not begin a new session.
  if (alerts === null || source === 'compact') return;
  const acting = sessionFile('ralph-acting', session);
  if (acting !== null) writeOwn(acting, `${realpathSync.native(process.argv[2] ?? '.')}\n`);
  forgetAlerts(alerts);
  forgetBlocks(session);
  if (typeof transcript !== 'string') return;
  const bytes = statSync(transcript, { throwIfNoEntry: false })?.size ?? 0;
  // A resumed long session has already crossed thresholds: without this file, the monitor checks at its first call.
  const window = windowFrom(process.env.CLAUDE_CONTEXT_WINDOW);
  const isNew = nextAt(bytes, window) === nextAt(0, window);
  if (isNew) remember(alerts, transcript, nextAt(0, window));
});
