import { expect, test } from 'vitest';
import { detectSetup } from './setup.ts';

const project = (files: Readonly<Record<string, string>>) => ({
  names: Object.keys(files),
  read: (name: string): string | null => files[name] ?? null,
});

const VENV = 'python3 -m venv --system-site-packages .venv && .venv/bin/python -m pip install --quiet';

test.each<[string, Readonly<Record<string, string>>, string | null]>([
  ['a lock file of npm', { 'package.json': '{}', 'package-lock.json': '{}' }, 'npm ci'],
  ['no dependencies', { 'package.json': '{"dependencies":{}}' }, null],
  ['dependencies', { 'package.json': '{"devDependencies":{"a":"1"}}' }, 'npm install --no-package-lock'],
  ['workspaces', { 'package.json': '{"workspaces":["a"]}' }, 'npm install --no-package-lock'],
  ['a package.json that is no JSON', { 'package.json': '{' }, null],
  ['a lock file alone', { 'package-lock.json': '{}' }, null],
  ['pnpm', { 'package.json': '{}', 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile'],
  ['yarn 1', { 'package.json': '{}', 'yarn.lock': '' }, 'yarn install --frozen-lockfile'],
  ['yarn', { 'package.json': '{}', 'yarn.lock': '', '.yarnrc.yml': '' }, 'yarn install --immutable'],
  ['bun', { 'package.json': '{}', 'bun.lock': '' }, 'bun install --frozen-lockfile'],
  ['uv', { 'pyproject.toml': '[build-system]', 'uv.lock': '' }, 'uv sync --frozen'],
  ['a package of Python', { 'pyproject.toml': '[build-system]\n' }, `${VENV} -e .`],
  ['settings of Python alone', { 'pyproject.toml': '[tool.ruff]\n' }, null],
  [
    'requirements',
    { 'requirements.txt': '', 'requirements-dev.txt': '', 'setup.py': '' },
    `${VENV} -r requirements-dev.txt -r requirements.txt -e .`,
  ],
  ['Ruby', { 'Gemfile.lock': '' }, 'bundle install'],
  ['nothing', { 'main.go': '' }, null],
])('%s', (_what, files, command) => {
  expect(detectSetup(project(files))).toBe(command);
});
