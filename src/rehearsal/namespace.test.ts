import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { endOf, nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { lookAtNetwork } from './namespace.ts';

const here = lookAtNetwork(process.env);

/** Prints what it sees of the network; with an argument, it enters the namespace first and prints it there. */
const LOOK = `
  import { spawnSync } from 'node:child_process';
  import { lookAtNetwork } from './src/rehearsal/namespace.ts';
  const network = lookAtNetwork(process.env);
  const [depth = 0] = process.argv.slice(2).map(Number);
  console.log(network.kind);
  if (network.kind === 'can-shut' && depth > 0) {
    const [program, ...args] = network.inside([process.execPath, process.argv[1], String(depth - 1)]);
    spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...network.mark } });
  }`;

test('a mark that names another namespace tells that this one is inside', () => {
  expect(lookAtNetwork({ ...process.env, RALPH_REHEARSAL_OUTSIDE: 'net:[1]' })).toEqual({ kind: 'shut' });
});

test.runIf(here.kind !== 'shut')('without a program for it the network stays open, with the reason', () => {
  expect(lookAtNetwork({ PATH: '/nowhere' })).toMatchObject({ kind: 'open', why: 'unshare is not installed' });
});

describe.runIf(here.kind === 'can-shut')('where it can be shut', () => {
  test('a mark that names the very namespace one is in means nothing', () => {
    const mark = here.kind === 'can-shut' ? here.mark : {};
    expect(lookAtNetwork({ ...process.env, ...mark }).kind).toBe('can-shut');
  });

  test('inside it is shut, and cannot be entered again', async () => {
    const { output } = await endOf(startProgram(await nodeProgram(LOOK), ['3']));
    expect(output).toBe('can-shut\nshut\n');
  });

  test('a namespace that another program made is as good', async () => {
    const look = [process.execPath, await nodeProgram(LOOK), '3'];
    const [program = '', ...args] = here.kind === 'can-shut' ? here.inside(look) : look;
    expect(spawnSync(program, args, { encoding: 'utf8' }).stdout).toBe('shut\n');
  });
});
