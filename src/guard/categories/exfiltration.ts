/** Secrets on their way out of the machine. */
import { block, type Category, type Concern, type Context, warn } from '../category.ts';
import type { Arg, Command } from '../command.ts';
import { pushesElsewhere } from '../git-push.ts';
import { readOptions, type Shape } from '../options.ts';
import { secrecyOf } from '../secrets.ts';
import { sendsKeys } from '../sent-keys.ts';
import { list, table } from '../tables.ts';

const CURL_BODY = list('data data-binary data-raw data-urlencode form upload-file json header');
const WGET_BODY = list('post-file post-data body-file body-data header');
/** Programs that send what they are given, and the options by which they take it. */
const SENDERS = table<Shape & { readonly body?: readonly string[] }>({
  curl: {
    letters: 'dFTHXouAebmwKx',
    names: [...CURL_BODY, 'request', 'output', 'user'],
    body: ['d', 'F', 'T', 'H', ...CURL_BODY],
  },
  wget: { letters: 'OPU', names: WGET_BODY, body: WGET_BODY },
  'http https': { letters: 'abo', names: ['auth'] },
  nc: { letters: 'pswqXxiIO' },
  'ncat netcat': { letters: 'pswi' },
  'scp sftp': { letters: 'iFoPcSJl' },
  'socat telnet ftp dig nslookup host sendmail': {},
  rsync: { letters: 'ef', names: ['rsh', 'exclude', 'include', 'exclude-from', 'files-from'] },
  rclone: { names: ['config'] },
  mail: { letters: 's' },
  ssh: { letters: 'bcDEeFIiJLlmOopQRSWw' },
  gh: { letters: 'FfbtRd', names: ['body-file'], body: ['F', 'body-file'] },
});
const SENDS_SECRET = block('sends a secret to another machine');

export const exfiltration: Category = {
  number: 4,
  name: 'exfiltration',
  instead: 'Keep secrets on this machine.',
  look(command, context, seen) {
    if (command.name === 'git') return pushesElsewhere(command, context, seen);
    const sender = SENDERS.get(command.name);
    if (sender === undefined) return throughTcp(command, context);
    const { body = [] } = sender;
    const options = readOptions(command.args, sender);
    const sent = [...options.values(...body), ...options.operands, ...inputFiles(command)];
    const sendsSecret =
      sent.some((arg) => isSecretOut(arg, command, context)) ||
      command.input.from.some((each) => tellsSecret(each, context));
    if (sendsSecret) return SENDS_SECRET;
    return sendsKeys(command, options, body) ?? sendsAnything(command, options.operands);
  },
};

function throughTcp(command: Command, context: Context): Concern | null {
  const isSending = command.redirections.some(
    ({ operator, target }) => operator.includes('>') && /^\/dev\/(?:tcp|udp)\//.test(target.text),
  );
  return isSending && [command, ...command.input.from].some((each) => tellsSecret(each, context)) ? SENDS_SECRET : null;
}

/** A file as it is (`x`), as a body (`@x`), as a form's field (`f=@x`), or the output of something that tells secrets. */
function isSecretOut(arg: Arg, command: Command, context: Context): boolean {
  const path = arg.text.replace(/^[^@\s]*@/, '').replace(/;.*$/, '');
  const isNamed = !arg.text.startsWith('-') && isSecret(arg.text.includes('@') ? path : arg.text, command, context);
  return isNamed || arg.from.some((each) => tellsSecret(each, context));
}

function isSecret(text: string, command: Command, context: Context): boolean {
  return secrecyOf(text, command.cwd, context.home) !== 'public' || text === '/etc/passwd';
}

function inputFiles(command: Command): Arg[] {
  return command.redirections.flatMap(({ operator, target }) => (operator === '<' ? [target] : []));
}

function tellsSecret(command: Command, context: Context): boolean {
  const { name, args } = command;
  const dumps = /^(?:env|printenv|export|set|declare)$/.test(name);
  if (name === 'history' || (dumps && readOptions(args, { letters: 'uC' }).operands.length === 0)) return true;
  if (name === 'echo' || name === 'printf' || name === 'ls') return false;
  const operands = [...readOptions(args).operands, ...inputFiles(command)];
  return operands.some(({ text }) => isSecret(text, command, context));
}

function sendsAnything(command: Command, operands: readonly Arg[]): Concern | null {
  const isCopy = command.name === 'scp' || command.name === 'rsync';
  const target = operands.at(-1)?.text ?? '';
  return isCopy && /^(?:[\w.-]+@)?[\w.-]+:/.test(target) ? warn(`copies files to another machine (${target})`) : null;
}
