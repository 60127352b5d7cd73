/** Variables that make other programs load or find something else. */
import { block, type Category, type Concern, type Context, warn, worst } from '../category.ts';
import { type Command, UNKNOWN, variablesSetBy } from '../command.ts';
import { zoneOf } from '../paths.ts';
import { table } from '../tables.ts';

/** Variables that make programs load something, and the values that do. */
const LOADS = table({
  'LD_PRELOAD LD_AUDIT GCONV_PATH DYLD_INSERT_LIBRARIES BASH_ENV PYTHONSTARTUP PERL5DB': /./,
  'GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG_PARAMETERS npm_config_script_shell': /./,
  PERL5OPT: /-[MmdI]/,
  RUBYOPT: /-[rI]/,
  'JAVA_TOOL_OPTIONS _JAVA_OPTIONS': /-(?:javaagent|agentpath|agentlib):/,
  TAR_OPTIONS: /--(?:checkpoint-action|to-command|use-compress-program)|-I/,
});
const UNVERIFIED = table({
  'NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY': /^0$/,
  GIT_SSL_NO_VERIFY: /^(?:1|true)$/,
});
const HISTORY = /^(?:HISTFILE|HISTSIZE|HISTCONTROL)$/;
const HIDES = warn('turns off or clears the shell history');
/** Switches of the harness itself. */
const OURS = /^(?:RALPH_GUARD|RALPH_ALLOWED_COMMANDS|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)$/;

export const environment: Category = {
  number: 13,
  name: 'environment or PATH manipulation',
  instead: 'Call the program by its full path, or set the variable for a single command.',
  look(command, context) {
    const { name, words } = command;
    if (name === 'unset') return worst(words.map(removes));
    if (name === 'history' && words.some((text) => /^-[cw]/.test(text))) return HIDES;
    return worst(variablesSetBy(command).map((each) => sets(each.name, each.value.text, context, command)));
  },
};

function sets(name: string, value: string, context: Context, command: Command): Concern | null {
  if (name === 'PATH') return setsPath(value);
  if (OURS.test(name)) return block(`changes the guard’s own settings (${name})`);
  if (LOADS.get(name)?.test(value) === true) return block(`makes other programs load code (${name})`);
  if (name === 'NODE_OPTIONS') return loadsByNode(value, context, command);
  if (HISTORY.test(name) && /^(?:0|\/dev\/null|)$/.test(value)) return HIDES;
  return UNVERIFIED.get(name)?.test(value) === true ? warn(`turns off certificate checks (${name})`) : null;
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
  return HISTORY.test(name) ? HIDES : null;
}
