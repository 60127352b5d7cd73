/**
 * Reads from Codex's own record of a session how much of its usage windows is used, which `codex exec --json` does not
 * print. Only the record of this run is read, and no secrets in that folder.
 */
import { fstatSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { QuotaWindow } from '../../core/budget/quota.ts';
import { parsedJson } from '../../core/text/json.ts';
import { closing, ifThere, openPlain } from '../../process/files.ts';
import type { AgentPlace } from '../profile.ts';
import { type JsonObject, numberFrom, objectFrom } from '../reading/json-line.ts';

/** Codex writes the windows after every answer, so the end of the file is enough. */
const TAIL_BYTES = 256 * 1024;

export function codexWindows(session: string, { env }: Pick<AgentPlace, 'env'>): readonly QuotaWindow[] {
  const home = env.CODEX_HOME || (env.HOME === undefined ? '' : join(env.HOME, '.codex'));
  const file = home === '' ? null : recordOf(join(home, 'sessions'), session);
  if (file === null) return [];
  const lines = tailOf(file).split('\n').toReversed();
  for (const line of lines.filter((text) => text.includes('"rate_limits"'))) {
    const windows = windowsIn(objectFrom(objectFrom(objectFrom(parsedJson(line)).payload).rate_limits));
    if (windows.length > 0) return windows;
  }
  return [];
}

/** `sessions/2026/11/18/rollout-…-<session>.jsonl`; a session that began before midnight is in the previous folder. */
function recordOf(sessions: string, session: string): string | null {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(session)) return null;
  const newest = (folder: string): string[] => {
    const names = ifThere(() => readdirSync(folder)) ?? [];
    return names
      .filter((name) => /^\d+$/.test(name))
      .sort()
      .slice(-2)
      .toReversed()
      .map((name) => join(folder, name));
  };
  const days = newest(sessions).flatMap(newest).flatMap(newest);
  for (const day of days) {
    const name = readdirSync(day).find((file) => file.endsWith(`-${session}.jsonl`));
    if (name !== undefined) return join(day, name);
  }
  return null;
}

function tailOf(file: string): string {
  return closing(openPlain(file), (fd) => {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  });
}

/** Claude Code's names for the same windows. */
const NAMES: Readonly<Record<number, string>> = { 300: 'five_hour', 10080: 'seven_day' };

function windowsIn({ primary, secondary }: JsonObject): QuotaWindow[] {
  return [objectFrom(primary), objectFrom(secondary)].flatMap((window) => {
    const [percent, minutes] = [numberFrom(window.used_percent), numberFrom(window.window_minutes)];
    const seconds = numberFrom(window.resets_at);
    if (percent === undefined || percent < 0 || minutes === undefined) return [];
    const name = NAMES[minutes] ?? `${minutes}_minutes`;
    return [{ name, used: percent / 100, resetsAt: seconds === undefined ? null : seconds * 1000 }];
  });
}
