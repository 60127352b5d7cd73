/**
 * The ways to start a loop inside a session are different programs with the same guarantees: the commands they name can
 * be typed there, and a check runs as users would run it themselves.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT, type Scene } from '../../support/scene.ts';
import { PLUGIN } from '../../support/session/plugin-hooks.ts';
import { DONE } from '../../support/session/session-loop.ts';

const CHECK = 'env -0 > seen; pwd > place';
const TYPED = `"x" --min-tool-calls 0 --max-iterations 20 --check "${CHECK}"`;
const SESSION = '11111111-2222-4333-8444-555555555555';

/** Variables that only a user would set; the hook itself ignores those of node. */
const USERS = { NODE_OPTIONS: '--no-warnings', NODE_EXTRA_CA_CERTS: '/no/such/file', MY_OWN: 'a b\nc', EMPTY: '' };

interface WayIn {
  readonly name: string;
  /** The prefix of a command. */
  readonly slash: string;
  /** Plays a loop to its end; resolves to everything that users are shown. */
  play(scene: Scene): Promise<readonly string[]>;
  /** The environment of the agent, if it is not the user's own. */
  agentEnvironment?(scene: Scene): Record<string, string>;
}

const WAYS: readonly WayIn[] = [
  {
    name: 'the plugin',
    slash: '/ralph:',
    play: async (scene) => {
      const text = readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8');
      return playClaude(scene, text.replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, PLUGIN), 'ralph:ralph-loop');
    },
  },
  {
    name: 'install-hooks claude',
    slash: '/',
    play: async (scene) => playClaude(scene, await installed(scene, 'claude', '.claude/settings.json'), 'ralph-loop'),
  },
  {
    name: 'install-hooks codex',
    slash: '$',
    play: async (scene) =>
      playHooks(scene, await installed(scene, 'codex', '.codex/hooks.json'), [
        { hook_event_name: 'UserPromptSubmit', prompt: `$ralph-loop ${TYPED}` },
        { hook_event_name: 'SessionStart', source: 'compact' },
        { hook_event_name: 'Stop', last_assistant_message: 'no' },
        { hook_event_name: 'Stop', last_assistant_message: DONE },
      ]),
  },
  {
    name: 'install-hooks gemini',
    slash: '/',
    play: async (scene) =>
      playHooks(scene, await installed(scene, 'gemini', '.gemini/settings.json'), [
        { hook_event_name: 'BeforeAgent', prompt: `/ralph-loop\n\n/ralph-loop ${TYPED}` },
        { hook_event_name: 'SessionStart', source: 'resume' },
        { hook_event_name: 'AfterAgent', prompt_response: 'no' },
        { hook_event_name: 'AfterAgent', prompt_response: DONE },
      ]),
  },
  {
    name: 'install-hooks opencode',
    slash: '/',
    play: async (scene) => {
      await installed(scene, 'opencode', '.opencode/plugins/ralph.js');
      const plugin = join(scene.work, '.opencode/plugins/ralph.js');
      // opencode loads it as a module.
      writeFileSync(join(scene.work, '.opencode/package.json'), '{"type":"module"}');
      const driver = join(ROOT, 'test/fakes/hooked-opencode.mjs');
      const { stdout } = await startProgram([process.execPath, driver, plugin, TYPED], placeOf(scene)).exited;
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => String(JSON.parse(line)));
    },
  },
  {
    name: 'ralph session',
    slash: '/ralph:',
    play: async (scene) => {
      const answers = join(scene.folder, 'answers');
      const claude = join(ROOT, 'test/fakes/hooked-claude.sh');
      Object.assign(scene.env, { ANSWERS: answers });
      const flags = ['--min-tool-calls', '0', '-m', '20', '--check', CHECK];
      const { stderr } = await scene.ralph(['session', '-p', 'x', ...flags, '--', claude]).exited;
      return [...noticesIn(readFileSync(answers, 'utf8')), stderr];
    },
    agentEnvironment: (scene) => variablesIn(join(scene.folder, 'answers.env')),
  },
];

