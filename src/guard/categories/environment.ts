/** Variables that make other programs load or find something else. */
import { block, type Category, type Concern, type Context, warn, worst } from '../category.ts';
import { type Command, UNKNOWN, variablesSetBy } from '../command.ts';
import { zoneOf } from '../paths.ts';

/** Variables that make programs load something, and the values that do. */
const LOADS: Readonly<Record<string, RegExp>> = {
  LD_PRELOAD: /./,
  LD_AUDIT: /./,
  GCONV_PATH: /./,
  DYLD_INSERT_LIBRARIES: /./,
  BASH_ENV: /./,
  PYTHONSTARTUP: /./,
  PERL5DB: /./,
  PERL5OPT: /-[MmdI]/,
  RUBYOPT: /-[rI]/,
  JAVA_TOOL_OPTIONS: /-(?:javaagent|agentpath|agentlib):/,
  _JAVA_OPTIONS: /-(?:javaagent|agentpath|agentlib):/,
  TAR_OPTIONS: /--(?:checkpoint-action|to-command|use-compress-program)|-I/,
  GIT_EXEC_PATH: /./,
  GIT_TEMPLATE_DIR: /./,
  GIT_CONFIG_PARAMETERS: /./,
  npm_config_script_shell: /./,
};
const HIDES = /^(?:HISTFILE|HISTSIZE|HISTCONTROL)$/;
const UNVERIFIED: Readonly<Record<string, RegExp>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: /^0$/,
  GIT_SSL_NO_VERIFY: /^(?:1|true)$/,
  PYTHONHTTPSVERIFY: /^0$/,
};
/** Switches of the harness itself. */
const OURS = /^(?:RALPH_GUARD|RALPH_ALLOWED_COMMANDS|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)$/;

export const environment: Category = {
  number: 13,
  name: 'environment or PATH manipulation',
  instead: 'Call the program by its full path, or set the variable for a single command.',
  look(command, context) {
    if (command.name === 'unset') return worst(command.args.map(({ text }) => removes(text)));
    if (command.name === 'history' && command.args.some(({ text }) => /^-[cw]/.test(text)))
      return warn('turns off or clears the shell history');
    return worst(variablesSetBy(command).map(({ name, value }) => sets(name, value.text, context, command)));
  },
};

function sets(name: string, value: string, context: Context, command: Command): Concern | null {
  if (name === 'PATH') return setsPath(value);
  if (OURS.test(name)) return block(`changes the guard’s own settings (${name})`);
  const loads = Object.hasOwn(LOADS, name) ? LOADS[name] : undefined;
  if (loads?.test(value) === true) return block(`makes other programs load code (${name})`);
  if (name === 'NODE_OPTIONS') return loadsByNode(value, context, command);
  if (HIDES.test(name) && /^(?:0|\/dev\/null|)$/.test(value)) return warn('turns off or clears the shell history');
  const unverified = Object.hasOwn(UNVERIFIED, name) ? UNVERIFIED[name] : undefined;
  return unverified?.test(value) === true ? warn(`turns off certificate checks (${name})`) : null;
}

/** What was there must stay; a temporary folder before it is where a false `ls` would lie. */
function setsPath(value: string): Concern | null {
  const parts = value.split(':');
  if (value === '') return block('empties PATH');
  const keeps = parts.some((part) => part.includes(UNKNOWN) || part === '/usr/bin' || part === '/bin');
  if (!keeps) return block('replaces PATH');
  const isFirstTemporary = /^\/(?:var\/)?tmp(?:\/|$)|^\.$/.test(parts[0] ?? '');
  return isFirstTemporary ? warn('puts a temporary folder first in PATH') : null;
}

function loadsByNode(value: string, context: Context, command: Command): Concern | null {
  const [, path] = /(?:--require|--import|--loader|-r)[= ]([^\s]+)/.exec(value) ?? [];
  if (path === undefined || !/^[/~.]/.test(path)) return null;
  return zoneOf(path, command.cwd, context) === 'project'
    ? null
    : block('makes every Node process load code (NODE_OPTIONS)');
}

function removes(name: string): Concern | null {
  if (name === 'PATH') return block('removes PATH');
  if (OURS.test(name)) return block(`changes the guard’s own settings (${name})`);
  return HIDES.test(name) ? warn('turns off or clears the shell history') : null;
}
