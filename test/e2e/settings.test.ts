/** Settings as people write them: local files override shared ones, flags override both, errors name their path. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsBySchema } from '../support/json-schema.ts';
import { SEED_SETTINGS } from '../support/run/seed-settings.ts';
import { DONE, makeScene, PROMPT, ROOT, type Scene } from '../support/scene.ts';

/** Shell code that prints each argument on its own line. */
const ARGUMENTS = `for word; do printf '[%s]\\n' "$word"; done`;

function local(scene: Scene, settings: object): void {
  scene.write('work/.ralph/settings.local.json', JSON.stringify(settings));
}

describe('local overrides', () => {
  test('the seed’s example: the command stays, the flags are replaced', async () => {
    const scene = makeScene({
      play: `${ARGUMENTS}; ${DONE}`,
      settings: { agent: { command: 'agent', flags: ['--model opus'] } },
    });
    local(scene, { agent: { flags: ['--verbose'] } });
    expect(await scene.run()).toMatchObject({
      code: 0,
      stdout: `[--verbose]\n[${PROMPT}]\n<response>DONE</response>\n`,
    });
  });

  test('scalars override, lists replace, objects are merged at every depth', async () => {
    const scene = makeScene({
      play: `echo line >>work.txt; echo new >new.txt; ${DONE}`,
      settings: {
        maximumIterations: 5,
        guardrails: [
          { command: 'echo base one', failAction: 'APPEND' },
          { command: 'echo base two', failAction: 'APPEND' },
        ],
        scm: { command: 'git', tasks: ['commit', 'push'], stage: 'tracked' },
      },
    });
    local(scene, {
      maximumIterations: 2,
      guardrails: [{ command: 'echo local', failAction: 'APPEND' }],
      scm: { tasks: ['commit'], stage: 'all' },
    });
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    expect(stderr).toContain('── 1/2 ──');
    expect(stderr.match(/^✓ (?!Done)\S+ \w+/gm)).toEqual([
      '✓ echo local',
      `✓ committed ${scene.git('rev-parse', 'HEAD').slice(0, 7)}`,
    ]);
    expect(scene.git('show', '--format=', '--name-only', 'HEAD', '--', 'new.txt')).toBe('new.txt\n');
  });

  test('are enough without a settings file', async () => {
    const scene = makeScene({ play: DONE });
    await scene.shell('rm .ralph/settings.json');
    local(scene, { agent: { command: 'agent' } });
    expect(await scene.run()).toMatchObject({ code: 0 });
  });
});

