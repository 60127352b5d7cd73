/** A project with stories, an agent that edits its list, and the built binary to run in it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Story, TasksFile } from '../../src/loops/stories/list/tasks.ts';
import type { Exited, Program } from '../support/programs/program.ts';
import { makeScene, ROOT, type Scene, type SceneOptions } from '../support/scene.ts';
import { tasksOf } from '../support/stories/stories.ts';

export interface StoriesScene extends Scene {
  /** Starts `ralph stories …`. */
  stories(...args: string[]): Program;
  /** Runs the loop to its end. */
  loop(...flags: string[]): Promise<Exited>;
  tasks(): TasksFile;
  story(id: string): Story;
  has(path: string): boolean;
  /** The subjects of the commits, newest first. */
  commits(): string[];
}

/** `edit` changes the list, `commit` commits all, `honest` does what the iteration's mode asks for. */
export const PLAY = `
edit() { node "${join(ROOT, 'test/fakes/story-edit.cjs')}" "$1"; }
commit() { git add -A && git commit -qm "$1"; }
honest() { edit "honest('$1')" && commit "work of $RALPH_KEY" && echo "did $RALPH_KEY"; }
`;

export const PRD = '# What is wanted\n';

export interface StoriesSceneOptions extends SceneOptions {
  readonly verifyCommands?: readonly string[];
}

export function storiesScene(stories: readonly Story[], options: StoriesSceneOptions): StoriesScene {
  const scene = makeScene({ ...options, play: `${PLAY}${options.play}`, env: { IS_SANDBOX: '1', ...options.env } });
  const agent = join(scene.folder, 'bin', options.agent ?? 'agent');
  return withStories(scene, stories, ['--no-sandbox', '--agent', agent, '--failure-backoff', '10ms'], options);
}

/** Writes the files of a project; `usual` are the flags of its loops. */
export function withStories<Here extends Scene>(
  scene: Here,
  stories: readonly Story[],
  usual: readonly string[],
  { verifyCommands = [] }: Pick<StoriesSceneOptions, 'verifyCommands'> = {},
): Here & StoriesScene {
  const { work, git } = scene;
  mkdirSync(join(work, 'ralph'));
  const write = (path: string, text: string): void => writeFileSync(join(work, path), text);
  write('ralph/tasks.json', `${JSON.stringify({ ...tasksOf(...stories), verifyCommands }, null, 2)}\n`);
  write('ralph/prd.md', PRD);
  write('ralph/prompt.md', 'Iteration $RALPH_ITERATION of {{RALPH_MAX_ITERATIONS}}.\n');
  write('ralph/progress.txt', '# Ralph Progress Log\n');
  git('add', 'ralph');
  git('commit', '--quiet', '--message=plan');
  const tasks = (): TasksFile => JSON.parse(readFileSync(join(work, 'ralph/tasks.json'), 'utf8')) as TasksFile;
  const stories_ = (...args: string[]): Program => scene.ralph(['stories', ...args]);
  return {
    ...scene,
    stories: stories_,
    loop: (...flags) => stories_('run', ...usual, ...flags).exited,
    tasks,
    story(id) {
      const found = tasks().userStories.find((one) => one.id === id);
      if (found === undefined) throw new Error(`no story ${id}`);
      return found;
    },
    has: (path) => existsSync(join(work, path)),
    commits: () => git('log', '--format=%s').trim().split('\n'),
  };
}
