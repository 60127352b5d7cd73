/** `ralph install-hooks` in an empty home: shows a diff first, keeps what was there, and can be undone completely. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, ROOT, type Scene } from '../../support/scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

const AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
type Agent = (typeof AGENTS)[number];

/** The folder of each agent by scope, relative to the folder of the scene. */
const FOLDERS = {
  '--project': { claude: 'work/.claude', codex: 'work/.codex', gemini: 'work/.gemini', opencode: 'work/.opencode' },
  '--user': { claude: 'home/.claude', codex: 'home/.codex', gemini: 'home/.gemini', opencode: 'home/.config/opencode' },
} as const;
const SETTINGS = { claude: 'settings.json', codex: 'hooks.json', gemini: 'settings.json', opencode: null } as const;
/** The file that defines the command for a loop. */
const COMMAND = {
  claude: 'commands/ralph-loop.md',
  codex: 'skills/ralph-loop/SKILL.md',
  gemini: 'commands/ralph-loop.toml',
  opencode: 'commands/ralph-loop.md',
} as const;

/** Matches both forms: the plugin's script and the program itself. */
const HOOK = '/hooks/session-loop.';

function emptyHome(env: Record<string, string> = {}): Scene {
  const scene = makeScene({ play: 'true', env });
  mkdirSync(join(scene.folder, 'home'));
  for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME', 'XDG_CONFIG_HOME']) {
    if (env[name] === undefined) delete scene.env[name];
  }
  scene.env.HOME = join(scene.folder, 'home');
  return scene;
}

function install(scene: Scene, ...args: string[]) {
  return scene.ralph(['install-hooks', ...args]).exited;
}

/** All files under the work tree and the home, without git's and ralph's own. */
function contents(scene: Scene): Record<string, string> {
  const files = ['work', 'home']
    .flatMap((folder) => readdirSync(join(scene.folder, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => !/\/(\.git|\.ralph)(\/|$)/.test(`${entry.parentPath}/${entry.name}`))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((path) => [
      relative(scene.folder, path),
      statSync(path).isFile() ? readFileSync(path, 'utf8') : '<folder>',
    ]),
  );
}

const EACH = AGENTS.flatMap((agent) => (['--project', '--user'] as const).map((scope) => [agent, scope] as const));

describe.each(EACH)('%s %s', (agent, scope) => {
  test('shows the diff, installs, has nothing more to do, removes', async () => {
    const scene = emptyHome();
    const before = contents(scene);
    const folder = FOLDERS[scope][agent];

    const refused = await install(scene, agent, scope);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is no terminal to ask on; nothing was changed');
    expect(refused.stderr).toContain('--yes');
    expect(refused.stdout).toContain(`+++ ${join(scene.folder, folder, COMMAND[agent])}`);
    expect(refused.stdout).not.toContain('\u001b');
    expect(contents(scene)).toEqual(before);

    const installed = await install(scene, agent, scope, '--yes');
    expect(installed.code).toBe(0);
    expect(installed.stdout).toContain(refused.stdout);
    const after = contents(scene);
    expect(Object.keys(after)).toContain(`${folder}/${COMMAND[agent]}`);
    const settings = SETTINGS[agent];
    const wired = settings === null ? `${folder}/plugins/ralph.js` : `${folder}/${settings}`;
    expect(after[wired]).toContain(HOOK);

    const again = await install(scene, agent, scope, '--yes');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('Nothing to change');
    expect(contents(scene)).toEqual(after);

    const removed = await install(scene, agent, scope, '--remove', '--yes');
    expect(removed.code).toBe(0);
    expect(removed.stdout).toContain(`--- ${join(scene.folder, wired)}`);
    expect(contents(scene)).toEqual(before);
    expect((await install(scene, agent, scope, '--remove', '--yes')).stdout).toContain('Nothing to change');
  });
});

test('claude: the commands of the loop and /ralph-plan, but none that only work in the plugin', async () => {
  const scene = emptyHome();
  await install(scene, 'claude', '--yes');
  const commands = join(scene.work, '.claude/commands');
  expect(readdirSync(commands).sort()).toEqual([
    'cancel-ralph.md',
    'ralph-loop.md',
    'ralph-plan.md',
    'ralph-status.md',
    'ulw-loop.md',
  ]);
  for (const name of readdirSync(commands))
    expect(readFileSync(join(commands, name), 'utf8')).not.toContain('CLAUDE_PLUGIN_ROOT');
  const [, template = ''] = /`(\S+prd-template\.md)`/.exec(readFileSync(join(commands, 'ralph-plan.md'), 'utf8')) ?? [];
  expect(existsSync(template)).toBe(true);
});

const WITH_SETTINGS = AGENTS.filter((agent) => agent !== 'opencode');
const MINE =
  '{\r\n\t"b": {"mine": [1,   2]},\r\n\t"hooks": { "Stop": [ {"hooks": [{"command": "mine"}]} ] }, "a": 1\r\n}';

/** A scene whose project has settings for this agent, with this text. */
function withSettings(agent: Exclude<Agent, 'opencode'>, text: string): { scene: Scene; path: string } {
  const scene = emptyHome();
  const path = join(scene.folder, FOLDERS['--project'][agent], SETTINGS[agent]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { scene, path };
}

test.each(WITH_SETTINGS)(
  '%s: existing settings and their file mode are kept, and --remove restores them byte for byte',
  async (agent) => {
    const { scene, path } = withSettings(agent, MINE);
    chmodSync(path, 0o640);
    await install(scene, agent, '--yes');
    const after = readFileSync(path, 'utf8');
    expect(after).toContain(HOOK);
    const value = JSON.parse(after) as { hooks: Record<string, unknown[]> };
    expect(Object.keys(value)).toEqual(['b', 'hooks', 'a']);
    expect(value.hooks.Stop?.[0]).toEqual({ hooks: [{ command: 'mine' }] });
    expect(after.startsWith('{\r\n\t"b": {"mine": [1,   2]},\r\n')).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await install(scene, agent, '--remove', '--yes');
    expect(readFileSync(path, 'utf8')).toBe(MINE);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(path))).toEqual([SETTINGS[agent]]);
  },
);