describe('flags win over both files', () => {
  test('the limit, the completion response and streaming', async () => {
    const scene = makeScene({
      play: 'echo "said $n"; [ $n = 3 ] && echo "<response>All Done</response>"; true',
      settings: { maximumIterations: 5, completionResponse: 'BASE', streamAgentOutput: true },
    });
    local(scene, { maximumIterations: 4, completionResponse: 'LOCAL', streamAgentOutput: true });
    const { code, stdout, stderr } = await scene.run('-m', '3', '-c', 'all done', '--no-stream-agent-output');
    expect(stderr).toContain('── 3/3 ──');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  test('--stream-agent-output shows what the settings hide', async () => {
    const scene = makeScene({ play: DONE, settings: { streamAgentOutput: false } });
    expect(await scene.run()).toMatchObject({ code: 0, stdout: '' });
    expect(await scene.run('--stream-agent-output')).toMatchObject({ code: 0, stdout: '<response>DONE</response>\n' });
  });
});

describe('the completion response', () => {
  test.each([
    ['--completion-response', 'Fertig, ÄÖ', 'fERTIG, äö', 0],
    ['-c', 'DONE', 'done', 0],
    ['-c', 'DONE', 'not DONE', 1],
    ['-c', 'DONE', 'DONE.', 1],
    ['-c', 'a.c', 'abc', 1],
  ])('%s %j and the answer %j: exit %i', async (flag, wanted, said, code) => {
    const scene = makeScene({ play: `echo "<response>${said}</response>"` });
    expect(await scene.run('-m', '1', flag, wanted)).toMatchObject({ code });
  });

  test('an empty one is refused', async () => {
    const scene = makeScene({ play: DONE });
    const { code, stderr } = await scene.run('-c', '');
    expect(code).toBe(2);
    expect(stderr).toContain('must not be empty');
    expect(scene.starts()).toEqual([]);
  });
});

/** The position of an error in the file. */
const PLACE = /\.ralph\/settings\.json:\d+:\d+: /;

describe('wrong values are refused with their path and the expected value', () => {
  const agent = { command: 'agent' };
  const fine = { command: 'true', failAction: 'APPEND' };
  test.each<[string, object]>([
    ['agent.command must be configured in settings file', {}],
    ['agent.command must be configured in settings file', { agent: {} }],
    ['agent.command must be configured in settings file', { agent: { command: '' } }],
    ['maximumIterations must be a positive integer, got -1', { agent, maximumIterations: -1 }],
    ['maximumIterations must be a positive integer, got 1.5', { agent, maximumIterations: 1.5 }],
    ['maximumIterations must be a positive integer, got "3"', { agent, maximumIterations: '3' }],
    ['completionResponse must not be empty', { agent, completionResponse: '' }],
    ['outputTruncateChars must be a positive integer, got 0', { agent, outputTruncateChars: 0 }],
    ['guardrails[1].command must not be empty', { agent, guardrails: [fine, { ...fine, command: '' }] }],
    [
      'guardrails[0].failAction must be APPEND, PREPEND, or REPLACE, got "x"',
      { agent, guardrails: [{ ...fine, failAction: 'x' }] },
    ],
    ['scm.command must be configured when scm.tasks is non-empty', { agent, scm: { tasks: ['commit'] } }],
    ['streamAgentOutput must be true or false, got "yes"', { agent, streamAgentOutput: 'yes' }],
    ['agent.flags must be a list, got "--model opus"', { agent: { ...agent, flags: '--model opus' } }],
    ['scm.stage must be "tracked" or "all", got "some"', { agent, scm: { stage: 'some' } }],
    ['unknown key agent.comand (did you mean "command"?)', { agent: { ...agent, comand: 'x' } }],
    [
      'unknown key guardrails[1].failaction (did you mean "failAction"?)',
      { agent, guardrails: [fine, { ...fine, failaction: 'APPEND' }] },
    ],
    ['unknown key scm.task (did you mean "tasks"?)', { agent, scm: { command: 'git', task: [] } }],
    ['unknown key display.colour (did you mean "color"?)', { agent, display: { colour: true } }],
    ['unknown key maxIterations (did you mean "maximumIterations"?)', { agent, maxIterations: 3 }],
    ['unknown key nothingLikeIt', { agent, nothingLikeIt: 3 }],
    ['unknown key completionresponse (did you mean "completionResponse"?)', { agent, completionresponse: 'x' }],
  ])('%s', async (message, settings) => {
    const scene = makeScene({ play: DONE });
    scene.write('work/.ralph/settings.json', JSON.stringify(settings));
    const { code, stdout, stderr } = await scene.run();
    expect(stderr).toMatch(/\nhint: Fix \.ralph\/settings\.json, .*\n$/);
    expect(stderr.split('\n')[0]?.replace(PLACE, '')).toBe(`error: ${message}`);
    expect({ code, stdout, starts: scene.starts() }).toEqual({ code: 2, stdout: '', starts: [] });
    expect(scene.loops()).toEqual([]);
  });

  test('several errors are all reported', async () => {
    const scene = makeScene({ play: DONE, settings: { maximumIterations: 0, completionResponse: '', wat: 1 } });
    const { stderr } = await scene.run();
    const said = stderr.split('\n').map((line) => line.replace(PLACE, '').replace('error: ', ''));
    for (const fault of [
      'maximumIterations must be a positive integer, got 0',
      'completionResponse must not be empty',
    ]) {
      expect(said).toContain(fault);
    }
    expect(said).toContain('unknown key wat');
  });

  test.each(['settings.json', 'settings.local.json'])('broken JSON is reported with its file: %s', async (file) => {
    const scene = makeScene({ play: DONE });
    scene.write(`work/.ralph/${file}`, '{"agent": {"command": "agent",}}');
    const { code, stderr } = await scene.run();
    expect(stderr).toContain(`error: .ralph/${file}:1:`);
    expect(stderr).toContain(`hint: Fix .ralph/${file}`);
    expect({ code, starts: scene.starts() }).toEqual({ code: 2, starts: [] });
  });

  test('a file without an object is refused, and so is one that cannot be read', async () => {
    const scene = makeScene({ play: DONE });
    scene.write('work/.ralph/settings.json', '[]');
    expect((await scene.run()).stderr).toMatch(/^error: \.ralph\/settings\.json must contain an object\n/);
    await scene.shell('rm .ralph/settings.json');
    mkdirSync(join(scene.work, '.ralph/settings.json'));
    const { code, stderr } = await scene.run();
    expect(stderr).toMatch(/^error: cannot read \.ralph\/settings\.json: .*is not a plain file/);
    expect(code).toBe(2);
  });
});

test('a flag with spaces is split as a shell would, but nothing in it is expanded or run', async () => {
  const flags = ['--model opus', `--say "two words" 'and $HOME'`, '$(touch pwned);', '*', '--empty=""', ''];
  const scene = makeScene({ play: `${ARGUMENTS}; ls; ${DONE}`, settings: { agent: { command: 'agent', flags } } });
  const { stdout } = await scene.run();
  const words = ['--model', 'opus', '--say', 'two words', 'and $HOME', '$(touch', 'pwned);', '*', '--empty=', PROMPT];
  expect(stdout).toBe(`${words.map((word) => `[${word}]\n`).join('')}work.txt\n<response>DONE</response>\n`);
});

test('the iteration count comes first in the prompt, even before what a guardrail prepended', async () => {
  const guardrails = [{ command: 'echo no; false', failAction: 'prepend' }];
  const scene = makeScene({ play: DONE, settings: { guardrails, includeIterationCountInPrompt: true } });
  const { stderr } = await scene.run('-m', '3');
  expect(stderr).toMatch(/^✗ echo no; false {2}exit 1 +0\.\ds\n {4}no\n/m);
  expect(scene.promptOf('1/work/1')).toBe(`Iteration 1 of 3, 2 remaining.\n\n${PROMPT}`);
  const failure = (log: string): string =>
    `Guardrail "echo no; false" failed with exit code 1.\nOutput file: .ralph/${log}\nOutput (truncated):\nno\n`;
  expect(scene.promptOf('3/work/1')).toBe(
    `Iteration 3 of 3, 0 remaining.\n\n${failure('guardrail_002_echo_no_false.log')}\n\n${PROMPT}`,
  );
});

test('REPLACE discards the prompt and earlier failures, but not later ones', async () => {
  const failActions = ['Append', 'REPLACE', 'append', 'PREPEND'];
  const guardrails = failActions.map((failAction, at) => ({ command: `echo out${at}; exit ${at + 1}`, failAction }));
  const scene = makeScene({ play: DONE, settings: { guardrails } });
  await scene.run('-m', '2');
  const heads = scene.promptOf('2/work/1').match(/Guardrail .*/g);
  expect(heads).toEqual(
    [3, 1, 2].map((at) => `Guardrail "echo out${at}; exit ${at + 1}" failed with exit code ${at + 1}.`),
  );
  expect(scene.promptOf('2/work/1')).not.toContain(PROMPT);
});

describe('the shipped schema', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'dist/settings.schema.json'), 'utf8')) as object;

  const TESTS = { kind: 'tests', command: 'b', failAction: 'APPEND' };

  test('accepts a guardrail of each kind', () => {
    const guardrails = [
      { command: 'a', failAction: 'APPEND' },
      { ...TESTS, report: 'a.xml' },
    ];
    expect(faultsBySchema({ agent: { command: 'a' }, guardrails }, schema)).toEqual([]);
  });

  test('accepts the seed’s example', () => {
    expect(faultsBySchema(JSON.parse(SEED_SETTINGS), schema)).toEqual([]);
  });

  test.each([
    ['.maximumIterations: too small', { agent: { command: 'a' }, maximumIterations: 0 }],
    ['.agent: missing', {}],
    ['.agent.command: too short', { agent: { command: '' } }],
    [
      '.guardrails[0].failAction: not in enum',
      { agent: { command: 'a' }, guardrails: [{ command: 'b', failAction: 'X' }] },
    ],
    ['.guardrails[0].repot: unknown', { agent: { command: 'a' }, guardrails: [{ ...TESTS, repot: 'a.xml' }] }],
    ['.guardrail: unknown', { agent: { command: 'a' }, guardrail: [] }],
  ])('reports what is wrong: %s', (fault, settings) => {
    expect(faultsBySchema(settings, schema)).toEqual([fault]);
  });
});
