/** The usage windows that each agent last reported in any loop here: one small file per agent, never the truth. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { QuotaNews, QuotaWindow } from '../core/budget/quota.ts';
import { RalphError } from '../core/error.ts';
import { systemFault } from '../core/system-fault.ts';
import { isFields, parsedJson } from '../core/text/json.ts';
import { ifThere, readPlainText } from '../process/files.ts';
import { makePrivateFolder } from './folders.ts';
import type { StateRoot } from './paths.ts';
import { writeProjection } from './projection.ts';

export interface QuotaSample extends QuotaNews {
  /** A scripted model reported it, not the agent's own service. */
  readonly isRehearsal?: true;
}

const quotaFolder = (root: StateRoot): string => join(root.path, 'quota');
const rehearsalFolder = (root: StateRoot): string => join(quotaFolder(root), 'rehearsal');

/** Names that can be a file's name as well. */
const NAME = /^[\w-][\w.-]{0,63}$/;

export function writeQuota(root: StateRoot, { agent, at, windows, isRehearsal }: QuotaSample): void {
  if (!NAME.test(agent)) return;
  const folder = isRehearsal === true ? rehearsalFolder(root) : quotaFolder(root);
  try {
    makePrivateFolder(folder);
    writeProjection(join(folder, `${agent}.json`), `${JSON.stringify({ at, windows })}\n`);
  } catch (error) {
    // The file is never the truth, and the next run writes it again.
    if (systemFault(error) === null && !(error instanceof RalphError)) throw error;
  }
}

/** Sorted by agent, rehearsals last. Damaged files are left out. */
export function readQuotas(root: StateRoot): QuotaSample[] {
  const rehearsed = samplesIn(rehearsalFolder(root)).map((sample) => ({ ...sample, isRehearsal: true as const }));
  return [...samplesIn(quotaFolder(root)), ...rehearsed];
}

function samplesIn(folder: string): QuotaSample[] {
  const files = ifThere(() => readdirSync(folder)) ?? [];
  return files.sort().flatMap((file) => {
    if (!file.endsWith('.json')) return [];
    const told = ifThere(() => parsedJson(readPlainText(join(folder, file))));
    if (!isFields(told) || !isNumber(told.at) || !Array.isArray(told.windows)) return [];
    const windows = told.windows.filter(isWindow);
    return [{ agent: file.slice(0, -'.json'.length), at: told.at, windows }];
  });
}

function isWindow(value: unknown): value is QuotaWindow {
  return (
    isFields(value) &&
    typeof value.name === 'string' &&
    isNumber(value.used) &&
    (value.resetsAt === null || isNumber(value.resetsAt))
  );
}

/** In the range of a date. */
const isNumber = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= 8.64e15;
