/** What of a lock file is about checks: that packages come from where packages come from, a test runner among them. Pure. */
import { type Fields, isFields, parsedJson } from '../../text/json.ts';
import { isOthers, NO_PACKAGES, type PackagesOfStart } from './pinned-json.ts';

/** Of npm: the lock of the start, where a package has another content under its version, or comes from the project itself. */
export function withLockPart(now: string, before: string | null, start: PackagesOfStart = NO_PACKAGES): string {
  const [packages, were] = [packagesOf(now), packagesOf(before ?? '')];
  const hosts = new Set([...USUAL_HOSTS, ...(start.hosts ?? []), ...Object.values(were).flatMap(hostOf)]);
  const owners = ownersIn(were);
  const isBad = Object.entries(packages).some(
    ([path, one]) =>
      isSwapped(were[path], one) || isForeign(path, one, were[path], hosts) || bringsPrograms(path, one, owners, start),
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
  if ((now.name ?? null) !== (before.name ?? null)) return true;
  const isSame = now.version === before.version && before.integrity !== undefined;
  return isSame && (now.integrity !== before.integrity || JSON.stringify(now.bin) !== JSON.stringify(before.bin));
}

/** Npm links what stands here, whatever the package itself says: here, a program of another package, or one of the system. */
function bringsPrograms(
  path: string,
  now: unknown,
  owners: ReadonlyMap<string, string>,
  start: PackagesOfStart,
): boolean {
  // A folder of the project has its own package.json, which is looked at; below another package, only that one finds it.
  if (path.split('node_modules/').length !== 2) return false;
  const own = nameIn(path) ?? '';
  const bare = own.replace(/^.*\//, '');
  return programsIn(now).some((program) => {
    const owner = owners.get(program);
    if (owner !== undefined) return owner !== own;
    return isOthers(program, NO_PACKAGES) || (isOthers(program, start) && program !== bare);
  });
}

/** Which package of the start brings a program. */
const ownersIn = (packages: Fields): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(packages).flatMap(([path, one]) =>
      programsIn(one).map((program) => [program, nameIn(path) ?? ''] as const),
    ),
  );

const programsIn = (entry: unknown): string[] => (isFields(entry) && isFields(entry.bin) ? Object.keys(entry.bin) : []);

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
