/** A client of the built `ralph mcp` that talks to it over stdin and stdout, as agents do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ROOT, type Scene } from './scene.ts';

export interface Reply {
  readonly id: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ToolReply<Data> {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Data;
}

export interface McpClient {
  readonly pid: number;
  /** Writes the bytes as they are; a line must include its line feed. */
  write(bytes: string | Buffer): void;
  /** Sends a request and waits for its answer. */
  request(method: string, params?: object): Promise<Reply>;
  initialize(version?: string): Promise<Reply>;
  /** `data` is what the tool returned, unchecked: the test knows its type. */
  call<Data extends object = Readonly<Record<string, unknown>>>(name: string, given?: object): Promise<ToolReply<Data>>;
  /** The next line that is not an answer to one of our requests. */
  nextLine(): Promise<unknown>;
  /** All such lines that have arrived and were not taken by `nextLine`. */
  others(): readonly unknown[];
  /** Closes its stdin and waits for its end. Everything on stdout must have been lines of JSON. */
  close(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts a client and initializes it. */
export async function opened(scene: Place, ...flags: string[]): Promise<McpClient> {
  const client = mcpClient(scene, flags);
  await client.initialize();
  return client;
}

/** The calls that `ralph mcp` has logged. */
export function callsOf({ state }: Pick<Scene, 'state'>): Record<string, unknown>[] {
  const text = readFileSync(join(state, 'ralph/mcp-calls.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

type Place = Pick<Scene, 'work' | 'env'>;

export function mcpClient({ work: cwd, env }: Place, flags: readonly string[] = []): McpClient {
  const child = spawn(process.execPath, [join(ROOT, 'bin/ralph.cjs'), 'mcp', ...flags], { cwd, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  const waiting = new Map<string | number, (reply: Reply) => void>();
  const others: unknown[] = [];
  let [stdout, stderr, next] = ['', '', 0];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${stdout}${text}`.split('\n');
    stdout = lines.pop() ?? '';
    for (const line of lines) {
      const reply = JSON.parse(line) as Reply;
      const resolve = waiting.get(reply.id ?? '');
      if (resolve === undefined) {
        others.push(reply);
        child.emit('other');
      } else resolve(reply);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const request = (method: string, params: object = {}): Promise<Reply> => {
    const id = ++next;
    const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return Promise.race([answered, closed.then(() => Promise.reject(new Error(`it ended: ${stderr}`)))]);
  };
  return {
    pid: child.pid ?? 0,
    write: (bytes) => void child.stdin.write(bytes),
    request,
    async initialize(protocolVersion = '2025-06-18') {
      const clientInfo = { name: 'test-client', version: '1.0' };
      const reply = await request('initialize', { protocolVersion, capabilities: {}, clientInfo });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
      return reply;
    },
    async call<Data extends object>(name: string, given = {}): Promise<ToolReply<Data>> {
      const { result, error } = await request('tools/call', { name, arguments: given });
      if (error !== undefined) throw new Error(error.message);
      const { isError, content, structuredContent } = result as {
        isError: boolean;
        content: { text: string }[];
        structuredContent: Data;
      };
      return { isError, text: content[0]?.text ?? '', data: structuredContent };
    },
    async nextLine() {
      while (others.length === 0) await once(child, 'other');
      return others.shift();
    },
    others: () => others,
    async close() {
      child.stdin.end();
      const [code] = (await closed) as [number | null];
      expect(stdout).toBe('');
      return { code, stderr };
    },
  };
}
