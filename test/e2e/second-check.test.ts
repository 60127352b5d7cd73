/** Tests the recipe for a new kind of check in CONTRIBUTING.md: one file and one line, and settings can use it. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { EVEN_FILE, EVEN_LINE, EVEN_SOURCE, KINDS_FILE } from '../support/run/even-check.ts';
import { ROOT } from '../support/scene.ts';

/** Counts up, writes a colour code after the number, and says each time that it is done. */
const AGENT = `#!/bin/sh
: >>"$HOME/count"; echo x >>"$HOME/count"
count=$(($(wc -l <"$HOME/count")))
printf '%s' "$2" >"$HOME/prompt-$count"
printf '%s\\033[31m\\n' "$count" >number
echo "<response>DONE</response>"
`;
const GUARDRAIL = { kind: 'even', file: 'number', failAction: 'APPEND', hint: 'Count on.' };
const LABEL = 'even number in number';
const LOG = '.ralph/guardrail_001_even_number_in_number.log';

test('one file and one line add a kind of check: settings use it, console and agent see its findings', async () => {
  const folder = testFolder();
  const at = (path: string): string => join(folder, path);
  cpSync(join(ROOT, 'src'), at('src'), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(ROOT, name), at(name));
  for (const name of ['bin', 'work/.ralph']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('bin/agent'), AGENT, { mode: 0o755 });
  const env = { PATH: `${at('bin')}:${process.env.PATH}`, HOME: folder, XDG_STATE_HOME: at('state') };
  const built = async () => {
    const outfile = at('ralph.mjs');
    const contents = `
      import { main } from './src/cli/main.ts';
      import { CHECK_KINDS } from './src/checks/index.ts';
      import { settingsJsonSchema } from './src/config/write-settings.ts';
      if (process.argv[2] === 'schema') console.log(JSON.stringify(settingsJsonSchema(CHECK_KINDS)));
      else await main('ralph');`;
    const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' } as const;
    await build({ stdin: { contents, resolveDir: folder, loader: 'js' }, outfile, ...options });
    return (...args: string[]) =>
      spawnSync(process.execPath, [outfile, ...args], { cwd: at('work'), env, encoding: 'utf8' });
  };
  const ask = (guardrail: object): void => {
    const settings = { agent: { command: 'agent', flags: ['-p'] }, guardrails: [guardrail] };
    writeFileSync(at('work/.ralph/settings.json'), JSON.stringify(settings));
  };
  ask(GUARDRAIL);
  writeFileSync(at(EVEN_FILE), EVEN_SOURCE);
  expect((await built())('run', '-p', 'Count.')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('guardrails[0].kind must be "command" or "tests", got "even"'),
  });

  appendFileSync(at(KINDS_FILE), EVEN_LINE);
  const ralph = await built();
  ask({ ...GUARDRAIL, kind: 'evn' });
  expect(ralph('run', '-p', 'Count.').stderr).toContain('got "evn" (did you mean "even"?)');
  ask({ ...GUARDRAIL, least: 'two' });
  expect(ralph('run', '-p', 'Count.').stderr).toContain('guardrails[0].least must be a whole number, got "two"');
  ask(GUARDRAIL);
  expect(ralph('run', '-p', 'Count.', '--dry-run').stdout).toContain(`[${JSON.stringify(GUARDRAIL)}]  (.ralph`);
  expect(ralph('schema').stdout).toContain('"const":"even"');
  expect(readdirSync(folder)).not.toContain('state');

  const { status, stderr } = ralph('run', '-p', 'Count.', '--verbose');
  expect(stderr.replaceAll(/ +\d\.\ds$/gm, '').match(/^(?:✗|✓ (?!Done|agent: |\d)|\[ralph\] Guardrail).*/gm)).toEqual([
    expect.stringMatching(/^\[ralph\] Guardrail ended \(/),
    `✗ ${LABEL}  1 is odd`,
    `✗ DONE rejected: ${LABEL} is red. The failure goes into the next`,
    expect.stringMatching(/^\[ralph\] Guardrail ended \(/),
    `✓ ${LABEL}  2 is even`,
  ]);
  expect(stderr).toContain(`Passed: ${LABEL}.`);
  expect(status).toBe(0);
  const told = `Guardrail "${LABEL}" failed: 1 is odd.\nHint: Count on.\nOutput file: ${LOG}\nOutput (truncated):\n`;
  expect(readFileSync(at('prompt-2'), 'utf8')).toBe(`Count.\n\n${told}read 1\uFFFD[31m\n`);
  expect(readFileSync(at(`work/${LOG}`), 'utf8')).toBe('read 1\u001B[31m\n');

  const limited = ralph('run', '-p', 'Count.', '-m', '1');
  expect(limited.stderr.replaceAll(/\s+/g, ' ')).toContain(`"${LABEL}" stayed red (3 is odd, log ${LOG}).`);
  const resumed = ralph('resume', '-m', '2');
  expect(resumed).toMatchObject({ status: 0, stderr: expect.stringContaining(`✓ ${LABEL}  4 is even`) });
  expect(readFileSync(at('prompt-4'), 'utf8')).toContain(`Guardrail "${LABEL}" failed: 3 is odd.`);
});
