/** The state machine of each loop kind, imported only when it is needed: a list of finished loops needs none. */
import type { LoopMachine } from '../core/machine/machine.ts';

type AnyMachine = LoopMachine<unknown>;

const tasks = async () => (await import('../loops/tasks/rules.ts')).taskMachine;

const MACHINES: Readonly<Record<string, () => Promise<AnyMachine>>> = {
  run: async () => (await import('../loops/run/rules.ts')).runMachine,
  swarm: async () => (await import('../loops/swarm/ralph/rules.ts')).ralphMachine,
  task: tasks,
  job: tasks,
  'ralph-loop': tasks,
  stories: async () => (await import('../loops/stories/rules.ts')).storiesMachine,
  session: async () => (await import('../loops/session/rules.ts')).sessionMachine,
};

export async function machineOf(loopKind: string): Promise<AnyMachine | null> {
  return Object.hasOwn(MACHINES, loopKind) ? ((await MACHINES[loopKind]?.()) ?? null) : null;
}
