/** Check 3 of a stories loop: what `git status --porcelain` tells must be committed before the agent stops. */
import { MARKER_NAME } from './active-marker.ts';

const MOST_SHOWN = 10;

/** Nothing said by git is nothing to commit: outside of a repository no agent is held. */
export function uncommitted(status: string, ralphDir: string): string[] {
  // The marker is ours and comes and goes.
  const lines = status.split('\n').filter((line) => line !== '' && !isMarker(line));
  if (lines.length === 0) return [];
  const rest = lines.length > MOST_SHOWN ? ['…'] : [];
  return [
    [
      'You have uncommitted changes. Before stopping, you must:',
      `1. Update ${ralphDir}/progress.txt with what was accomplished and what was learned`,
      '2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/',
      '3. Commit ALL changes including progress.txt and tasks.json updates',
      'Uncommitted:',
      ...lines.slice(0, MOST_SHOWN),
      ...rest,
    ].join('\n'),
  ];
}

function isMarker(line: string): boolean {
  // Two letters, a blank, and the path from the repository's root.
  return line === `?? ${MARKER_NAME}` || line.endsWith(`/${MARKER_NAME}`);
}
