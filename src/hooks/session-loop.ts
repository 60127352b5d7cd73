/**
 * The loop inside a session: `session-loop.cjs <host>` hears one hook event of an agent on stdin and answers on stdout.
 * A session without a loop is none of its business, and whatever goes wrong here lets the session stop, with a message.
 */
import { writeSync } from 'node:fs';
import { maskFor } from '../core/mask.ts';
import { faultMessage } from '../core/system-fault.ts';
import { stateRoot } from '../state/paths.ts';
import { readInput } from './io/input.ts';
import { answerCommand } from './session/commands.ts';
import { answerRenewed } from './session/context.ts';
import type { SessionAnswer, SessionEvent, SessionHost } from './session/host.ts';
import { hostNamed } from './session/hosts.ts';
import { answerStop } from './session/stop.ts';
import { activeLoop, forgetActive, readLoop, type SessionPlace, sessionPlace } from './session/store.ts';
import { askStories, withNotice } from './session/stories-first.ts';

async function main(): Promise<void> {
  const host = hostNamed(process.argv[2]);
  if (host === null) throw new Error(`"${process.argv[2] ?? ''}" is no host of a loop`);
  const input = readInput();
  const stories = askStories(input, process.argv[3], process.argv[4]);
  if (stories.isHeld) return;
  const event = host.hear(input, process.env);
  const place = event === null ? null : sessionPlace(stateRoot(process.env), event.session);
  if (event === null || place === null) return;
  write(host.say(event, withNotice(await answerOrTrouble(host, event, place), stories.notice)));
}

async function answerOrTrouble(host: SessionHost, event: SessionEvent, place: SessionPlace): Promise<SessionAnswer> {
  try {
    switch (event.on) {
      case 'command':
        return answerCommand(host, event, place);
      case 'stop':
        return await answerStop(host, event, place);
      case 'context-renewed':
        return answerRenewed(host, place);
    }
  } catch (error) {
    return trouble(host, event, place, maskFor(process.env)(faultMessage(error)));
  }
}

/** The loop cannot be turned. It does not hold the session; one that nobody can read does not complain at every stop. */
function trouble(host: SessionHost, event: SessionEvent, place: SessionPlace, reason: string): SessionAnswer {
  if (!isReadable(place)) forgetActive(place);
  const message = `ralph: the loop of this session could not go on: ${reason}. It does not hold the session; ${host.typing(process.env).slash}ralph-status tells what is left of it.`;
  return event.on === 'command' ? { kind: 'reply', message, refused: true } : { kind: 'stop', notice: message };
}

function isReadable(place: SessionPlace): boolean {
  try {
    const folder = activeLoop(place);
    if (folder !== null) readLoop(folder);
    return true;
  } catch {
    return false;
  }
}

/** A pipe takes a long answer in pieces. */
function write(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

main().catch((error: unknown) => {
  // Whatever is wrong with us must not hold a session: it may stop, and is told why nobody kept it going.
  writeSync(2, `ralph: the hook of the loop failed: ${faultMessage(error)}\n`);
  process.exitCode = 1;
});
