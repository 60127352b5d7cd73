/** `--detach`: runs the same command line again in the background, and returns once its loop has begun. */
import { readEnvironment, rehearsalPrefix } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import { startInBackground } from '../../engine/start-in-background.ts';
import { shortNames } from '../../state/short-names.ts';
import { printable } from '../../stream/printable.ts';
import { loopsContext } from '../loops/context.ts';
import { self } from '../program/self.ts';
import { handleCancel } from './signals.ts';

const FLAG = '--detach';

/** `prompt`: a prompt that cannot be read a second time, and the file that it was read from, if one was named. */
export async function detach(prompt?: { readonly text: string; readonly file: string | null }): Promise<number> {
  if (rehearsalPrefix() !== '') {
    const hint = 'The scripted model ends with the rehearsal. Leave out --detach.';
    throw new RalphError('DETACH', 'a rehearsal cannot be left running in the background', { hint });
  }
  const { root, variables: env, mask } = readEnvironment();
  const { cancel, release } = handleCancel((line) => process.stderr.write(`${line}\n`));
  const started = await startInBackground({
    root,
    argv: [...self(), ...wordsFor(process.argv.slice(2), prompt?.file ?? null)],
    cwd: process.cwd(),
    env,
    cancel,
    ...(prompt === undefined ? {} : { input: prompt.text }),
  }).finally(release);
  if (started.is === 'ended') {
    (started.code === 0 ? process.stdout : process.stderr).write(printable(mask(started.said)));
    return started.code;
  }
  await sayBegun(started.loop, started.pid, started.log);
  return 0;
}

async function sayBegun(loop: string, pid: number, log: string): Promise<void> {
  const { store, say } = loopsContext();
  const short = shortNames((await store.list()).map(({ id }) => id)).get(loop) ?? loop;
  say(`Loop ${short} runs in the background (${loop}, pid ${pid}).`);
  say(`  ${`ralph logs ${short} -f`.padEnd(22)} follow it`);
  say(`  ${`ralph stop ${short}`.padEnd(22)} stop it after the current iteration`);
  say(`Its console: ${log}`);
}

/** A prompt file that was a pipe has been read: its text is passed on stdin instead. */
function wordsFor(words: readonly string[], promptFile: string | null): string[] {
  const end = words.indexOf('--');
  const isFlag = (word: string, index: number): boolean => word === FLAG && (end < 0 || index < end);
  const kept = words.filter((word, index) => !isFlag(word, index));
  if (promptFile === null) return kept;
  const names = ['', '-f', '--prompt-file='].map((flag) => [flag, `${flag}${promptFile}`] as const);
  return kept.map((word) => {
    const [flag] = names.find(([, whole]) => whole === word) ?? [];
    return flag === undefined ? word : `${flag}-`;
  });
}
