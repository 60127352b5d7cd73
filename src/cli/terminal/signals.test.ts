import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeProgram } from '../../../test/support/programs/node-program.ts';
import { type Program, startProgram } from '../../../test/support/programs/program.ts';
import { handleSignals } from './signals.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FIRST = (signal: string): string => {
  const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'a second signal';
  return `Received signal, shutting down...\nStopping after this step; ${again} stops right now. Nothing is lost.\n`;
};

const CLOSED = 'The terminal was closed: the loop stops after this iteration.\n';

const SECOND = 'Stopping now; what still runs has up to 5 seconds to clean up.\n';

/** Prints what reaches it, and runs until it is cancelled. */
async function listening(lines = '', handle = 'handleSignals'): Promise<Program> {
  const program = await nodeProgram(`
    import { ${handle} } from './src/cli/terminal/signals.ts';
    const signals = ${handle}((message) => console.log(message));
    const life = setInterval(() => {}, 1000);
    signals.stop.addEventListener('abort', () => console.log('stop'));
    signals.stopAtWait.addEventListener('abort', () => console.log('stop at wait'));
    signals.cancel.addEventListener('abort', () => {
      console.log('cancel');
      clearInterval(life);
    });
    ${lines}
    console.log('ready');`);
  const started = startProgram([process.execPath, program], {});
  onTestFinished(() => started.signal('SIGKILL'));
  await started.says('ready');
  return started;
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s asks the loop to finish the first time, and ends it the second',
  async (signal) => {
    const program = await listening();
    program.signal(signal);
    await program.says('stop');
    program.signal(signal);
    expect(await program.exited).toEqual({
      code: 0,
      stdout: `ready\n${FIRST(signal)}stop\n${SECOND}cancel\n`,
      stderr: '',
    });
  },
);

test('SIGHUP lets the iteration finish, however often it comes; another signal ends it', async () => {
  const program = await listening("process.on('SIGHUP', () => console.log('heard'));");
  for (const times of [1, 2]) {
    program.signal('SIGHUP');
    await program.says('heard\n'.repeat(times));
  }
  program.signal('SIGTERM');
  const stdout = `ready\n${CLOSED}stop at wait\nheard\nheard\n${SECOND}cancel\n`;
  expect(await program.exited).toEqual({ code: 0, stdout, stderr: '' });
});

test('if an agent is started again anyway, the first signal ends it, and SIGHUP does not', async () => {
  const program = await listening('', 'handleEndingSignals');
  program.signal('SIGHUP');
  await program.says('stop at wait');
  program.signal('SIGTERM');
  expect(await program.exited).toMatchObject({ code: 0, stdout: `ready\n${CLOSED}stop at wait\n${SECOND}cancel\n` });
  const other = await listening('', 'handleEndingSignals');
  other.signal('SIGTERM');
  const stdout = 'ready\nReceived signal, shutting down...\nstop\ncancel\n';
  expect(await other.exited).toMatchObject({ code: 0, stdout });
});

describe.each(SIGNALS)('%s', (signal) => {
  test('has its default effect again once it is released', async () => {
    const program = await listening('signals.release();');
    program.signal(signal);
    expect(await program.exited).toEqual({ code: signal, stdout: 'ready\n', stderr: '' });
  });
});

test('two different signals count as the first and the second', async () => {
  const program = await listening();
  program.signal('SIGINT');
  await program.says('stop');
  program.signal('SIGTERM');
  expect(await program.exited).toMatchObject({ code: 0, stdout: `ready\n${FIRST('SIGINT')}stop\n${SECOND}cancel\n` });
});

test('releasing leaves the listeners of others alone', () => {
  const others = SIGNALS.map((signal) => process.listenerCount(signal));
  const signals = handleSignals(() => undefined);
  expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(others.map((count) => count + 1));
  signals.release();
  expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(others);
});
