/** Secrets on their way out of the machine. */
import { block, type Category, type Concern, type Context, warn } from '../category.ts';
import type { Arg, Command } from '../command.ts';
import { pushesElsewhere } from '../git-push.ts';
import { readOptions } from '../options.ts';
import { secrecyOf } from '../secrets.ts';
import { sendsKeys } from '../sent-keys.ts';

/** Programs that send what they are given, and the options by which they take it. */
const SENDERS: Readonly<
  Record<string, { readonly letters: string; readonly names: readonly string[]; readonly body: readonly string[] }>
> = {
  curl: {
    letters: 'dFTHXouAebmwKx',
    names: [
      'data',
      'data-binary',
      'data-raw',
      'data-urlencode',
      'form',
      'upload-file',
      'json',
      'header',
      'request',
      'output',
      'user',
    ],
    body: [
      'd',
      'F',
      'T',
      'H',
      'data',
      'data-binary',
      'data-raw',
      'data-urlencode',
      'form',
      'upload-file',
      'json',
      'header',
    ],
  },
  wget: {
    letters: 'OPU',
    names: ['post-file', 'post-data', 'body-file', 'body-data', 'header'],
    body: ['post-file', 'post-data', 'body-file', 'body-data', 'header'],
  },
  http: { letters: 'abo', names: ['auth'], body: [] },
  https: { letters: 'abo', names: ['auth'], body: [] },
  nc: { letters: 'pswqXxiIO', names: [], body: [] },
  ncat: { letters: 'pswi', names: [], body: [] },
  netcat: { letters: 'pswi', names: [], body: [] },
  socat: { letters: '', names: [], body: [] },
  telnet: { letters: '', names: [], body: [] },
  scp: { letters: 'iFoPcSJl', names: [], body: [] },
  sftp: { letters: 'iFoPcSJl', names: [], body: [] },
  ftp: { letters: '', names: [], body: [] },
  rsync: { letters: 'ef', names: ['rsh', 'exclude', 'include', 'exclude-from', 'files-from'], body: [] },
  rclone: { letters: '', names: ['config'], body: [] },
  dig: { letters: '', names: [], body: [] },
  nslookup: { letters: '', names: [], body: [] },
  host: { letters: '', names: [], body: [] },
  mail: { letters: 's', names: [], body: [] },
  sendmail: { letters: '', names: [], body: [] },
  ssh: { letters: 'bcDEeFIiJLlmOopQRSWw', names: [], body: [] },
  gh: { letters: 'FfbtRd', names: ['body-file'], body: ['F', 'body-file'] },
};
const ENVIRONMENT = ['env', 'printenv', 'export', 'set', 'declare'];

export const exfiltration: Category = {
  number: 4,
  name: 'exfiltration',
  instead: 'Keep secrets on this machine.',
  look(command, context, seen) {
    if (command.name === 'git') return pushesElsewhere(command, context, seen);
    const sender = SENDERS[command.name];
    const target = Object.hasOwn(SENDERS, command.name) && sender !== undefined ? command : null;
    if (target === null || sender === undefined) return throughTcp(command, context);
    const options = readOptions(command.args, sender);
    const sent = [...options.values(...sender.body), ...options.operands, ...inputFiles(command)];
    const secret = sent.find((arg) => isSecretOut(arg, command, context));
    if (secret !== undefined) return block('sends a secret to another machine');
    if (command.input.from.some((each) => tellsSecret(each, context)))
      return block('sends a secret to another machine');
    return sendsKeys(command, options, sender.body) ?? sendsAnything(command, options.operands);
  },
};

function throughTcp(command: Command, context: Context): Concern | null {
  if (
    !command.redirections.some(
      ({ operator, target }) => operator.includes('>') && /^\/dev\/(?:tcp|udp)\//.test(target.text),
    )
  )
    return null;
  const isSecret = [command, ...command.input.from].some((each) => tellsSecret(each, context));
  return isSecret ? block('sends a secret to another machine') : null;
}

/** A file as it is (`x`), as a body (`@x`), as a form's field (`f=@x`), or the output of something that tells secrets. */
function isSecretOut(arg: Arg, command: Command, context: Context): boolean {
  const path = arg.text.replace(/^[^@\s]*@/, '').replace(/;.*$/, '');
  const isNamed = !arg.text.startsWith('-') && isSecret(arg.text.includes('@') ? path : arg.text, command, context);
  return isNamed || arg.from.some((each) => tellsSecret(each, context));
}

function isSecret(text: string, command: Command, context: Context): boolean {
  return secrecyOf(text, command.cwd, context.home) !== 'public' || /^\/etc\/passwd$/.test(text);
}

function inputFiles(command: Command): Arg[] {
  return command.redirections.flatMap(({ operator, target }) => (operator === '<' ? [target] : []));
}

function tellsSecret(command: Command, context: Context): boolean {
  if (ENVIRONMENT.includes(command.name) && readOptions(command.args, { letters: 'uC' }).operands.length === 0)
    return true;
  if (command.name === 'echo' || command.name === 'printf' || command.name === 'ls') return false;
  if (command.name === 'history') return true;
  const operands = [...readOptions(command.args).operands, ...inputFiles(command)];
  return operands.some(({ text }) => isSecret(text, command, context));
}

function sendsAnything(command: Command, operands: readonly Arg[]): Concern | null {
  const isCopy = command.name === 'scp' || command.name === 'rsync';
  const target = operands.at(-1)?.text ?? '';
  return isCopy && /^(?:[\w.-]+@)?[\w.-]+:/.test(target) ? warn(`copies files to another machine (${target})`) : null;
}
