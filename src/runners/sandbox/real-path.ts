/** Where a path leads, whether or not there is something at its end. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../core/error.ts';

/** The links of as much of it as is there are followed. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) throw error;
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
