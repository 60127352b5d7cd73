/** What of a lock file is about checks: that packages come from where packages come from, a test runner among them. Pure. */
import { type Fields, isFields, parsedJson } from '../../text/json.ts';

/** Of npm: the lock of the start, where a package has another content under its version, or comes from the project itself. */
export function withLockPart(now: string, before: string | null): string {
  const [packages, were] = [packagesOf(now), packagesOf(before ?? '')];
  const hosts = new Set([...USUAL_HOSTS, ...Object.values(were).flatMap(hostOf)]);
  const isBad = Object.entries(packages).some(
    ([path, one]) => isSwapped(were[path], one) || isForeign(path, one, were[path], hosts),
  );
  return isBad ? (before ?? '') : now;
}

/** The packages that it has installed. */
export function lockedNames(text: string): string[] {
  return Object.keys(packagesOf(text)).flatMap((path) => nameIn(path) ?? []);
}

function isSwapped(before: unknown, now: unknown): boolean {
  if (!isFields(before) || !isFields(now)) return false;
  if (now.link === true && before.link !== true) return true;
  const isSame = now.version === before.version && before.integrity !== undefined;
  return isSame && now.integrity !== before.integrity;
}

/** An archive of the project, one of another place, or one of another package. */
function isForeign(path: string, now: unknown, before: unknown, hosts: ReadonlySet<string>): boolean {
  if (!isFields(now) || typeof now.resolved !== 'string' || now.link === true) return false;
  const { resolved, name = nameIn(path) } = now;
  if (isFields(before) && before.resolved === resolved) return false;
  if (resolved.startsWith('file:')) return true;
  const [host] = hostOf(now);
  if (host === undefined) return false;
  const isNamed = !resolved.includes('/-/') || decodeURIComponent(resolved).includes(`/${String(name)}/-/`);
  return !hosts.has(host) || !isNamed;
}

/** Where packages are, unless a project says otherwise, which is pinned. */
const USUAL_HOSTS = ['registry.npmjs.org', 'registry.yarnpkg.com', 'codeload.github.com', 'github.com'];

function hostOf(entry: unknown): string[] {
  const resolved = isFields(entry) && typeof entry.resolved === 'string' ? entry.resolved : '';
  const [, host] = /^https?:\/\/([^/]+)\//.exec(resolved) ?? [];
  return host === undefined ? [] : [host];
}

const nameIn = (path: string): string | undefined => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];

function packagesOf(text: string): Fields {
  const lock = parsedJson(text);
  return isFields(lock) && isFields(lock.packages) ? lock.packages : {};
}

/** Of other package managers: the lock of the start, where a line is new that names an archive, or a repository, on this machine. */
export function withLockLines(now: string, before: string | null): string {
  const known = new Set((before ?? '').split('\n').map((line) => line.trim()));
  const isBad = now.split('\n').some((line) => LOCAL.test(line) && !known.has(line.trim()));
  return isBad ? (before ?? '') : now;
}

const LOCAL =
  /\bfile:[^"'\s]*\.(?:tgz|tar|tar\.gz|whl|zip)\b|\bgit\+file:|https?:\/\/(?:localhost|127\.)|\b(?:path|url) = "(?!https?:)[^"]*\.(?:whl|tar\.gz|zip)"/;

/** Of pip's requirements: lines that name something on this machine, or another place for packages, are those of the start. */
export function withRequirements(now: string, before: string | null): string {
  const were = elsewhereIn(before ?? '');
  const lines = now.split('\n').filter((line) => !ELSEWHERE.test(line) || were.includes(line.trim()));
  const gone = were.filter((line) => !lines.some((one) => one.trim() === line));
  return [...gone, ...lines].join('\n');
}

export const requirementsPart = (text: string): string => elsewhereIn(text).toSorted().join('\n');

const elsewhereIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => ELSEWHERE.test(line))
    .map((line) => line.trim());

const ELSEWHERE =
  /^\s*(?:-e\s*|--editable[ =]\s*)?(?:\.{0,2}\/|\.$|file:)|@\s*(?:file:|git\+file:)|^\s*(?:--(?:index-url|extra-index-url|find-links|trusted-host|no-index|pre)|-i|-f)\b|\.(?:whl|tar\.gz|zip)\s*$/;
