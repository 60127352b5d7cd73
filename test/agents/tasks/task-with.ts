/** What `ralph task` must do with a real agent: it works until it has written the DONE file itself, with a tool. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/bus/message.ts';
import { readMessages } from '../../../src/bus/read.ts';
import { runFile, taskFile } from '../../../src/loops/tasks/folder/task-folder.ts';
import { type RunInfo, readRunInfo } from '../../../src/loops/tasks/runs/run-info.ts';
import type { Turn } from '../../../src/rehearsal/script/script.ts';
import { type AgentName, type AgentScene, agentScene, installAgents } from '../scene.ts';

const PROJECT = 'my-project';
const TASK = 'task-20260220-153045-basket';

export interface TaskRehearsal {
  readonly scene: AgentScene;
  /** The task's folder. */
  readonly task: string;
  run(turns: readonly Turn[], prompt: string, ...more: string[]): ReturnType<AgentScene['rehearse']>;
  runs(): RunInfo[];
  messages(): Message[];
}

/** As root, Claude Code works without asking only if it is told that it is in a sandbox. */
const ENV = { IS_SANDBOX: '1' };

export function rehearseTask(
  agent: AgentName,
  program: string,
  env: Readonly<Record<string, string>> = ENV,
): TaskRehearsal {
  const scene = agentScene([program], { 'notes.txt': '' }, env);
  const task = join(scene.home, '.run-agent/runs', PROJECT, TASK);
  const flags = [
    '--project',
    PROJECT,
    '--task',
    TASK,
    '--agent',
    agent,
    '--restart-delay',
    '10ms',
    '--max-restarts',
    '5',
  ];
  return {
    scene,
    task,
    run: (turns, prompt, ...more) => scene.rehearse({ turns }, ['task', 'run', ...flags, '--prompt', prompt, ...more]),
    runs: () =>
      readdirSync(taskFile.runs(task))
        .flatMap((id) => readRunInfo(runFile.info(join(taskFile.runs(task), id))) ?? [])
        .sort((a, b) => a.startTime - b.startTime),
    messages: () => [...readMessages(taskFile.bus(task)).messages],
  };
}

export function taskWith(agent: AgentName): void {
  let program: string;
  let rehearsal: TaskRehearsal;

  beforeAll(() => {
    [program = ''] = installAgents(agent);
  }, 600_000);

  afterEach(() => rehearsal.scene.remove());

  describe(`ralph task with the real ${agent}`, () => {
    test('an agent that only talks is started again, until it writes the DONE file with a tool', async () => {
      rehearsal = rehearseTask(agent, program);
      const { code, stdout, stderr } = await rehearsal.run(
        [
          { match: 'Fill the basket', say: 'I look around first.' },
          { match: 'Continue working on the following:', say: 'I think that I am done.' },
          {
            match: 'Continue working on the following:',
            say: 'Now I finish it.',
            run: 'echo finished > "$JRUN_TASK_FOLDER/DONE"',
          },
          { say: 'It is finished.' },
        ],
        'Fill the basket.',
      );
      expect(stderr).toContain('Starting agent (attempt 3/5)');
      expect(stderr).not.toContain('attempt 4/5');
      expect(stderr).toContain('task completed (DONE marker present, no active children)');
      expect(stderr).toContain('4 turns played, 0 left');
      expect(stdout).toContain('Now I finish it.');
      expect(code).toBe(0);
      expect(existsSync(taskFile.done(rehearsal.task))).toBe(true);
      expect(rehearsal.runs().map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
      expect(rehearsal.runs()[0]?.agentVersion).toMatch(/^\d+\.\d+\.\d+/);
      const outputs = rehearsal.runs().map(({ outputPath }) => readFileSync(outputPath, 'utf8'));
      expect(outputs).toEqual(['I look around first.\n', 'I think that I am done.\n', 'It is finished.\n']);
      expect(rehearsal.scene.processes()).toEqual([]);
    });
  });
}
