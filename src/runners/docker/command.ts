/** Calls `docker sandbox …` and waits for its end. */
import { spawn } from 'node:child_process';

export interface DockerAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export type Docker = (args: readonly string[], stdin?: string | Uint8Array) => Promise<DockerAnswer>;

/** `program`: where Docker is. */
export function dockerSandboxCommand(program: string, env: NodeJS.ProcessEnv): Docker {
  return (args, stdin) =>
    new Promise((resolve) => {
      const child = spawn(program, ['sandbox', ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
      const said = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].setEncoding('utf8').on('data', (text: string) => {
          said[stream] += text;
        });
      }
      child.stdin.on('error', () => {
        // It ended without reading; its exit tells.
      });
      child.stdin.end(stdin ?? '');
      child.once('error', (error) => resolve({ ok: false, stdout: '', stderr: error.message }));
      child.once('close', (code) => resolve({ ok: code === 0, ...said }));
    });
}

/** Docker's own reason, in a line. */
export function reasonOf({ stderr, stdout }: DockerAnswer): string {
  const [line = ''] = `${stderr}\n${stdout}`.trim().split('\n');
  return line === '' ? 'it said nothing' : line;
}
