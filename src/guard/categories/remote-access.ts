/** A shell for somebody else: reverse shells, tunnels, servers for logging in. */
import { block, type Category, type Concern, warn } from '../category.ts';
import { type Command, callersOf } from '../command.ts';
import { readOptions } from '../options.ts';
import { isInterpreter, isShell } from '../run/shells.ts';

const NETCATS = ['nc', 'ncat', 'netcat', 'nc.traditional', 'nc.openbsd'];
const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\//;
const HERE = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/;
const TUNNELS = ['ngrok', 'cloudflared', 'localtunnel', 'lt', 'bore', 'chisel', 'frpc', 'tailscale', 'serveo'];
const ATTACKS = ['msfvenom', 'msfconsole', 'meterpreter', 'pwncat', 'evil-winrm'];

export const remoteAccess: Category = {
  number: 5,
  name: 'reverse shell or remote access',
  instead: 'Serve on localhost only.',
  look(command) {
    const { name } = command;
    if (NETCATS.includes(name)) return listens(command);
    if (name === 'socat' && command.args.some(({ text }) => /^(?:exec|system|shell):/i.test(text)))
      return block('connects a program to a socket');
    if (name === 'ssh' || name === 'autossh') return tunnels(command);
    if (name === 'sshd' || name === 'dropbear' || name === 'telnetd')
      return block('lets others log in to this machine');
    if (ATTACKS.includes(name)) return block('is an attack tool');
    if (TUNNELS.includes(name)) return warn('opens a tunnel into this machine');
    if (name === 'xterm' && readOptions(command.args, { isSingleDash: true, names: ['display'] }).has('display'))
      return block('opens a shell on another machine’s screen');
    if (isInterpreter(name) && command.args.some(({ text }) => isReverseShell(text)))
      return block('connects a shell to a socket');
    if (isShell(name) && command.input.from.some((each) => [...NETCATS, 'telnet', 'socat'].includes(each.name))) {
      return block('runs whatever comes from the network');
    }
    return throughSocket(command);
  },
};

function listens(command: Command): Concern | null {
  const options = readOptions(command.args, { letters: 'pswqXxiIOec', names: ['exec', 'sh-exec'] });
  if (options.has('e', 'c', 'exec', 'sh-exec')) return block('connects a program to a socket');
  // Between a shell and the network, in whichever order.
  if (command.input.from.some(({ name }) => isShell(name))) return block('connects a shell to a socket');
  return options.has('l', 'listen') ? warn('listens on the network') : null;
}

function tunnels(command: Command): Concern | null {
  const options = readOptions(command.args, { letters: 'bcDEeFIiJLlmOopQRSWw', isPrefix: true });
  return options.values('R').length > 0 ? block('opens a tunnel back into this machine') : null;
}

function throughSocket(command: Command): Concern | null {
  const redirections = [command, ...callersOf(command)].flatMap((each) => each.redirections);
  const away = redirections.filter(({ target }) => !HERE.test(SOCKET.exec(target.text)?.[1] ?? 'localhost'));
  const near = redirections.some(({ target }) => SOCKET.test(target.text));
  if (near && isShell(command.name) && readOptions(command.args).has('i')) return block('connects a shell to a socket');
  if (away.length === 0) return null;
  return isShell(command.name) || command.name === 'exec'
    ? block('connects a shell to a socket')
    : warn('opens a raw network connection');
}

function isReverseShell(code: string): boolean {
  const hasSocket = /\b(?:socket|Socket|TCPSocket|fsockopen|net\.connect|createConnection)\b|\bnet\.Socket\b/.test(
    code,
  );
  return (
    hasSocket &&
    /\b(?:subprocess|dup2|pty|spawn|exec|system|child_process|popen|proc_open|\/bin\/(?:ba)?sh)\b|\/bin\/(?:ba)?sh/.test(
      code,
    )
  );
}
