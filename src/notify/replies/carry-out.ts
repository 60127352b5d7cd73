/** Carries out a reply through the same queue as `ralph answer`, `pause` and `stop`, if the loop still waits for it. */
import { plainLines } from '../../core/notice.ts';
import { questionOf } from '../../core/state.ts';
import type { Command } from '../../engine/control.ts';
import { isReadable, type LoopStore, type ReadableLoop, type StoredLoop } from '../../engine/store/loop-store.ts';
import { isAnswered, isAsking, isResumable, successorOf } from '../../views/resumable.ts';
import type { ReplyRequest } from './reply-book.ts';

/** The requests that their loops still wait for. */
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
 * Whether the loop still waits for an answer to this very question or, if there was no question, whether there is
 * something to pause or stop. A button of an old message must not affect what the loop does now.
 */
export function isOpen(loop: ReadableLoop, { does, question }: ReplyRequest, all: readonly StoredLoop[]): boolean {
  const isAsked = question === null || (isAsking(loop) && !isAnswered(loop) && plainLines(askedBy(loop)) === question);
  // Same rule as `ralph answer`: a loop that is over and cannot be resumed takes no answer.
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
  /** The loop has moved on, or is over. */
  | { readonly is: 'late' };

export async function carryOut(store: LoopStore, request: ReplyRequest, text: string): Promise<CarriedOut> {
  const all = await store.list();
  const loop = all.find(({ id }) => id === request.loop.id);
  if (loop === undefined || !isReadable(loop) || !isOpen(loop, request, all)) return { is: 'late' };
  const { command: word } = request.does;
  const command: Command = word === 'answer' ? { command: 'answer', text } : { command: word };
  // The fixed id prevents duplicates: a sender that died before it noted the reply sends the command again.
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
