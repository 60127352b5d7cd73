/** The part of lock files that is about checks: packages, also test runners, must come from the usual places. Pure. */
import { type Fields, isFields, parsedJson } from '../../text/json.ts';
import { isOthers, NO_PACKAGES, type PackagesOfStart } from './pinned-json.ts';

/** npm: the lock of the start, if a package has other content under its version, or comes from the project itself. */
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

/** The names of the packages that it installs. */
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

/** Does it bring a program of another package, or of the system? npm links what the lock says, not the package. */
function bringsPrograms(
  path: string,
  now: unknown,
  owners: ReadonlyMap<string, string>,
  start: PackagesOfStart,
): boolean {
  // A folder of the project has its own package.json, which is checked; only its parent finds a nested package's
  // programs.
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

/** Is it an archive in the project, or from another host or another package? */
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

/** The usual registries. A project that uses others says so in its settings, which are pinned. */
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

/** Other package managers: the lock of the start, if a new line names an archive or a repository on this machine. */
export function withLockLines(now: string, before: string | null): string {
  const known = new Set((before ?? '').split('\n').map((line) => line.trim()));
  const isBad = now.split('\n').some((line) => LOCAL.test(line) && !known.has(line.trim()));
  return isBad ? (before ?? '') : now;
}

const LOCAL =
  /\bfile:[^"'\s]*\.(?:tgz|tar|tar\.gz|whl|zip)\b|\bgit\+file:|https?:\/\/(?:localhost|127\.)|\b(?:path|url) = "(?!https?:)[^"]*\.(?:whl|tar\.gz|zip)"/;

/** pip's requirements: lines with local paths, or with another package index, are reset to those of the start. */
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
