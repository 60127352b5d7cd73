/** Signatures of receipts, made and checked by `ssh-keygen -Y`: a detached file next to the receipt. */
import { spawn } from 'node:child_process';
import { RalphError } from '../../core/error.ts';
import { findSystemProgram } from '../../process/which.ts';

/** The purpose of the signature: one made for another purpose is not valid here. */
const NAMESPACE = 'ralph-receipt';

export const signatureFile = (receipt: string): string => `${receipt}.sig`;

export interface SshPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** `key`: a private key, or the public one of a key in an ssh agent. ssh-keygen may prompt for a passphrase. */
export async function signReceipt(content: string, key: string, place: SshPlace): Promise<string> {
  const { code, stdout, stderr } = await sshKeygen(['-Y', 'sign', '-n', NAMESPACE, '-f', key], content, place);
  if (code === 0) return stdout;
  const hint = 'Name an ssh key, such as --sign ~/.ssh/id_ed25519';
  throw new RalphError('SIGN', `the receipt was not signed with ${key}: ${firstLine(stderr)}`, { hint });
}

/** `by`: the key's name in the file of allowed signers; null if no such file was given. */
export type SignatureFound =
  | { readonly holds: true; readonly by: string | null; readonly key: string }
  | { readonly holds: false; readonly why: string };

/** Without `signers`, it shows only that the key in the signature made it, not whose key that is. */
export async function checkSignature(
  content: string,
  { signature, signers }: { readonly signature: string; readonly signers: string | null },
  place: SshPlace,
): Promise<SignatureFound> {
  const given = ['-n', NAMESPACE, '-s', signature];
  if (signers === null) return found(await sshKeygen(['-Y', 'check-novalidate', ...given], content, place), null);
  const named = await sshKeygen(['-Y', 'find-principals', '-s', signature, '-f', signers], '', place);
  const by = named.stdout.split('\n')[0] ?? '';
  if (named.code !== 0 || by === '') return { holds: false, why: `${signers} does not allow the key that made it` };
  return found(await sshKeygen(['-Y', 'verify', ...given, '-f', signers, '-I', by], content, place), by);
}

function found({ code, stdout, stderr }: Said, by: string | null): SignatureFound {
  if (code !== 0) return { holds: false, why: firstLine(stderr || stdout) };
  return { holds: true, by, key: /with (.+)$/m.exec(stdout)?.[1] ?? '' };
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function sshKeygen(args: readonly string[], input: string, { cwd, env }: SshPlace): Promise<Said> {
  const program = findSystemProgram('ssh-keygen', env.PATH, cwd);
  if (program === null) {
    const hint = "Install OpenSSH's client (Debian: apt-get install openssh-client).";
    throw new RalphError('NO_SSH', 'ssh-keygen is not installed', { hint });
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...env, LC_ALL: 'C' }, stdio: 'pipe' });
    const heard = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (heard.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (heard.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...heard }));
    // ssh-keygen may refuse before it has read everything.
    child.stdin.on('error', () => undefined).end(input);
  });
}
