/** Tests the recipe for a new agent in CONTRIBUTING.md: one folder, and its name in one list. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';

const root = join(import.meta.dirname, '../..');

const PROFILE = `/** Ninth: an agent that only a test knows. */
import { inFormat, promptOnStdin } from '../flags.ts';
import type { AgentProfile } from '../profile.ts';
import { ninthParser } from './stream.ts';

export const ninth: AgentProfile = {
  name: 'ninth',
  title: 'The Ninth',
  install: 'npm install -g ninth',
  sandbox: { hosts: ['ninth.example.com'], state: { usual: ['.ninth'], trustedConfig: ['settings.json'] } },
  tellsCost: 'tokens',
  tested: 'in a test',
  commandLine: promptOnStdin([{ words: ['--json'] }], 'go'),
  parser: inFormat(['--format'], 'json', ninthParser),
};
`;

const STREAM = `/** Its output: one object per line, the last of which closes the run. */
import type { AgentParser } from '../profile.ts';
import { parseObject, textFrom } from '../reading/json-line.ts';

export function ninthParser(): AgentParser {
  return {
    hasStructure: true,
    parse(raw) {
      const line = parseObject(raw);
      if (line?.type === 'text') return [{ type: 'text', text: textFrom(line.text) }];
      if (line?.type === 'end') return [{ type: 'result', isError: false, text: '' }];
      return [{ type: 'unknown', raw }];
    },
  };
}
`;

test('an agent added by the recipe type-checks, is listed, has its sandbox rights, and works in a loop', async () => {
  const folder = testFolder();
  const at = (path: string): string => join(folder, path);
  cpSync(join(root, 'src'), at('src'), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), at(name));
  mkdirSync(at('src/agents/ninth'));
  writeFileSync(at('src/agents/ninth/profile.ts'), PROFILE);
  writeFileSync(at('src/agents/ninth/stream.ts'), STREAM);
  const index = readFileSync(at('src/agents/index.ts'), 'utf8');
  const listed = index.replace(/(AGENTS: [^;]*?),?\s*\];/, '$1, ninth];');
  expect(listed).not.toBe(index);
  writeFileSync(
    at('src/agents/index.ts'),
    listed.replace('import { opencode }', "import { ninth } from './ninth/profile.ts';\n$&"),
  );

  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });

  mkdirSync(at('bin'));
  mkdirSync(at('work/.ralph'), { recursive: true });
  const says = ['{"type":"text","text":"<response>DONE</response>"}', '{"type":"end"}'];
  const program = `#!/bin/sh\ncat >/dev/null\n${says.map((line) => `echo '${line}'\n`).join('')}`;
  writeFileSync(at('bin/ninth'), program, { mode: 0o755 });
  writeFileSync(at('work/.ralph/settings.json'), JSON.stringify({ agent: { command: 'ninth', flags: [] } }));
  const variables = { PATH: `${at('bin')}:${process.env.PATH}`, HOME: folder };

  const entry = `
    import { readEnvironment } from './src/config/environment.ts';
    import { runLoop } from './src/loops/run/loop.ts';
    import { runRequest } from './src/loops/run/request.ts';
    import { agentsCommand } from './src/cli/agents.ts';
    import { agentsAccess } from './src/agents/index.ts';
    import { policyFacts } from './src/runners/sandbox/facts.ts';
    import { sandboxPolicy } from './src/runners/sandbox/policy.ts';
    let listed = '';
    const stdout = { write: (text) => { listed += text; } };
    await agentsCommand({ json: true }, { stdout, env: { PATH: '' }, cwd: '/' });
    const place = { loop: 'x', cwd: '/', env: { HOME: '/home/me' }, stateRoot: '/state', access: agentsAccess('ninth') };
    const overrides = { allowHosts: [], allowWrite: [], denyWrite: [], denyRead: [] };
    const { writable, hosts } = sandboxPolicy(policyFacts(place), overrides);
    const never = new AbortController().signal;
    const environment = readEnvironment(${JSON.stringify(variables)});
    const around = { cwd: ${JSON.stringify(at('work'))}, emit: () => {}, stop: never, cancel: never };
    const driven = await runLoop(runRequest({ prompt: 'Do it.' }), { ...around, environment });
    process.stdout.write(JSON.stringify({ agents: JSON.parse(listed), writable, hosts, driven }));`;
  const stdin = { contents: entry, resolveDir: folder, loader: 'js' } as const;
  const outfile = at('listed.mjs');
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  const shown: unknown = JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }));
  expect(shown).toMatchObject({
    agents: expect.arrayContaining([expect.objectContaining({ name: 'ninth', title: 'The Ninth' })]),
    writable: expect.arrayContaining(['/home/me/.ninth']),
    hosts: ['ninth.example.com'],
    driven: { kind: 'ended', ending: { kind: 'done' } },
  });
});
