/** What each agent told last about its usage windows, in any loop on this machine: one small file per agent, never the truth. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { QuotaWindow } from '../core/budget/quota.ts';
import { RalphError } from '../core/error.ts';
import { systemFault } from '../core/system-fault.ts';
import { isFields, parsedJson } from '../core/text/json.ts';
import type { Instant } from '../core/time.ts';
import { ifThere, readPlainText } from '../process/files.ts';
import { makePrivateFolder } from './folders.ts';
import type { StateRoot } from './paths.ts';
import { writeProjection } from './projection.ts';

export interface QuotaSample {
  /** The name of its program. */
  readonly agent: string;
  readonly at: Instant;
  readonly windows: readonly QuotaWindow[];
}

const quotaFolder = (root: StateRoot): string => join(root.path, 'quota');

/** A name that is a file's, too. */
const NAME = /^[\w-][\w.-]{0,63}$/;

export function writeQuota(root: StateRoot, { agent, at, windows }: QuotaSample): void {
  if (!NAME.test(agent)) return;
  try {
    makePrivateFolder(quotaFolder(root));
    writeProjection(join(quotaFolder(root), `${agent}.json`), `${JSON.stringify({ at, windows })}\n`);
  } catch (error) {
    // It is for people, and the next run writes it again.
    if (systemFault(error) === null && !(error instanceof RalphError)) throw error;
  }
}

/** By the names of the agents. A file that is damaged is left out. */
export function readQuotas(root: StateRoot): QuotaSample[] {
  const files = ifThere(() => readdirSync(quotaFolder(root))) ?? [];
  return files.sort().flatMap((file) => {
    if (!file.endsWith('.json')) return [];
    const told = ifThere(() => parsedJson(readPlainText(join(quotaFolder(root), file))));
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

/** As large as a time can be. */
const isNumber = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= 8.64e15;
