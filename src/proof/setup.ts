/** Detects from a project's files how to prepare a fresh clone: what its checks need is not in git. */
import type { ProjectFiles } from '../checks/detect.ts';
import { isFields, parsedJson } from '../core/text/json.ts';

/** Null if no setup is needed. */
export function detectSetup(project: ProjectFiles): string | null {
  for (const detect of DETECTORS) {
    const found = detect(project);
    if (found !== null) return found;
  }
  return null;
}

type Detector = (project: ProjectFiles) => string | null;

const DETECTORS: readonly Detector[] = [
  byFile('pnpm-lock.yaml', 'pnpm install --frozen-lockfile'),
  yarn,
  byFile('bun.lock', 'bun install --frozen-lockfile'),
  byFile('bun.lockb', 'bun install --frozen-lockfile'),
  npm,
  byFile('uv.lock', 'uv sync --frozen'),
  byFile('poetry.lock', 'poetry install'),
  byFile('pdm.lock', 'pdm sync'),
  pip,
  byFile('Gemfile.lock', 'bundle install'),
  byFile('composer.lock', 'composer install --no-interaction'),
  byFile('mix.lock', 'mix deps.get'),
];

function byFile(name: string, command: string): Detector {
  return ({ names }) => (names.includes(name) ? command : null);
}

function yarn({ names }: ProjectFiles): string | null {
  if (!names.includes('yarn.lock')) return null;
  return `yarn install --${names.includes('.yarnrc.yml') ? 'immutable' : 'frozen-lockfile'}`;
}

function npm({ names, read }: ProjectFiles): string | null {
  if (!names.includes('package.json')) return null;
  if (names.includes('package-lock.json') || names.includes('npm-shrinkwrap.json')) return 'npm ci';
  const fields = parsedJson(read('package.json') ?? '');
  const has = (key: string): boolean =>
    isFields(fields) && isFields(fields[key]) && Object.keys(fields[key]).length > 0;
  return ['dependencies', 'devDependencies'].some(has) || (isFields(fields) && 'workspaces' in fields)
    ? 'npm install --no-package-lock'
    : null;
}

/** In the checkout's own virtual environment: the user's would otherwise refer to the checkout forever. */
const VENV = 'python3 -m venv --system-site-packages .venv && .venv/bin/python -m pip install --quiet';

function pip({ names, read }: ProjectFiles): string | null {
  const isPackage = names.includes('setup.py') || /^\[build-system\]/m.test(read('pyproject.toml') ?? '');
  const requirements = ['requirements-dev.txt', 'requirements.txt'].filter((name) => names.includes(name));
  const parts = [...requirements.map((name) => `-r ${name}`), ...(isPackage ? ['-e .'] : [])];
  return parts.length === 0 ? null : `${VENV} ${parts.join(' ')}`;
}

/** Where the detected setup of a Python project installs programs. */
export const VENV_PROGRAMS = '.venv/bin';
