/**
 * Copies a folder of this machine into a sandbox that does not share it. It goes in by `exec`, as one shell script, so that
 * nothing has to be mounted or installed; what lies there afterwards is compared, file by file, with what is here.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { shellQuote } from '../../core/text/quote-word.ts';

import { type Docker, reasonOf } from './machine.ts';

interface Copied {
  readonly path: string;
  readonly content: Buffer;
  readonly isProgram: boolean;
}

/** `$1`: the folder. Names each file by its content, and then those that can be started. */
const LIST = `
  cd -- "$1" || exit
  export LC_ALL=C
  find . ! -type d ! -type f -print
  find . -type f -print0 | sort -z | xargs -0 sha256sum
  find . -type f -perm -u+x -print | sort`;

/** Does nothing where the same is there already. */
export async function copyFolderIn(docker: Docker, name: string, from: string, to: string): Promise<void> {
  const files = filesOf(from);
  const wanted = listOf(files);
  const look = async (): Promise<string> => (await docker(['exec', name, 'bash', '-c', LIST, 'list', to])).stdout;
  if ((await look()) === wanted) return;
  const copied = await docker(['exec', '-i', name, 'bash', '-s', '--', to], unpackScript(files));
  if (!copied.ok) throw notCopied(from, reasonOf(copied));
  if ((await look()) !== wanted) throw notCopied(from, 'what arrived is not what was sent');
}

function notCopied(from: string, reason: string): RalphError {
  return new RalphError('DOCKER', `${from} cannot be copied into the sandbox: ${reason}`, {
    hint: "Look at Docker Desktop; --sandbox=os is the operating system's own sandbox.",
  });
}

function filesOf(folder: string): Copied[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries
    .map((path) => ({ path, stat: statSync(join(folder, path)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ path, stat }) => ({
      path,
      content: readFileSync(join(folder, path)),
      isProgram: (stat.mode & 0o100) !== 0,
    }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/** As the list inside is made. */
function listOf(files: readonly Copied[]): string {
  const sums = files.map(({ path, content }) => `${createHash('sha256').update(content).digest('hex')}  ./${path}\n`);
  const programs = files.filter(({ isProgram }) => isProgram).map(({ path }) => `./${path}\n`);
  return [...sums, ...programs].join('');
}

function unpackScript(files: readonly Copied[]): string {
  return ['set -e', 'rm -rf -- "$1"', 'mkdir -p -- "$1"', 'cd -- "$1"', ...files.flatMap(unpacked), ''].join('\n');
}

function unpacked({ path, content, isProgram }: Copied): string[] {
  const file = shellQuote(`./${path}`);
  const lines = content.toString('base64').match(/.{1,76}/g) ?? [];
  return [
    `mkdir -p -- ${shellQuote(`./${dirname(path)}`)}`,
    `base64 -d >${file} <<'RALPH-FILE'`,
    ...lines,
    'RALPH-FILE',
    `chmod ${isProgram ? '755' : '644'} ${file}`,
  ];
}
