/**
 * What the tests need from the machine, apart from Node. CI on Debian as root installs what is missing; elsewhere the
 * command that does so is printed, because a test run must not change your machine.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetupError } from './setup.mjs';

/** Where Debian installs PostgreSQL, outside of the PATH. */
const POSTGRES_HOME = '/usr/lib/postgresql';

/** `brew` is absent if macOS needs nothing. */
const NEEDS = {
  git: { isThere: () => isOnPath('git'), apt: 'git', brew: 'git' },
  tmux: { isThere: () => isOnPath('tmux'), apt: 'tmux', brew: 'tmux' },
  unshare: { isThere: () => process.platform !== 'linux' || isOnPath('unshare'), apt: 'util-linux' },
  bubblewrap: { isThere: () => process.platform !== 'linux' || isOnPath('bwrap'), apt: 'bubblewrap' },
  socat: { isThere: () => process.platform !== 'linux' || isOnPath('socat'), apt: 'socat' },
  ss: { isThere: () => process.platform !== 'linux' || isOnPath('ss'), apt: 'iproute2' },
  faketime: { isThere: () => process.platform !== 'linux' || isOnPath('faketime'), apt: 'faketime' },
  ripgrep: { isThere: () => isOnPath('rg'), apt: 'ripgrep', brew: 'ripgrep' },
  shellcheck: { isThere: () => isOnPath('shellcheck'), apt: 'shellcheck', brew: 'shellcheck' },
  busybox: { isThere: () => process.platform !== 'linux' || isOnPath('busybox'), apt: 'busybox-static' },
  go: { isThere: () => isOnPath('go'), apt: 'golang-go', brew: 'go' },
  pytest: { isThere: () => hasPytest(), apt: 'python3-pytest', brew: 'pytest' },
  cargo: { isThere: () => spawnSync('cargo', ['--version']).status === 0, apt: 'cargo', brew: 'rust' },
  make: { isThere: () => isOnPath('make'), apt: 'make', brew: 'make' },
  postgres: { isThere: () => isOnPath('initdb') || hasDebianPostgres(), apt: 'postgresql', brew: 'postgresql@17' },
};

/** Throws with the command to type if something is missing that must not be installed. */
export function ensureSystemPackages(names) {
  const missing = missingOf(names);
  if (missing.length === 0) return;
  if (process.env.CI === 'true' && isDebian() && process.getuid() === 0) {
    installWithApt(missing.map((name) => NEEDS[name].apt));
    const still = missingOf(names);
    if (still.length > 0) throw new SetupError(`still missing after apt-get install: ${still.join(', ')}`);
    return;
  }
  throw new SetupError(`The tests need ${missing.join(', ')}. Install with:\n\n  ${commandFor(missing)}\n`);
}

function missingOf(names) {
  return names.filter((name) => !NEEDS[name].isThere());
}

function installWithApt(packages) {
  console.log(`installing system packages: ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ]) {
    const { status } = spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new SetupError(`apt-get ${args.join(' ')} ended with exit code ${status}`);
  }
}

function commandFor(missing) {
  const apt = missing.map((name) => NEEDS[name].apt);
  if (process.platform === 'darwin') return `brew install ${missing.map((name) => NEEDS[name].brew).join(' ')}`;
  if (!isDebian()) return `(your system's package manager) install ${apt.join(' ')}`;
  const sudo = process.getuid() === 0 ? '' : 'sudo ';
  return `${sudo}apt-get install -y --no-install-recommends ${apt.join(' ')}`;
}

function isDebian() {
  return existsSync('/etc/debian_version');
}

function hasDebianPostgres() {
  if (!existsSync(POSTGRES_HOME)) return false;
  return readdirSync(POSTGRES_HOME).some((version) => isExecutable(join(POSTGRES_HOME, version, 'bin/initdb')));
}

/** The system's Python, which LoopBench uses: another Python does not see what Debian installs. */
function hasPytest() {
  return spawnSync('/usr/bin/python3', ['-c', 'import pytest'], { stdio: 'ignore' }).status === 0;
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Absent or not executable: either way it cannot be run.
    return false;
  }
}
