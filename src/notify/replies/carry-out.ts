/** Does what a reply says, through the same queue as `ralph answer`, `pause` and `stop`, if the loop still waits for it. */
import { plainLines } from '../../core/notice.ts';
import { questionOf } from '../../core/state.ts';
import type { Command } from '../../engine/control.ts';
import { isReadable, type LoopStore, type ReadableLoop, type StoredLoop } from '../../engine/store/loop-store.ts';
import { isAnswered, isAsking, isResumable, successorOf } from '../../views/resumable.ts';
import type { ReplyRequest } from './reply-book.ts';

/** The loops whose requests can still be met. */
export async function openLoops(store: LoopStore, requests: readonly ReplyRequest[]): Promise<ReplyRequest[]> {
  if (requests.length === 0) return [];
  const all = await store.list();
  const loops = new Map(all.filter(isReadable).map((loop) => [loop.id, loop]));
  return requests.filter((request) => {
    const loop = loops.get(request.loop.id);
    return loop !== undefined && isOpen(loop, request, all);
  });
}

/**
 * Does the loop still wait for an answer to this very question? Where none was asked: is there something to pause or stop?
 * A button of an old message does nothing to what the loop does now.
 */
export function isOpen(loop: ReadableLoop, { does, question }: ReplyRequest, all: readonly StoredLoop[]): boolean {
  const isAsked = question === null || (isAsking(loop) && !isAnswered(loop) && plainLines(askedBy(loop)) === question);
  // As `ralph answer` has it: one that is over and never continues takes no answer.
  const canGoOn = loop.ending === null || (isResumable(loop) && successorOf(loop, all) === null);
  if (does.command === 'answer') return isAsked && canGoOn;
  const isTurned = loop.ending === null && (loop.supervisor !== null || loop.loopKind === 'session');
  return isAsked && isTurned && loop.wanted !== 'stop';
}

function askedBy(loop: ReadableLoop): string {
  if (loop.ending === null) return questionOf(loop) ?? '';
  return 'reason' in loop.ending ? (loop.ending.reason ?? '') : '';
}

export type CarriedOut =
  | { readonly is: 'done'; readonly says: string }
  /** The loop has gone on, or is over. */
  | { readonly is: 'late' };

export async function carryOut(store: LoopStore, request: ReplyRequest, text: string): Promise<CarriedOut> {
  const all = await store.list();
  const loop = all.find(({ id }) => id === request.loop.id);
  if (loop === undefined || !isReadable(loop) || !isOpen(loop, request, all)) return { is: 'late' };
  const { command: word } = request.does;
  const command: Command = word === 'answer' ? { command: 'answer', text } : { command: word };
  // A sender that died before it could note that this was sent sends it again.
  await store.send(loop.id, command, `reply-${request.hash.slice(0, 32)}`);
  return { is: 'done', says: saysOf(word, loop, request.loop.name) };
}

function saysOf(word: ReplyRequest['does']['command'], loop: ReadableLoop, name: string): string {
  if (word !== 'answer') {
    const later = loop.loopKind === 'session' ? 'when its agent next stops' : 'after this iteration';
    return `Loop ${name} ${word === 'pause' ? 'pauses' : 'stops'} ${loop.phase.at === 'wait' ? 'now' : later}.`;
  }
  if (loop.ending === null && loop.supervisor !== null) return `Loop ${name} continues with your answer.`;
  return `Your answer is kept. To continue, run: ralph resume ${name}`;
}
