/**
 * Creates the virtual machine of a Docker Sandbox. It is set up by `exec`, not by a custom image: the machine has its
 * own image store, which does not contain images built here.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DockerTemplate } from '../../core/agent-access.ts';
import { errnoOf, RalphError } from '../../core/error.ts';
import { faultMessage } from '../../core/system-fault.ts';
import { shellQuote } from '../../core/text/quote-word.ts';
import { makeFolders, writeFile } from '../../process/files.ts';

export interface DockerPolicy {
  readonly name: string;
  readonly workspace: string;
  /** More folders that are shared with it, such as the repository of a worktree. */
  readonly shared: readonly string[];
  readonly home: string;
  readonly hosts: readonly string[];
  readonly template: DockerTemplate;
}

/** One sandbox per project. */
export function sandboxName(workspace: string): string {
  return `ralph-${workspace.replaceAll(/[^A-Za-z0-9._-]/g, '_')}`;
}

/** The login outlives a sandbox: it is stored here, and the home folder inside links to it. */
export function authFolder(home: string): string {
  return join(home, '.dclaude_state');
}

/** The home folder of the agent's user inside. */
export const AGENT_HOME = '/home/agent';

/** `$1`, `$2`: the names to link. `$3`: the folder that holds the login; it has the same path inside. */
const LINK_LOGIN = `
  for name in "$1" "$2"; do
    rm -rf "${AGENT_HOME}/$name"
    ln -s "$3/$name" "${AGENT_HOME}/$name"
    chown -h agent:agent "${AGENT_HOME}/$name" 2>/dev/null || true
  done`;
const NAME_COMMITTER = `
  git config --global user.email ralph@localhost
  git config --global user.name "Ralph Loop"`;

/** Creating a machine takes a while, so that is announced first. */
export async function prepareSandbox(
  docker: Docker,
  { name, workspace, shared, home, hosts, template }: DockerPolicy,
  tell?: (line: string) => void,
): Promise<void> {
  const auth = makeAuthFolder(home, template);
  const names = (await docker(['ls'])).split('\n').map((line) => line.trim().split(/\s+/)[0]);
  const isNew = !names.includes(name);
  tell?.(`${isNew ? 'Creating sandbox' : 'Reusing existing sandbox'}: ${name}`);
  if (isNew) {
    await docker(['create', '--name', name, template.name, workspace, auth, ...shared]);
    await setUp(docker, name, auth, template);
  }
  const allowed = hosts.flatMap((host) => ['--allow-host', host]);
  await docker(['network', 'proxy', name, '--policy', 'deny', ...allowed]);
  // Otherwise, what was edited since it last ran would never be visible inside. The next call starts it with the
  // current files.
  if (!isNew) await docker(['stop', name]);
}

function failed(what: string): RalphError {
  const hint = "Check Docker Desktop; --sandbox=os is the operating system's own sandbox.";
  return new RalphError('DOCKER', what, { hint });
}

/** A machine without its login would fail in every loop, so it is removed. */
async function setUp(docker: Docker, name: string, auth: string, { login }: DockerTemplate): Promise<void> {
  const link = ['bash', '-c', LINK_LOGIN, 'setup', login.folder, login.file, auth];
  try {
    await docker(['exec', '-u', 'root', name, ...link]);
    await docker(['exec', name, 'bash', '-c', NAME_COMMITTER]);
  } catch (error) {
    await docker(['rm', name]).catch(() => undefined);
    throw error;
  }
}

function makeAuthFolder(home: string, { login }: DockerTemplate): string {
  const folder = authFolder(home);
  makeFolders(join(folder, login.folder), 0o700);
  const file = join(folder, login.file);
  // An empty file is not valid JSON, and keeps the agent from starting.
  const isEmpty = !existsSync(file) || readFileSync(file, 'utf8').trim() === '';
  if (isEmpty) writeFile(file, '{}\n', { mode: 0o600 });
  return folder;
}

/** Calls `docker sandbox …` and resolves to what it prints; rejects with Docker's own reason, in one line. */
export type Docker = (args: readonly string[], stdin?: string | Uint8Array) => Promise<string>;

export function dockerSandboxCommand(program: string, env: NodeJS.ProcessEnv): Docker {
  const options = { env, maxBuffer: Number.POSITIVE_INFINITY };
  return (args, stdin = '') =>
    new Promise((resolve, reject) => {
      const child = execFile(program, ['sandbox', ...args], options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        // A program that could not be started has printed nothing.
        const said = errnoOf(error) === undefined ? `${stderr}\n${stdout}` : error.message;
        const reason = said.trim().split('\n')[0] || 'it said nothing';
        reject(failed(`"docker sandbox ${args[0]}" failed: ${reason}`));
      });
      // It may end without reading its input; its exit says why.
      child.stdin?.on('error', () => undefined).end(stdin);
    });
}

type Copied = ReturnType<typeof filesOf>[number];

/** `$1`: the folder. Lists each file with its digest, and then those that are executable. */
const LIST = `
  cd -- "$1" || exit
  export LC_ALL=C
  find . ! -type d ! -type f -print
  find . -type f -print0 | sort -z | xargs -0 sha256sum
  find . -type f -perm -u+x -print | sort`;

/** By one `exec`: nothing has to be mounted or installed. What arrives is compared, file by file. */
export async function copyFolderIn(docker: Docker, name: string, from: string, to: string): Promise<void> {
  const files = filesOf(from);
  const wanted = listOf(files);
  const isSame = async (): Promise<boolean> =>
    (await docker(['exec', name, 'bash', '-c', LIST, 'list', to]).catch(() => null)) === wanted;
  if (await isSame()) return;
  const contents = Buffer.concat(files.map(({ content }) => content));
  const problem = await docker(['exec', '-i', name, 'bash', '-c', unpackScript(files), 'unpack', to], contents).then(
    async () => ((await isSame()) ? null : 'what arrived is not what was sent'),
    faultMessage,
  );
  if (problem !== null) throw failed(`${from} cannot be copied into the sandbox: ${problem}`);
}

function filesOf(folder: string) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const stat = statSync(join(folder, path));
    if (!stat.isFile()) return [];
    return [{ path, content: readFileSync(join(folder, path)), isProgram: (stat.mode & 0o100) !== 0 }];
  });
  return files.sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/** In the format of the list that is made inside. */
function listOf(files: readonly Copied[]): string {
  const sums = files.map(({ path, content }) => `${createHash('sha256').update(content).digest('hex')}  ./${path}\n`);
  const programs = files.filter(({ isProgram }) => isProgram).map(({ path }) => `./${path}\n`);
  return [...sums, ...programs].join('');
}

/** The contents come on stdin, one after the other: a script there would be read by the shell byte by byte. */
function unpackScript(files: readonly Copied[]): string {
  const pathsOf = (some: readonly Copied[]): string => some.map(({ path }) => shellQuote(`./${path}`)).join(' ');
  const folders = [...new Set(files.map(({ path }) => shellQuote(`./${dirname(path)}`)))].join(' ');
  const programs = files.filter(({ isProgram }) => isProgram);
  return [
    'set -e',
    'rm -rf -- "$1"',
    'mkdir -p -- "$1"',
    'cd -- "$1"',
    `mkdir -p -- ${folders}`,
    ...files.map(({ path, content }) => `head -c ${content.length} >${shellQuote(`./${path}`)}`),
    `chmod 644 -- ${pathsOf(files)}`,
    ...(programs.length === 0 ? [] : [`chmod 755 -- ${pathsOf(programs)}`]),
  ].join('\n');
}
