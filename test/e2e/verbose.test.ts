/** `--verbose` prints to stderr what happens and how long it takes; without it, none of that appears. */
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, PROMPT } from '../support/scene.ts';

const SECRET = 'hush-hush-value-1234567890';

describe('--verbose', () => {
  test('prints the seed’s lines in its form and order', async () => {
    const scene = makeScene({
      agent: 'claude',
      play: 'claude_says "<response>DONE</response>"; claude_result x',
      settings: {
        agent: { command: 'claude', flags: ['--model opus'] },
        guardrails: [{ command: './mvnw clean install', failAction: 'APPEND' }],
      },
    });
    scene.write(
      'work/.ralph/settings.local.json',
      '{"guardrails": [{"command": "sleep 0.2", "failAction": "APPEND"}]}',
    );
    const { code, stderr } = await scene.run('--verbose');
    expect(code).toBe(0);
    const wanted = [
      '[ralph] Loading settings from .ralph/settings.json',
      '[ralph] Loading settings from .ralph/settings.local.json',
      /^\[ralph\] Agent command: claude -p (--[\w-]+ [\w-]+ --verbose )?--model opus$/,
      '[ralph] Iteration 1/10 starting',
      '[ralph] Running guardrail: sleep 0.2',
      /^\[ralph\] Guardrail exited with code 0 \(0\.[2-9]s\)$/,
    ];
    const lines = stderr.split('\n').filter((line) => line.startsWith('[ralph] '));
    const places = wanted.map((line) =>
      lines.findIndex((said) => (typeof line === 'string' ? said === line : line.test(said))),
    );
    expect(places).not.toContain(-1);
    // The seed shows the agent's command before its iteration; either way both come before the guardrail.
    const [base = 0, local = 0, command = 0, iteration = 0, running = 0, exited = 0] = places;
    expect(base).toBeLessThan(local);
    expect(local).toBeLessThan(Math.min(command, iteration));
    expect(Math.max(command, iteration)).toBeLessThan(running);
    expect(running).toBeLessThan(exited);
  });

  test('prints the merged settings, the prompt, the completion detection, and the time of each step', async () => {
    const scene = makeScene({
      play: `echo line >>work.txt; ${DONE}`,
      settings: { maximumIterations: 5, scm: { command: 'git', tasks: ['commit'] } },
    });
    scene.write('work/.ralph/settings.local.json', '{"maximumIterations": 6}');
    const { stderr } = await scene.run('-V');
    const [, merged = '{}'] = /^\[ralph\] Settings: (.*)$/m.exec(stderr) ?? [];
    expect(JSON.parse(merged)).toMatchObject({ maximumIterations: 6, scm: { stage: 'tracked' } });
    expect(stderr).toContain(`\n[ralph] Prompt: ${PROMPT}\n`);
    expect(stderr).toContain('\n[ralph] Completion detection: found "DONE", looking for "DONE"\n');
    expect(stderr).toMatch(/\n\[ralph\] Agent ended \(\d+\.\ds\)\n/);
    expect(stderr).toMatch(/\n\[ralph\] SCM commit \(\d+\.\ds\)\n/);
  });

  test('prints only the first 200 characters of a prompt', async () => {
    const scene = makeScene({ play: DONE });
    const { stderr } = await scene.ralph(['run', '-V', '-p', `${'x'.repeat(199)}yz`]).exited;
    expect(stderr).toContain(`\n[ralph] Prompt: ${'x'.repeat(199)}y\n`);
  });

  test('the cut does not split a character', async () => {
    const scene = makeScene({ play: DONE });
    const { stderr } = await scene.ralph(['run', '-V', '-p', `${'x'.repeat(199)}🙂z`]).exited;
    expect(stderr).toContain(`\n[ralph] Prompt: ${'x'.repeat(199)}🙂\n`);
  });

  test('secrets are redacted completely, even where a text is cut', async () => {
    const scene = makeScene({
      play: DONE,
      env: { MY_API_KEY: SECRET },
      settings: {
        agent: { command: 'agent', flags: ['--key', SECRET] },
        guardrails: [{ command: `true ${SECRET}`, failAction: 'APPEND' }],
      },
    });
    const prompt = `Use ${SECRET}. ${'x'.repeat(160)} ${SECRET}`;
    const { code, stdout, stderr } = await scene.ralph(['run', '-V', '-p', prompt]).exited;
    expect(code).toBe(0);
    expect(stderr).toContain('[ralph] Agent command: agent --key ');
    expect(scene.promptOf('1/work/1')).toBe(prompt);
    // Not even its beginning.
    expect(stdout + stderr).not.toContain(SECRET.slice(0, 4));
  });
});

test('without --verbose, neither the command nor any other detail is printed', async () => {
  const guardrails = [{ command: 'true', failAction: 'APPEND' }];
  const scene = makeScene({
    play: DONE,
    settings: { agent: { command: 'agent', flags: ['--model opus'] }, guardrails },
  });
  const { stdout, stderr } = await scene.run();
  expect(stderr).toMatch(/^✓ true +0\.\ds$/m);
  for (const absent of ['[ralph]', '--model']) expect(stdout + stderr).not.toContain(absent);
});
