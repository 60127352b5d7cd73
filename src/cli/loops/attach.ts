/** `ralph attach`: shows the pane in which a loop's agent works. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RalphError } from '../../core/error.ts';
import { quoteWords } from '../../core/text/quote-word.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { attachWords, hasPane } from '../../runners/tmux.ts';
import { loopFolder } from '../../state/paths.ts';
import { runsFolder } from '../../state/run-files.ts';
import type { Found } from '../../views/found-loop.ts';
import { foundLoop, type LoopsContext } from './context.ts';
import { requestOf } from './resume.ts';

/** `isInside`: this terminal is inside tmux, which refuses to attach to another server. */
export interface Pane {
  readonly words: readonly string[];
  readonly isInside: boolean;
}

export async function attachCommand(name: string | null, context: LoopsContext): Promise<number> {
  const found = await foundLoop(context, {
    name,
    among: { is: ({ ending }) => ending === null, what: 'unfinished loop' },
  });
  const { words, isInside } = await paneOf(found, context);
  const [program = 'tmux', ...args] = words;
  const { stdin, stdout } = process;
  if (isInside || !stdin.isTTY || !stdout.isTTY) {
    if (isInside) context.say('You are inside tmux. In another terminal, run:');
    context.say(quoteWords(words));
    return 0;
  }
  const [code] = (await once(spawn(program, args, { stdio: 'inherit' }), 'exit')) as [number | null];
  return code ?? 1;
}

export async function paneOf({ loop, short }: Found, context: LoopsContext): Promise<Pane> {
  const { root, variables } = context.environment;
  if (loop.loopKind === 'session') {
    const hint = 'Open that session where you started it. To see the state of its loop, type in it: /ralph-status';
    throw new RalphError('SESSION', `loop ${short} runs inside a session, which ralph cannot attach to`, {
      hint,
      exitCode: 1,
    });
  }
  if (loop.loopKind === 'swarm') return workerPane(loop, context);
  const { phase } = loop;
  const words =
    phase.at === 'await' && hasPane(phase.handle) ? attachWords(runsFolder(loopFolder(root, loop.id))) : null;
  if (words !== null) return { words, isInside: (variables.TMUX ?? '') !== '' };
  const hint = `To follow its output: ralph logs ${short} -f`;
  throw new RalphError('NO_PANE', `no agent of loop ${short} is at work in a pane`, { hint, exitCode: 1 });
}

async function workerPane(loop: ReadableLoop, context: LoopsContext): Promise<Pane> {
  const { home } = await requestOf(loop, context);
  const [{ runInSwarm }, { attachTarget }] = await Promise.all([
    import('../swarm/context.ts'),
    import('../swarm/panes.ts'),
  ]);
  let pane: Pane | null = null;
  await runInSwarm(async (own) => {
    const swarm = typeof home === 'string' ? { ...own, home } : own;
    const { words, isSameServer } = await attachTarget(swarm, loop.about.name ?? '');
    pane = { words, isInside: !isSameServer && (swarm.env.TMUX ?? '') !== '' };
  });
  if (pane === null) throw new Error('a worker without a pane is refused');
  return pane;
}
