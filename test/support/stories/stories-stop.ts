/** A project in the middle of an iteration of a stories loop, and its Stop hook as Claude Code calls it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Story } from '../../../src/loops/stories/list/tasks.ts';
import { type Repository, testRepository } from '../git/repository.ts';
import { answered, type Calling, hookSession, type Session } from '../session/plugin-hooks.ts';
import { story, tasksOf } from './stories.ts';

export interface Project {
  readonly repository: Repository;
  readonly session: Session;
  marker(fields: Readonly<Record<string, unknown>> | string): void;
  /** Writes and commits the list of stories. */
  tasks(...stories: Story[]): void;
  stop(input?: Readonly<Record<string, unknown>>, calling?: Calling): ReturnType<Session['call']>;
}

export function project(): Project {
  const repository = testRepository();
  const session = hookSession(repository.cwd);
  mkdirSync(join(repository.cwd, 'ralph'));
  return {
    repository,
    session,
    marker: (fields) => repository.write('.ralph-active', typeof fields === 'string' ? fields : JSON.stringify(fields)),
    tasks(...stories) {
      repository.write('ralph/tasks.json', JSON.stringify(tasksOf(...stories)));
      repository.git('add', 'ralph');
      repository.git('commit', '-m', 'tasks');
    },
    stop: (input, calling) =>
      session.call('stop', { hook_event_name: 'Stop', stop_hook_active: false, ...input }, calling),
  };
}

/** A loop whose iteration began with `before` and ended with `after`, all committed. */
export function iteration(
  mode: string,
  before: Story[],
  after: Story[],
  more: Readonly<Record<string, unknown>> = {},
): Project {
  const scene = project();
  const snapshot = before.map(({ id, passes, reviewStatus, reviewCount }) => [
    id,
    { passes, reviewStatus, reviewCount },
  ]);
  scene.marker({ iterationMode: mode, preIterationSnapshot: Object.fromEntries(snapshot), reviewCap: 5, ...more });
  scene.tasks(...after);
  return scene;
}

export const US = (fields: Partial<Story> = {}) => story('US-001', fields);
export const OTHER = (fields: Partial<Story> = {}) => story('US-002', fields);

/** The reason with which the hook blocks the stop, or `may stop`. */
export async function told(scene: Project, calling?: Calling): Promise<string> {
  const answer = answered(await scene.stop({}, calling));
  return answer?.decision === 'block' ? String(answer.reason) : 'may stop';
}
