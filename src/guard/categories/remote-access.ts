/** A shell for other people: reverse shells, tunnels, servers for logging in. */
import { block, type Category, type Concern, warn } from '../category.ts';
import { type Command, callersOf } from '../command.ts';
import { readOptions } from '../options.ts';
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

export const remoteAccess: Category = {
  number: 5,
  name: 'reverse shell or remote access',
  instead: 'Serve on localhost only.',
  look(command) {
    const { name, words, args, input } = command;
    if (NETCAT.test(name)) return listens(command);
    if (name === 'ssh' || name === 'autossh') return tunnels(command);
    if (/^(?:sshd|dropbear|telnetd)$/.test(name)) return block('lets others log in to this machine');
    if (ATTACK.test(name)) return block('is an attack tool');
    if (TUNNEL.test(name)) return warn('opens a tunnel into this machine');
    if (name === 'socat' && words.some((text) => /^(?:exec|system|shell):/i.test(text))) return PROGRAM_ON_SOCKET;
    if (name === 'xterm' && readOptions(args, { isSingleDash: true, names: ['display'] }).has('display'))
      return block('opens a shell on another machine’s screen');
    if (isInterpreter(name) && words.some((code) => USES_SOCKET.test(code) && USES_SHELL.test(code)))
      return SHELL_ON_SOCKET;
    if (isShell(name) && input.from.some((each) => NETCAT.test(each.name) || /^(?:telnet|socat)$/.test(each.name)))
      return block('runs whatever comes from the network');
    return throughSocket(command);
  },
};

function listens(command: Command): Concern | null {
  const options = readOptions(command.args, { letters: 'pswqXxiIOec', names: ['exec', 'sh-exec'] });
  if (options.has('e', 'c', 'exec', 'sh-exec')) return PROGRAM_ON_SOCKET;
  // Between a shell and the network, in whichever order.
  if (command.input.from.some(({ name }) => isShell(name))) return SHELL_ON_SOCKET;
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
  if (near && isShell(command.name) && readOptions(command.args).has('i')) return SHELL_ON_SOCKET;
  if (away.length === 0) return null;
  return isShell(command.name) || command.name === 'exec' ? SHELL_ON_SOCKET : warn('opens a raw network connection');
}
