/** Remote access to this machine, and destruction on other machines. */
import { block, type Category, type Concern, warn } from '../category.ts';
import { type Command, callersOf, hasWord, list, readOptions, table } from '../command.ts';
import { isInterpreter, isShell } from '../run/shells.ts';

const NETCAT = /^(?:nc|ncat|netcat|nc\.traditional|nc\.openbsd)$/;
const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\//;
const HERE = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/;
const TUNNEL = /^(?:ngrok|cloudflared|localtunnel|lt|bore|chisel|frpc|tailscale|serveo)$/;
const ATTACK = /^(?:msfvenom|msfconsole|meterpreter|pwncat|evil-winrm)$/;
const USES_SOCKET = /\b(?:socket|Socket|TCPSocket|fsockopen|net\.connect|createConnection)\b|\bnet\.Socket\b/;
const USES_SHELL = /\b(?:subprocess|dup2|pty|spawn|exec|system|child_process|popen|proc_open)\b|\/bin\/(?:ba)?sh/;
const PROGRAM_ON_SOCKET = block('connects a program to a socket');
const SHELL_ON_SOCKET = block('connects a shell to a socket');

const remoteAccess: Category = {
  number: 5,
  name: 'reverse shell or remote access',
  instead: 'Serve on localhost only.',
  look(command) {
    const { name, words, args, input } = command;
    if (NETCAT.test(name)) return listens(command);
    if (name === 'ssh' || name === 'autossh') {
      const isBack = readOptions(args, '-bcDEeFIiJLlmOopQRSWw', 'leading').values('R').length > 0;
      return isBack ? block('opens a tunnel back into this machine') : null;
    }
    if (/^(?:sshd|dropbear|telnetd)$/.test(name)) return block('lets others log in to this machine');
    if (ATTACK.test(name)) return block('is an attack tool');
    if (TUNNEL.test(name)) return warn('opens a tunnel into this machine');
    if (name === 'socat' && hasWord(words, /^(?:exec|system|shell):/i)) return PROGRAM_ON_SOCKET;
    if (name === 'xterm' && readOptions(args, 'display', 'single-dash').has('display'))
      return block('opens a shell on another machine’s screen');
    if (isInterpreter(name) && words.some((code) => USES_SOCKET.test(code) && USES_SHELL.test(code)))
      return SHELL_ON_SOCKET;
    if (isShell(name) && input.from.some((each) => NETCAT.test(each.name) || /^(?:telnet|socat)$/.test(each.name)))
      return block('runs whatever comes from the network');
    return throughSocket(command);
  },
};

function listens(command: Command): Concern | null {
  const options = readOptions(command.args, '-pswqXxiIOec exec sh-exec');
  if (options.has('e', 'c', 'exec', 'sh-exec')) return PROGRAM_ON_SOCKET;
  // A shell connected to the network, in either order.
  if (command.input.from.some(({ name }) => isShell(name))) return SHELL_ON_SOCKET;
  return options.has('l', 'listen') ? warn('listens on the network') : null;
}

function throughSocket(command: Command): Concern | null {
  const redirections = [command, ...callersOf(command)].flatMap((each) => each.redirections);
  const away = redirections.filter(({ target }) => !HERE.test(SOCKET.exec(target.text)?.[1] ?? 'localhost'));
  const near = redirections.some(({ target }) => SOCKET.test(target.text));
  if (near && isShell(command.name) && readOptions(command.args).has('i')) return SHELL_ON_SOCKET;
  if (away.length === 0) return null;
  return isShell(command.name) || command.name === 'exec' ? SHELL_ON_SOCKET : warn('opens a raw network connection');
}

/** The words, in order, with which a program destroys something. Options are removed before the comparison. */
const DESTROYS = table({
  aws: /^(?:s3 rb|s3api delete-\S+|\S+ (?:delete|terminate|deregister|purge|schedule-key-deletion|disable-key|batch-delete)(?:-\S+)?)(?: |$)/,
  gcloud: /(?:^| )(?:delete|destroy|remove-iam-policy-binding)(?: |$)/,
  gsutil: /^rb(?: |$)/,
  az: /(?:^| )(?:delete|purge)(?: |$)/,
  terraform: /^(?:destroy|state rm|workspace delete|force-unlock)(?: |$)/,
  tofu: /^(?:destroy|state rm|workspace delete)(?: |$)/,
  terragrunt: /^(?:destroy|run-all destroy)(?: |$)/,
  pulumi: /^(?:destroy|down|stack rm)(?: |$)/,
  cdk: /^destroy(?: |$)/,
  kubectl: /^(?:delete|drain|cordon|replace)(?: |$)/,
  'oc eksctl sam': /^delete(?: |$)/,
  helm: /^(?:uninstall|delete|del|un)(?: |$)/,
  doctl: /(?:^| )(?:delete|destroy|rm)(?: |$)/,
  heroku: /^(?:apps:destroy|destroy|pg:reset|addons:destroy|ps:stop|domains:remove)(?: |$)/,
  'fly flyctl': /(?:^| )(?:destroy|delete)(?: |$)/,
  vercel: /^(?:rm|remove)(?: |$)/,
  netlify: /^sites:delete(?: |$)/,
  firebase: /(?::delete|:disable)(?: |$)|^database:remove(?: |$)/,
  'wrangler hcloud': /(?:^| )delete(?: |$)/,
  'serverless sls': /^remove(?: |$)/,
  railway: /^(?:delete|down)(?: |$)/,
  'linode-cli': /(?:^| )(?:delete|rm)(?: |$)/,
  rclone: /^(?:purge|delete|deletefile|rmdirs|sync)(?: |$)/,
  s3cmd: /^(?:rb|del|rm)(?: |$)/,
  mc: /^(?:rb|rm)(?: |$)/,
  gh: /^(?:repo (?:delete|archive)|release delete|secret (?:delete|remove)|ssh-key delete|gpg-key delete|variable delete|workflow disable)(?: |$)/,
  glab: /^repo delete(?: |$)/,
  'docker-machine': /^rm(?: |$)/,
  consul: /^kv delete(?: |$)/,
  vault: /^(?:delete|destroy|kv (?:delete|destroy|metadata delete))(?: |$)/,
});
const APPLIES = table({ 'terraform tofu': /^apply(?: |$)/, pulumi: /^up(?: |$)/ });

