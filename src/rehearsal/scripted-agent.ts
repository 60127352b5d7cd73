/**
 * The agent that comes with ralph: it plays a script, really works (it writes files and runs commands) and prints
 * Claude Code's stream-json, so that you can watch a loop work without an account. It plays the first reply whose
 * `match` is in the prompt.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { RalphError } from '../core/error.ts';

const step = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ write: z.strictObject({ path: z.string(), content: z.string() }) }),
  z.strictObject({ run: z.string() }),
]);

const replies = z.strictObject({
  /** How long to wait before each step, so that a person can follow. */
  paceMs: z.number().nonnegative().default(0),
  replies: z.array(z.strictObject({ match: z.string().default(''), steps: z.array(step) })).min(1),
});

type Step = z.infer<typeof step>;

async function play(): Promise<void> {
  const began = performance.now();
  const { values } = parseArgs({ options: { script: { type: 'string' }, prompt: { type: 'string', short: 'p' } } });
  const script = readReplies(values.script ?? '');
  tell({ type: 'system', subtype: 'init', session_id: 'scripted' });
  let said = '';
  let tools = 0;
  for (const step of script.replies.find(({ match }) => (values.prompt ?? '').includes(match))?.steps ?? []) {
    await sleep(script.paceMs);
    if ('say' in step) {
      said = step.say;
      tell({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: said }] } });
    } else useTool(step, `tool_${++tools}`);
  }
  const duration = Math.round(performance.now() - began);
  const figures = { duration_ms: duration, total_cost_usd: 0 };
  tell({ type: 'result', subtype: 'success', is_error: false, result: said, ...figures });
}

function readReplies(path: string): z.infer<typeof replies> {
  const parsed = replies.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new RalphError('SCRIPT', `${path} is not a script for the scripted agent: ${faults}`);
}

function useTool(step: Exclude<Step, { say: string }>, id: string): void {
  const { name, input, output, isError } = 'write' in step ? write(step.write) : run(step.run);
  const use = { type: 'tool_use', id, name, input };
  tell({ type: 'assistant', message: { role: 'assistant', content: [use] } });
  const result = { type: 'tool_result', tool_use_id: id, content: output, is_error: isError };
  tell({ type: 'user', message: { role: 'user', content: [result] } });
}

function write({ path, content }: { path: string; content: string }) {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(path, content);
  return { name: 'Write', input: { file_path: path, content }, output: `Wrote ${path}`, isError: false };
}

function run(command: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { name: 'Bash', input: { command }, output: `${stdout}${stderr}`, isError: status !== 0 };
}

function tell(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

void play();