describe.each(WAYS.map((way) => [way.name, way] as const))('%s', (_name, { slash, play, agentEnvironment }) => {
  test('names the commands as they are typed there; checks have the user’s environment and folder', async () => {
    const scene = makeScene({ play: 'true', env: USERS });
    mkdirSync(join(scene.folder, 'home'));
    scene.env.HOME = join(scene.folder, 'home');
    const notices = (await play(scene)).join('\n');
    expect(notices).toContain('Ralph iteration 1/20');
    expect(notices).toContain('PROMISE_ACCEPTED');
    const named = notices.match(/(?<=[\s(]|^)\S*(?:ralph-loop|ralph-status|cancel-ralph)\b/g) ?? [];
    expect(named).toEqual(expect.arrayContaining([`${slash}ralph-status`, `${slash}cancel-ralph`]));
    expect(named.filter((name) => !/^(?:ralph|ulw|cancel)-/.test(name.slice(slash.length)))).toEqual([]);
    expect(named.filter((name) => !name.startsWith(slash))).toEqual([]);

    expect(readFileSync(join(scene.work, 'place'), 'utf8').trim()).toBe(scene.work);
    const wanted = {
      ...agentEnvironment?.(scene),
      ...(scene.env as Record<string, string>),
      CLAUDE_CODE_SESSION_ID: '',
    };
    expect(withoutShells(variablesIn(join(scene.work, 'seen')))).toEqual(withoutShells(wanted));
  });
});

test('Codex without a rollout: tools that ran count as work; with one, the hook does not count them', async () => {
  const scene = makeScene({ play: 'true' });
  const settings = await installed(scene, 'codex', '.codex/hooks.json');
  const ran = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response: 'x' };
  const events = [
    { hook_event_name: 'UserPromptSubmit', prompt: '$ralph-loop "x" --min-tool-calls 2' },
    ran,
    { hook_event_name: 'Stop', last_assistant_message: DONE },
    { ...ran, transcript_path: '/some/rollout.jsonl' },
    { hook_event_name: 'Stop', last_assistant_message: DONE },
    ran,
    { hook_event_name: 'Stop', last_assistant_message: DONE },
  ];
  const notices = await playHooks(scene, settings, events);
  expect(notices.filter((notice) => notice.includes('rejected: 1 tool calls, 2 needed'))).toHaveLength(2);
  expect(notices.at(-1)).toContain('PROMISE_ACCEPTED');
});

/** Leaves out what shells set, and the id of the session, which the agent passes to its hooks. */
function withoutShells(variables: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const { PWD: _1, OLDPWD: _2, SHLVL: _3, _: _4, CLAUDE_CODE_SESSION_ID: _5, ...others } = variables;
  return others;
}

function variablesIn(file: string): Record<string, string> {
  const pairs = readFileSync(file, 'utf8')
    .split('\0')
    .filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** Resolves to the content of the file that `ralph install-hooks` has written. */
async function installed(scene: Scene, agent: string, file: string): Promise<string> {
  const { code, stderr } = await scene.ralph(['install-hooks', agent, '--yes']).exited;
  if (code !== 0) throw new Error(stderr);
  return readFileSync(join(scene.work, file), 'utf8');
}

function playClaude(scene: Scene, settings: string, command: string): Promise<string[]> {
  return playHooks(scene, settings, [
    { hook_event_name: 'UserPromptExpansion', command_name: command, command_args: TYPED },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'Stop', last_assistant_message: 'no' },
    { hook_event_name: 'Stop', last_assistant_message: DONE },
  ]);
}

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command: string; readonly args?: readonly string[] }[];
}

/** Calls the hooks that the settings name for each event, as the agents do: with arguments, or through a shell. */
async function playHooks(
  scene: Scene,
  settings: string,
  events: readonly Readonly<Record<string, string>>[],
): Promise<string[]> {
  const { hooks } = JSON.parse(settings) as { hooks: Readonly<Record<string, readonly Group[]>> };
  const said: string[] = [];
  for (const event of events) {
    const input = JSON.stringify({ session_id: SESSION, cwd: scene.work, transcript_path: null, ...event });
    const called = (hooks[event.hook_event_name ?? ''] ?? []).filter(({ matcher }) => isMatch(matcher, event));
    for (const { command, args } of called.flatMap((group) => group.hooks)) {
      const argv = args === undefined ? (['sh', '-c', command] as const) : ([command, ...args] as const);
      const { stdout } = await startProgram([...argv], { ...placeOf(scene), stdin: input }).exited;
      said.push(...noticesIn(stdout));
    }
  }
  return said;
}

function isMatch(matcher: string | undefined, { source, command_name: command }: Readonly<Record<string, string>>) {
  return matcher === undefined || new RegExp(matcher).test(source ?? command ?? '');
}

function placeOf({ work, env }: Scene) {
  return { cwd: work, env: { ...env, CLAUDE_CODE_SESSION_ID: SESSION } };
}

function noticesIn(stdout: string): string[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { systemMessage?: string }).systemMessage ?? '');
}
