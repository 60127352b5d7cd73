/** `session-loop.cjs <host>` reads an agent's hook event on stdin, and answers for its session's loop on stdout. */
import { writeSync } from 'node:fs';
import type { Fields, SessionAnswer } from '../agents/session/host.ts';
import { hostNamed } from '../agents/session/hosts.ts';
import { RalphError } from '../core/error.ts';
import { RECORDS_MISFIT } from '../core/machine/machine.ts';
import { faultMessage } from '../core/system-fault.ts';
import { maskFor } from '../core/text/mask.ts';
import { statusOfSession } from '../loops/session/rules.ts';
import {
  activeLoop,
  forgetActive,
  lastLoop,
  logPath,
  noteToolRun,
  readSessionLoop,
  sessionPlace,
} from '../loops/session/store.ts';
import { writeAll } from '../process/blocking.ts';
import { stateRoot } from '../state/paths.ts';
import { readInput } from './io/hook.ts';
import { type Call, repeatContract } from './session/call.ts';
import { answerCommand } from './session/commands.ts';
import { answerStop } from './session/stop.ts';

async function main(): Promise<void> {
  const host = hostNamed(process.argv[2]);
  if (host === null) throw new Error(`"${process.argv[2] ?? ''}" is not a known host`);
  const input = readInput();
  const stories = askStories(input);
  if (stories.isHeld) return;
  const event = host.readEvent(input);
  const place = event === null ? null : sessionPlace(stateRoot(process.env), event.session);
  if (event === null || place === null) return;
  const [typing, cap, mask] = [host.typing(process.env), host.cap?.(process.env) ?? null, maskFor(process.env)];
  const answer = await answerOrTrouble({ host, event, place, typing, cap, mask });
  writeAll(host.say(event, withNotice(answer, stories.notice)));
}

async function answerOrTrouble(call: Call): Promise<SessionAnswer> {
  const { event, place, mask } = call;
  try {
    switch (event.on) {
      case 'command':
        return answerCommand({ ...call, event });
      case 'stop':
        return await answerStop({ ...call, event });
      case 'context-renewed': {
        const folder = activeLoop(place);
        if (folder === null) return { kind: 'nothing' };
        const state = readSessionLoop(folder);
        return statusOfSession(state) === 'ACTIVE' ? repeatContract(call, folder, state) : { kind: 'nothing' };
      }
      case 'tool-run':
        noteToolRun(place);
        return { kind: 'nothing' };
    }
  } catch (error) {
    return trouble(call, mask(faultMessage(error)));
  }
}

/** An error must not hold the session. With a damaged journal the loop has ended; after a full disk it can continue. */
function trouble({ event, place, typing }: Call, reason: string): SessionAnswer {
  const say = (message: string): SessionAnswer =>
    event.on === 'command' ? { kind: 'reply', message, refused: true } : { kind: 'stop', notice: message };
  let where = '';
  try {
    const folder = activeLoop(place) ?? lastLoop(place);
    if (folder !== null && isDamaged(folder)) {
      forgetActive(place);
      return say(
        `ralph: the journal of this session's loop is damaged: ${reason}. The loop has ended and does not hold the session. What it did is in ${logPath(folder)}. To start a new one, run: ${typing.slash}ralph-loop "<task>"`,
      );
    }
    if (folder !== null) where = ` (${folder})`;
  } catch {
    // The folder of all loops cannot be read: the reason already says so.
  }
  return say(
    `ralph: the loop of this session could not continue: ${reason}${where}. It does not hold the session until that is fixed.`,
  );
}

function isDamaged(folder: string): boolean {
  try {
    readSessionLoop(folder);
    return false;
  } catch (error) {
    // Not damage: another file in its place can be moved away, and a newer release can read what it wrote.
    if (error instanceof RalphError) return error.code === 'JOURNAL_DAMAGED' || error.code === RECORDS_MISFIT;
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    return syscall === undefined || code === 'ENOENT';
  }
}

main().catch((error: unknown) => {
  // A bug of ours must not hold a session: it may stop, and the person sees why.
  writeSync(2, `ralph: the hook of the loop failed: ${faultMessage(error)}\n`);
  process.exitCode = 1;
});

/** The stories' Stop hook comes first: if it blocks, the agent does not stop. Other messages of it go out with ours. */
function askStories(input: Fields): { readonly isHeld: boolean; readonly notice: string | null } {
  const [hook, project] = process.argv.slice(3);
  if (hook === undefined || project === undefined) return { isHeld: false, notice: null };
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process');
  const asked = { input: JSON.stringify(input), encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [hook, project], asked);
  if (stderr !== '') writeSync(2, stderr);
  if (stdout.trim() === '') return { isHeld: false, notice: null };
  // The output comes from our own hook.
  const { decision, systemMessage = null } = JSON.parse(stdout) as { decision?: string; systemMessage?: string };
  if (decision !== 'block') return { isHeld: false, notice: systemMessage };
  writeAll(stdout);
  return { isHeld: true, notice: null };
}

function withNotice(answer: SessionAnswer, notice: string | null): SessionAnswer {
  if (notice === null || answer.kind === 'reply') return answer;
  if (answer.kind === 'nothing') return { kind: 'stop', notice };
  return { ...answer, notice: answer.notice === null ? notice : `${notice}\n${answer.notice}` };
}
