/** `ralph completion`: shell completions, generated from the commands themselves, so that they are always current. */
import type { Command, Option } from 'commander';
import { linesOf } from '../core/text/lines-of.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(program: Command, shell: Shell): string {
  return { bash, zsh, fish }[shell](program.name(), commandsOf(program));
}

function commandsOf(parent: Command): Command[] {
  const visible = parent.createHelp().visibleCommands(parent);
  return visible.filter((command) => command.name() !== 'help' || parent.parent === null);
}

const optionsOf = (command: Command): Option[] => command.createHelp().visibleOptions(command);

/** The commands that have subcommands. */
function groupsIn(commands: readonly Command[]): Command[] {
  return commands.filter((command) => commandsOf(command).length > 0);
}

/** All commands without subcommands, by the words that call them: `run`, `task run`. */
function leavesOf(commands: readonly Command[]): [words: string, command: Command][] {
  return commands.flatMap((command): [string, Command][] => {
    const inner = leavesOf(commandsOf(command));
    if (inner.length === 0) return [[command.name(), command]];
    return inner.map(([words, leaf]) => [`${command.name()} ${words}`, leaf]);
  });
}

const namesOf = (commands: readonly Command[]): string => commands.map((command) => command.name()).join(' ');

/** The lines of a shell's `case` on the first word. */
function groupCases(commands: readonly Command[], reply: (inner: readonly Command[]) => string): string {
  const lines = groupsIn(commands).map((group) => `${group.name()}) ${reply(commandsOf(group))}; return ;;`);
  return [...lines, '*) ;;'].map((line) => `      ${line}`).join('\n');
}

/** The lines of a `case` on the first two words: `task run` matches exactly, `run` with any second word. */
function leafCases(commands: readonly Command[], set: (command: Command) => string): string {
  const pattern = (words: string): string => (words.includes(' ') ? `"${words}"` : `"${words} "*`);
  return leavesOf(commands)
    .map(([words, command]) => `    ${pattern(words)}) ${set(command)} ;;`)
    .join('\n');
}

function bash(name: string, commands: readonly Command[]): string {
  const reply = (words: string): string => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`;
  const flags = (command: Command): string[] => optionsOf(command).flatMap(({ long, short }) => linesOf(long, short));
  return `# bash completion for ${name}: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words
  if [[ $COMP_CWORD -eq 1 ]]; then
    ${reply(`${namesOf(commands)} --help --version`)}
    return
  fi
  if [[ $COMP_CWORD -eq 2 ]]; then
    case \${COMP_WORDS[1]} in
${groupCases(commands, (inner) => reply(`${namesOf(inner)} --help`))}
    esac
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${leafCases(commands, (command) => `words="${flags(command).join(' ')}"`)}
  esac
  if [[ $cur == -* ]]; then ${reply('$words')}; return; fi
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _${name} ${name}
`;
}

function zsh(name: string, commands: readonly Command[]): string {
  const described = (word: string, description: string): string => `'${quoted(word)}:${quoted(description)}'`;
  const shown = (command: Command): string => described(command.name(), command.description());
  const options = (command: Command): string[] =>
    optionsOf(command).map(({ long, description }) => described(long ?? '', description));
  return `#compdef ${name}
# zsh completion for ${name}: source <(${name} completion zsh)
_${name}() {
  local -a commands options
  commands=(
${commands.map((command) => `    ${shown(command)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  if (( CURRENT == 3 )); then
    case $words[2] in
${groupCases(commands, (inner) => `commands=(${inner.map(shown).join(' ')}); _describe 'command' commands`)}
    esac
  fi
  case "$words[2] $words[3]" in
${leafCases(commands, (command) => `options=(${options(command).join(' ')})`)}
  esac
  if [[ $PREFIX == -* ]]; then _describe 'option' options; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fish(name: string, commands: readonly Command[]): string {
  const parents = groupsIn(commands);
  const nested = parents.flatMap((parent) => commandsOf(parent).map((command) => command.name()));
  const after = (words: string): string => `__fish_seen_subcommand_from ${words}`;
  const condition = (path: string): string => {
    const all = path.split(' ').map(after);
    // `run` is a command and also a subcommand of `task`.
    const isAlso = all.length === 1 && nested.includes(path);
    return [...all, ...(isAlso ? [`not ${after(namesOf(parents))}`] : [])].join('; and ');
  };
  const line = (when: string, what: string, description: string): string =>
    `complete -c ${name} -n ${when} ${what} -d '${quoted(description)}'`;
  const command = (when: string, entry: Command): string => line(when, `-f -a ${entry.name()}`, entry.description());
  const lines = [
    ...commands.map((entry) => command('__fish_use_subcommand', entry)),
    ...parents.flatMap((parent) => {
      const own = commandsOf(parent);
      return own.map((entry) => command(`'${after(parent.name())}; and not ${after(namesOf(own))}'`, entry));
    }),
    ...leavesOf(commands).flatMap(([words, leaf]) =>
      optionsOf(leaf).map(({ long = '', short, description }) => {
        const letter = short === undefined ? '' : ` -s ${short.slice(1)}`;
        return line(`'${condition(words)}'`, `-l ${long.slice(2)}${letter}`, description);
      }),
    ),
  ];
  return `# fish completion for ${name}: ${name} completion fish | source\n${lines.join('\n')}\n`;
}

/** A quote ends a single-quoted text in all three shells, and a colon ends a description in zsh. */
const quoted = (text: string): string => text.replaceAll("'", '’').replaceAll(':', ' -');
