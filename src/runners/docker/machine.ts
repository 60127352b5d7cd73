/**
 * Makes a project's sandbox, or readies the one that is there. Docker's own template is customised by `exec`: the virtual
 * machine has an image store of its own, so an image that was built here could not be used.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DockerTemplate } from '../../core/agent-access.ts';
import { RalphError } from '../../core/error.ts';
import { makeFolders, writeFile } from '../../process/files.ts';

/** What a sandbox is made with. */
export interface DockerPolicy {
  readonly name: string;
  readonly workspace: string;
  /** Folders that are shared with it besides: the repository of a worktree. */
  readonly shared: readonly string[];
  readonly home: string;
  readonly hosts: readonly string[];
  readonly template: DockerTemplate;
}

/** One sandbox per project. */
export function sandboxName(workspace: string): string {
  return `ralph-${workspace.replaceAll(/[^A-Za-z0-9._-]/g, '_')}`;
}

/** The login outlives a sandbox: it lies here, and the home folder inside links to it. */
export function authFolder(home: string): string {
  return join(home, '.dclaude_state');
}

/** Of the user that the agent is inside. */
export const AGENT_HOME = '/home/agent';

/** `$1`, `$2`: what is linked. `$3`: the folder with the login, which has the same path inside. */
const LINK_LOGIN = `
  for name in "$1" "$2"; do
    rm -rf "${AGENT_HOME}/$name"
    ln -s "$3/$name" "${AGENT_HOME}/$name"
    chown -h agent:agent "${AGENT_HOME}/$name" 2>/dev/null || true
  done`;
const NAME_COMMITTER = `
  git config --global user.email ralph@localhost
  git config --global user.name "Ralph Loop"`;

/** Making one takes a while: it is said first. */
export async function prepareSandbox(
  docker: Docker,
  { name, workspace, shared, home, hosts, template }: DockerPolicy,
  tell?: (line: string) => void,
): Promise<void> {
  const auth = makeAuthFolder(home, template);
  const isNew = !(await sandboxNames(docker)).includes(name);
  tell?.(`${isNew ? 'Creating sandbox' : 'Reusing existing sandbox'}: ${name}`);
  if (isNew) {
    must('create', await docker(['create', '--name', name, template.name, workspace, auth, ...shared]));
    await setUp(docker, name, auth, template);
  }
  const allowed = hosts.flatMap((host) => ['--allow-host', host]);
  must('network', await docker(['network', 'proxy', name, '--policy', 'deny', ...allowed]));
  // What was edited here since it last ran would never be seen inside.
  if (!isNew) await resync(docker, name);
}

/** The next call starts it again, with all files as they are here now. */
export async function resync(docker: Docker, name: string): Promise<void> {
  must('stop', await docker(['stop', name]));
}

async function sandboxNames(docker: Docker): Promise<string[]> {
  const { stdout } = must('ls', await docker(['ls']));
  return stdout.split('\n').map((line) => line.trim().split(/\s+/)[0] ?? '');
}

export function must(what: string, answer: DockerAnswer): DockerAnswer {
  if (answer.ok) return answer;
  throw new RalphError('DOCKER', `"docker sandbox ${what}" failed: ${reasonOf(answer)}`, {
    hint: "Look at Docker Desktop; --sandbox=os is the operating system's own sandbox.",
  });
}

/** One without its login would fail in every loop: it is not left behind. */
async function setUp(docker: Docker, name: string, auth: string, { login }: DockerTemplate): Promise<void> {
  try {
    must(
      'exec',
      await docker(['exec', '-u', 'root', name, 'bash', '-c', LINK_LOGIN, 'setup', login.folder, login.file, auth]),
    );
    must('exec', await docker(['exec', name, 'bash', '-c', NAME_COMMITTER]));
  } catch (error) {
    await docker(['rm', name]);
    throw error;
  }
}

function makeAuthFolder(home: string, { login }: DockerTemplate): string {
  const folder = authFolder(home);
  makeFolders(join(folder, login.folder), 0o700);
  const file = join(folder, login.file);
  // An empty file is no JSON, and keeps the agent from starting.
  const isEmpty = !existsSync(file) || readFileSync(file, 'utf8').trim() === '';
  if (isEmpty) writeFile(file, '{}\n', { mode: 0o600 });
  return folder;
}

interface DockerAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls `docker sandbox …` and waits for its end. */
export type Docker = (args: readonly string[], stdin?: string | Uint8Array) => Promise<DockerAnswer>;

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
