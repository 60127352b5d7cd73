/** A disk that is full or may not be written is nothing that we did wrong: it is told with its place. */
import { errnoOf, RalphError } from '../../core/error.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'the quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EIO: 'the disk does not answer',
};

/** The error itself where it is none of these. Not every one of them names its path: then it is the folder's. */
export function diskFault(error: unknown, folder: string): unknown {
  const reason = REASONS[errnoOf(error) ?? ''];
  if (reason === undefined || error instanceof RalphError) return error;
  const path = error instanceof Error && 'path' in error ? String(error.path) : folder;
  return new RalphError('TASK_FOLDER', `cannot write ${path}: ${reason}`, {
    hint: 'Make room, or give yourself the right to write there; then go on with: ralph task resume',
    exitCode: 2,
  });
}
