/** Performers one event to the hook, a node program, and resolves to its answer. */
import { spawn } from 'node:child_process';
import { HOOK_SECONDS } from '../../loops/session/request.ts';
import type { PluginAnswer, PluginEvent } from './events.ts';

export type HookCommand = readonly [node: string, ...args: string[]];

const PATIENCE_MS = HOOK_SECONDS * 1000;
const LONGEST_COMPLAINT = 500;

export async function askHook([node, ...args]: HookCommand, event: PluginEvent): Promise<PluginAnswer> {
  const { code, stdout, stderr } = await run(node, args, event.cwd, JSON.stringify(event));
  if (code !== 0) throw new Error(`the hook failed: ${stderr.trim().slice(0, LONGEST_COMPLAINT) || code}`);
  return stdout.trim() === '' ? { kind: 'nothing' } : (JSON.parse(stdout) as PluginAnswer);
}

interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], cwd: string, input: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: 'pipe', timeout: PATIENCE_MS });
    const [stdout, stderr]: [string[], string[]] = [[], []];
    child.stdout.setEncoding('utf8').on('data', (text: string) => stdout.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ code: code ?? signal, stdout: stdout.join(''), stderr: stderr.join('') }),
    );
    child.stdin.on('error', () => {
      // A hook that ends without reading its input is judged by its exit.
    });
    child.stdin.end(input);
  });
}
