/** Calls the plugin's hooks as Claude Code does: the committed scripts, one process per call, JSON on stdin. */
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { testFolder } from '../folder.ts';
import { type Exited, startProgram } from '../programs/program.ts';

export const PLUGIN = resolve(import.meta.dirname, '../../../plugin');

export type HookName = 'stop' | 'context-monitor' | 'session-start' | 'session-end';

export interface Calling {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Instead of the input as JSON. */
  readonly stdin?: string | AsyncIterable<string>;
  /** Programs in front of the hook. */
  readonly front?: readonly string[];
  /** Another copy of the plugin. */
  readonly plugin?: string;
}

export interface Session {
  readonly id: string;
  readonly folder: string;
  readonly transcript: string;
  call(hook: HookName, input?: Readonly<Record<string, unknown>>, calling?: Calling): Promise<Exited>;
  /** Writes a transcript of this many bytes; its content is not readable. */
  grow(bytes: number): void;
}

/** A session of Claude Code in `project`; what hooks store about it is removed when the test ends. */
export function hookSession(project = testFolder()): Session {
  const id = randomUUID();
  const folder = testFolder();
  const transcript = join(folder, 'transcript.jsonl');
  onTestFinished(() => {
    for (const name of readdirSync('/tmp').filter((file) => file.includes(id))) rmSync(join('/tmp', name));
  });
  const call: Session['call'] = (
    hook,
    input = {},
    { env = {}, cwd = project, stdin, front = [], plugin = PLUGIN } = {},
  ) => {
    const script = hook === 'session-start' ? ['run.sh', hook] : [`${hook}.sh`];
    const [name = '', ...args] = script;
    const [command = '', ...rest] = [...front, join(plugin, 'hooks', name), ...args];
    const given = { session_id: id, transcript_path: transcript, cwd: project, ...input };
    return startProgram([command, ...rest], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CLAUDE_PROJECT_DIR: project,
        CLAUDE_PLUGIN_ROOT: plugin,
        CLAUDE_CODE_SESSION_ID: id,
        ...env,
      },
      stdin: stdin ?? JSON.stringify(given),
    }).exited;
  };
  return { id, folder, transcript, call, grow: (bytes) => writeFileSync(transcript, Buffer.alloc(bytes, 1)) };
}

/** The answer as Claude Code reads it; null if there is none. */
export function answered({ code, stdout, stderr }: Exited): Record<string, unknown> | null {
  if (code !== 0 || stderr !== '') throw new Error(`the hook ended with ${code} and said ${stderr}`);
  return stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>);
}