const RIGHT_CLUSTER = 'Make sure that it is the right cluster: kubectl config current-context.';

const cloud: Category = {
  number: 17,
  name: 'cloud destruction',
  instead: 'Show what would happen (--dry-run) and leave the rest to a person.',
  look({ name, words }) {
    const destroys = DESTROYS.get(name);
    if (destroys === undefined) return null;
    if (hasWord(words, /^--?(?:dry-?run|dryrun)(?:=(?!none)|$)|^(?:--)?help$/)) return null;
    const bare = withoutOptions(words, name).join(' ');
    if (name === 'gh' && bare.startsWith('api ')) return calls(words);
    if (name === 'aws' && /^s3 (?:rm|sync)(?: |$)/.test(bare)) return removesObjects(words);
    if (name === 'gsutil' && /^(?:rm|rsync)(?: |$)/.test(bare))
      return hasWord(words, /^-\w*[rRd]/) ? block('deletes many objects') : null;
    const single = removesOne(name, words, bare);
    if (single !== null) return single;
    if (destroys.test(bare)) return block(`destroys cloud resources (${name} ${bare})`);
    return APPLIES.get(name)?.test(bare) === true ? applies(words) : null;
  },
};

/** Kinds of objects that a cluster recreates by itself. */
const REPLACED = /^(?:pods?|po|jobs?|replicasets?|rs|events?|ev|leases?)$/;
const MANY = /^(?:--all(?:-namespaces)?|-A|-l|--selector|-f|--filename|-k|--kustomize|-recurse)(?:=|$)/;
/** Deletes a single thing by name, of a kind that is small or comes back. */
const SINGLE = table({
  aws: /^(?:s3api delete-object|dynamodb delete-item|sqs delete-message|logs delete-log-stream|\S+ delete-tags?)(?: |$)/,
  consul: /^kv delete /,
});

/** A single named thing is only a warning; a selector, a file or an "all" flag means many. */
function removesOne(name: string, words: readonly string[], bare: string): Concern | null {
  if (hasWord(words, MANY)) return null;
  const [verb, kind = '', ...names] = bare.split(' ');
  const kinds = kind.includes('/') ? [kind, ...names] : names.map(() => kind);
  const areReplaced = kinds.length > 0 && kinds.every((text) => REPLACED.test(text.split('/')[0] ?? ''));
  if (areReplaced && verb === 'delete' && (name === 'kubectl' || name === 'oc'))
    return warn(`deletes ${[kind, ...names].join(' ')} on the cluster`, RIGHT_CLUSTER);
  return SINGLE.get(name)?.test(bare) === true
    ? warn(`deletes a cloud resource (${name} ${bare})`, 'Make sure that it is the right one.')
    : null;
}

function applies(words: readonly string[]): Concern | null {
  if (hasWord(words, /^--?destroy$/)) return block('destroys cloud resources');
  const isAsked = !hasWord(words, /^(?:--?auto-approve|--yes|-y|--skip-preview)$/);
  return isAsked ? null : warn('changes cloud resources without showing a plan');
}

function removesObjects(words: readonly string[]): Concern | null {
  if (words.includes('rm'))
    return words.includes('--recursive') ? block('deletes many objects') : warn('deletes an object');
  return words.includes('--delete') ? block('deletes objects that are not in the source (--delete)') : null;
}

/** `gh api -X DELETE …`. */
function calls(words: readonly string[]): Concern | null {
  const isDelete = words.some(
    (text, at) =>
      /^-XDELETE$|^--method=DELETE$/i.test(text) ||
      (/^(?:-X|--method)$/.test(text) && /^delete$/i.test(words[at + 1] ?? '')),
  );
  if (!isDelete) return null;
  const isSmall = hasWord(words, /\/(?:comments|reactions|labels|assignees)(?:\/|$)/);
  return isSmall ? warn('deletes on the server') : block('deletes on the server');
}

/** Options before the subcommand whose value could be mistaken for it. */
const GLOBAL_VALUES = list(`
  --profile --region --output --project -n --namespace --context --kubeconfig -chdir --stack -s --subscription
  -g --resource-group --endpoint-url -a --app --zone -X --method -H
`);

function withoutOptions(words: readonly string[], name: string): string[] {
  return words.filter((text, at) => {
    if (text.startsWith('-')) return false;
    const before = words[at - 1] ?? '';
    return !GLOBAL_VALUES.includes(before) || (name === 'pulumi' && before === '-s');
  });
}

export const REMOTE: readonly Category[] = [remoteAccess, cloud];
