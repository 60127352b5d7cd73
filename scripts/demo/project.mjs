/** The small project of the demo, and an environment without anything of the user's. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { environmentOfChildren, root, SetupError } from '../setup.mjs';
import { FIRST_FILES } from './replies.mjs';

/** The folders of the environment. With another HOME, a version manager's shims find no Node: ours is linked. */
export function makeHome(folder) {
  for (const name of ['home', 'tmp', 'bin']) mkdirSync(join(folder, name));
  for (const name of ['node', 'npm']) {
    const program = join(dirname(process.execPath), name);
    if (existsSync(program)) symlinkSync(program, join(folder, 'bin', name));
  }
}

/** The settings of the demo's user: its agent, which plays `script`, and whether ralph commits. */
export function writeUserSettings(folder, { script, commits = false }) {
  const agent = { command: join(root, 'bin/scripted-agent.cjs'), flags: ['--script', script] };
  const scm = { command: 'git', tasks: ['commit'] };
  const path = join(folder, 'home/.config/ralph/settings.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, json({ agent, ...(commits ? { scm } : {}) }));
}

/** A git repository whose test is red. It has no settings, like a new user's project. */
export function makeProject(folder, { env }) {
  const files = [
    { path: 'package.json', content: json({ private: true, scripts: { test: 'node test.js' } }) },
    ...FIRST_FILES,
  ];
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const options = { cwd: folder, env, encoding: 'utf8' };
  git(['init', '--quiet', '--initial-branch=main'], options);
  git(['add', '.'], options);
  git(['commit', '--quiet', '--message=Tests, and nothing that passes them'], options);
}

export function git(args, options) {
  const { status, stderr, error } = spawnSync('git', args, options);
  if (error?.code === 'ENOENT') throw new SetupError('The demo needs git: install it, and run npm run demo again.');
  if (error !== undefined) throw error;
  if (status !== 0) throw new SetupError(`git ${args[0]} failed: ${stderr}`);
}

/**
 * The demo has its own home and temporary folder: it touches nothing of the user's, and no setting of the
 * user's (signed commits, for example) changes it. What `npm run` adds for scripts is left out; `npm test`
 * prints what the test prints.
 */
export function demoEnvironment(folder) {
  const [name, email] = ['Ralph', 'ralph@example.com'];
  const inherited = Object.entries(environmentOfChildren()).filter(([key]) => !/^(npm|GIT|XDG)_/.test(key));
  return {
    ...Object.fromEntries(inherited),
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    npm_config_loglevel: 'silent',
  };
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
