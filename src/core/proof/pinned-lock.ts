/** What of a package-lock.json is about checks: that the packages of the start are the same ones, a test runner among them. Pure. */
import { type Fields, isFields, parsedJson } from '../text/json.ts';

/** The lock of the start, where a package of it has another content under the same version, or is a folder now. */
export function withLockPart(now: string, before: string | null): string {
  if (before === null) return now;
  const [packages, were] = [packagesOf(now), packagesOf(before)];
  return Object.entries(were).some(([path, one]) => isSwapped(one, packages[path])) ? before : now;
}

function isSwapped(before: unknown, now: unknown): boolean {
  if (!isFields(before) || !isFields(now)) return false;
  if (now.link === true && before.link !== true) return true;
  const isSame = now.version === before.version && before.integrity !== undefined;
  return isSame && now.integrity !== before.integrity;
}

function packagesOf(text: string): Fields {
  const lock = parsedJson(text);
  return isFields(lock) && isFields(lock.packages) ? lock.packages : {};
}