test('comments in Gemini CLI’s settings are kept', async () => {
  const text = '// mine\n{\n  "a": 1, // one\n  /* two */\n}\n'.replace('1, //', '1 //');
  const { scene, path } = withSettings('gemini', text);
  expect((await install(scene, 'gemini', '--yes')).code).toBe(0);
  for (const remark of ['// mine', '// one', '/* two */']) expect(readFileSync(path, 'utf8')).toContain(remark);
  await install(scene, 'gemini', '--remove', '--yes');
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test.each([
  ['claude', '{\n  "a": 1,,\n}', ':2:10: '],
  ['claude', '{\n  // not for Claude Code\n}', ':2:3: a comment'],
  ['codex', '{"hooks": []}', ':1:11: hooks is not an object'],
  ['gemini', '{\n  "a": "b\n}', ':2:8: '],
] as const)('%s: broken settings are refused with the position, and left alone: %j', async (agent, text, message) => {
  const { scene, path } = withSettings(agent, text);
  for (const flags of [['--yes'], ['--remove', '--yes']]) {
    const { code, stderr } = await install(scene, agent, ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(`${path}${message}`);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(dirname(path))).toEqual([SETTINGS[agent]]);
  }
});

test('a settings file that is a symbolic link stays one, and its target is changed', async () => {
  const { scene, path } = withSettings('claude', MINE);
  const real = join(scene.folder, 'home/dotfiles.json');
  writeFileSync(real, '{}');
  replaceByLink(path, real);
  await install(scene, 'claude', '--yes');
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readlinkSync(path)).toBe(real);
  expect(readFileSync(real, 'utf8')).toContain(HOOK);
  await install(scene, 'claude', '--remove', '--yes');
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toBe('{}');
});

function replaceByLink(path: string, target: string): void {
  rmSync(path);
  symlinkSync(target, path);
}

test('a broken symbolic link is refused', async () => {
  const { scene, path } = withSettings('claude', MINE);
  replaceByLink(path, join(scene.folder, 'nowhere.json'));
  const { code, stderr } = await install(scene, 'claude', '--yes');
  expect(code).toBe(2);
  expect(stderr).toContain('it is a broken link');
  expect(existsSync(join(scene.folder, 'nowhere.json'))).toBe(false);
});

test('a folder that cannot be written to is reported, and nothing is changed', async () => {
  const { scene, path } = withSettings('claude', MINE);
  chmodSync(dirname(path), 0o555);
  const obeying = process.getuid?.() === 0 ? 'setpriv --bounding-set=-all --inh-caps=-all' : '';
  const { code, stderr } = await scene.shell(`${obeying} ralph install-hooks claude --yes`);
  chmodSync(dirname(path), 0o755);
  expect(stderr).toContain(
    `error: cannot write ${path}: permission denied\nhint: Change its permissions or its owner. The file was left as it is. Then run this again.\n`,
  );
  expect(code).toBe(2);
  expect(readFileSync(path, 'utf8')).toBe(MINE);
  expect(readdirSync(dirname(path))).toEqual([SETTINGS.claude]);
});

test('a command of the same name that is not from ralph is not overwritten', async () => {
  const scene = emptyHome();
  mkdirSync(join(scene.work, '.opencode/commands'), { recursive: true });
  writeFileSync(join(scene.work, '.opencode/commands/ralph-loop.md'), 'mine');
  const refused = await install(scene, 'opencode', '--yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('.opencode/commands/ralph-loop.md already exists, and was not created by ralph');
  expect(readdirSync(join(scene.work, '.opencode'))).toEqual(['commands']);
});

test('--remove keeps a file of ralph that was changed, and names it', async () => {
  const scene = emptyHome();
  await install(scene, 'opencode', '--yes');
  const changed = join(scene.work, '.opencode/commands/ralph-loop.md');
  writeFileSync(changed, 'mine now');
  const { code, stdout } = await install(scene, 'opencode', '--remove', '--yes');
  expect(code).toBe(0);
  expect(stdout).toContain(`${changed} is left as it is`);
  expect(readdirSync(join(scene.work, '.opencode'), { recursive: true })).toEqual([
    'commands',
    'commands/ralph-loop.md',
  ]);
});

/** By agent, the last line before the question, when installing and when removing. */
test.each([
  [
    'claude',
    '5 hooks into .claude/settings.json, 5 new files in .claude/commands/.',
    "ralph's hooks out of .claude/settings.json, 5 files away from .claude/commands/.",
  ],
  [
    'codex',
    '4 hooks into .codex/hooks.json, 8 new files in .codex/skills/.',
    "ralph's hooks out of .codex/hooks.json, 8 files away from .codex/skills/.",
  ],
  [
    'opencode',
    '1 new file in .opencode/plugins/, 4 new files in .opencode/commands/.',
    '1 file away from .opencode/plugins/, 4 files away from .opencode/commands/.',
  ],
] as const)('%s: the diff ends with the settings, and with a line that sums it up', async (agent, put, taken) => {
  const scene = emptyHome();
  const lastOf = (stdout: string): string | undefined => stdout.trimEnd().split('\n').at(-1);
  const shown = (await install(scene, agent)).stdout;
  expect(lastOf(shown)).toBe(put);
  const last = join(scene.work, `.${agent}`, SETTINGS[agent] ?? 'commands/ralph-status.md');
  expect(lastPath(shown)).toBe(last);
  await install(scene, agent, '--yes');
  const removal = (await install(scene, agent, '--remove')).stdout;
  expect(lastOf(removal)).toBe(taken);
  expect(lastPath(removal)).toBe(last);
});

/** The path of the file whose diff is shown last. */
function lastPath(stdout: string): string | undefined {
  const [, before, after] = [...stdout.matchAll(/^--- (.*)\n\+\+\+ (.*)$/gm)].at(-1) ?? [];
  return after === '/dev/null' ? before : after;
}

test('the summary leaves out what is installed already', async () => {
  const scene = emptyHome();
  await install(scene, 'opencode', '--yes');
  rmSync(join(scene.work, '.opencode/commands/ralph-loop.md'));
  expect((await install(scene, 'opencode', '--yes')).stdout).toContain('\n1 new file in .opencode/commands/.\n');
});

describe('below the root of a repository', () => {
  const inSub = (scene: Scene, ...args: string[]) => scene.shell(`cd sub && ralph install-hooks ${args.join(' ')}`);

  test('it says so, with the command for the root', async () => {
    const scene = emptyHome();
    mkdirSync(join(scene.work, 'sub'));
    const { code, stdout } = await inSub(scene, 'gemini', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain(
      `Note: this is a folder below the root of a repository, and an agent that is started there does not look here. For the root: cd ${scene.work} && ralph install-hooks gemini\n`,
    );
    expect(existsSync(join(scene.work, 'sub/.gemini/settings.json'))).toBe(true);
    expect((await inSub(scene, 'codex', '--remove')).stdout).toContain(
      `cd ${scene.work} && ralph install-hooks codex --remove\n`,
    );
  });

  test('there is no note at the root, nor with --user', async () => {
    const scene = emptyHome();
    mkdirSync(join(scene.work, 'sub'));
    expect((await install(scene, 'gemini', '--yes')).stdout).not.toContain('Note: ');
    expect((await inSub(scene, 'gemini', '--user', '--yes')).stdout).not.toContain('Note: ');
  });
});

describe('at a terminal', () => {
  test('the diff is shown in colour, and ralph asks', async () => {
    const scene = emptyHome();
    const before = contents(scene);
    const declined = openTerminal(scene, 'ralph install-hooks gemini');
    await declined.asks('Install? (y/N): ');
    expect(declined.screen()).toContain(
      '\n3 hooks into .gemini/settings.json, 4 new files in .gemini/commands/.\nInstall? (y/N):',
    );
    expect(declined.colors()).toContain('\u001b[32m+');
    declined.type('');
    expect(await declined.ended()).toMatchObject({ code: 1 });
    expect(declined.screen()).toContain('Nothing was changed.');
    expect(contents(scene)).toEqual(before);
  });

  test('y installs', async () => {
    const scene = emptyHome();
    const agreed = openTerminal(scene, 'ralph install-hooks codex');
    await agreed.asks('Install? (y/N): ');
    agreed.type('y');
    expect((await agreed.ended()).code).toBe(0);
    expect(scene.read('work/.codex/hooks.json')).toContain(HOOK);
  });

  test('Ctrl-C installs nothing', async () => {
    const scene = emptyHome();
    const aborted = openTerminal(scene, 'ralph install-hooks codex');
    await aborted.asks('Install? (y/N): ');
    aborted.press('C-c');
    expect((await aborted.ended()).code).toBe(130);
    expect(existsSync(join(scene.work, '.codex'))).toBe(false);
  });
});

test('the agents’ own variables decide where the user configuration is', async () => {
  const scene = emptyHome();
  Object.assign(scene.env, {
    CLAUDE_CONFIG_DIR: join(scene.folder, 'c'),
    CODEX_HOME: join(scene.folder, 'x'),
    GEMINI_CLI_HOME: join(scene.folder, 'g'),
    XDG_CONFIG_HOME: join(scene.folder, 'o'),
  });
  for (const agent of AGENTS) await install(scene, agent, '--user', '--yes');
  for (const path of ['c/settings.json', 'x/hooks.json', 'g/.gemini/settings.json', 'o/opencode/plugins/ralph.js'])
    expect(scene.read(path)).toContain(HOOK);
});

test('a package in the npx cache is refused, because hooks that point into it would break', async () => {
  const scene = emptyHome();
  const place = join(scene.folder, '_npx/1a2b/node_modules/ralph-harness');
  for (const part of ['bin', 'dist', 'plugin', 'package.json']) {
    cpSync(join(ROOT, part), join(place, part), { recursive: true });
  }
  const { code, stderr } = await scene.shell(`node ${place}/bin/ralph.cjs install-hooks claude --yes`);
  expect(code).toBe(2);
  expect(stderr).toContain('npm install -g ralph-harness');
  expect(existsSync(join(scene.work, '.claude'))).toBe(false);
});

test('both scopes at once are refused', async () => {
  const { code, stderr } = await install(emptyHome(), 'claude', '--project', '--user');
  expect(code).toBe(2);
  expect(stderr).toContain('--project and --user exclude each other');
});

test('the restrictions of each agent are shown', async () => {
  const scene = emptyHome();
  const said = async (agent: Agent): Promise<string> => (await install(scene, agent, '--yes')).stdout;
  expect(await said('claude')).toContain('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP');
  expect(await said('codex')).toContain('trust');
  expect(await said('opencode')).toContain('ralph run');
});
