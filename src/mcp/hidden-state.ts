/** Detects that a sandbox hides the loops behind an empty temporary folder, in which no record of a call would last. */
import { existsSync, readFileSync } from 'node:fs';
import { RalphError } from '../core/error.ts';
import type { LoopAround } from '../engine/own-loop.ts';
import { nullOn, realPathSoFar } from '../process/files.ts';
import { loopFolder, type StateRoot } from '../state/paths.ts';

const HINT = 'In a sandbox, ralph mcp shows no loops: start it outside of the sandbox.';

/** Null if the state folder is not hidden. `around`: according to the processes, not to the state folder. */
export function hiddenState(root: StateRoot, around: LoopAround): RalphError | null {
  const isElsewhere = around.is === 'loop' && !existsSync(loopFolder(root, around.id));
  const why = isElsewhere
    ? `the loop ${around.id} is not in the state folder ${root.path}`
    : isTemporary(root)
      ? `the state folder ${root.path} is a temporary file system`
      : null;
  return why === null ? null : new RalphError('STATE_HIDDEN', why, { hint: HINT });
}

/** Whether a temporary file system is mounted there. Only Linux has the file that says so. */
function isTemporary({ path }: StateRoot): boolean {
  const mounts = nullOn(['ENOENT', 'EACCES'], () => readFileSync('/proc/self/mountinfo', 'utf8')) ?? '';
  // "36 25 0:30 / /home/me/.local/state/ralph rw - tmpfs tmpfs rw": spaces in names are written as \040.
  const name = realPathSoFar(path).replaceAll(
    /[\\ \t\n]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return mounts.split('\n').some((line) => line.split(' ')[4] === name && line.includes(' - tmpfs '));
}
