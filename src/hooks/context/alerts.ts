/** What an agent is told when its context fills, estimated from the transcript's size alone. */

export const THRESHOLDS = [50, 60, 70, 80, 90] as const;
export type Threshold = (typeof THRESHOLDS)[number];

/** More lets the alerts come later, less earlier. */
const CHARACTERS_PER_TOKEN = 4;
const USUAL_WINDOW = 200_000;

/** `setting` is CLAUDE_CONTEXT_WINDOW, in tokens. */
export function windowFrom(setting: string | undefined): number {
  const tokens = Number(setting);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : USUAL_WINDOW;
}

/** Those that a transcript of so many bytes has crossed, the highest first. */
export function crossedBy(bytes: number, window: number): Threshold[] {
  return THRESHOLDS.filter((threshold) => bytes >= bytesOf(threshold, window)).toReversed();
}

/** The size at which the next alert is due, or null when the last one has been. */
export function nextAt(bytes: number, window: number): number | null {
  const next = THRESHOLDS.find((threshold) => bytes < bytesOf(threshold, window));
  return next === undefined ? null : bytesOf(next, window);
}

export function alertOf(threshold: Threshold, bytes: number, window: number): string {
  const percent = Math.min(100, Math.floor((bytes / CHARACTERS_PER_TOKEN / window) * 100));
  const { severity, advice } = saidAt(threshold);
  return `${severity}: Context window is at ~${percent}% usage (crossed ${threshold}% threshold). ${advice}`;
}

function bytesOf(threshold: Threshold, window: number): number {
  return Math.ceil((threshold * window * CHARACTERS_PER_TOKEN) / 100);
}

function saidAt(threshold: Threshold): { readonly severity: string; readonly advice: string } {
  switch (threshold) {
    case 50:
    case 60:
      return {
        severity: 'NOTICE',
        advice:
          'Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up.',
      };
    case 70:
    case 80:
      return {
        severity: 'WARNING',
        advice:
          'Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context.',
      };
    case 90:
      return {
        severity: 'CRITICAL',
        advice:
          'Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off.',
      };
  }
}
