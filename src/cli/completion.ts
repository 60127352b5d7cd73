/** `ralph completion`: shell completions, made from the commands themselves, so that they are never behind. */
import type { Command, Option } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(program: Command, shell: Shell): string {
  return { bash, zsh, fish }[shell](program.name(), commandsOf(program));
}

function commandsOf(parent: Command): Command[] {
  const visible = parent.createHelp().visibleCommands(parent);
  return visible.filter((command) => command.name() !== 'help' || parent.parent === null);
}

function optionsOf(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

/** Commands of which the second word names one of their own. */
function parentsIn(commands: readonly Command[]): Command[] {
  return commands.filter((command) => commandsOf(command).length > 0);
}

/** All commands that take no further command, by the words that lead to them: `run`, `task run`. */
function leavesOf(commands: readonly Command[]): [words: string, command: Command][] {
  return commands.flatMap((command): [string, Command][] => {
    const inner = leavesOf(commandsOf(command));
    if (inner.length === 0) return [[command.name(), command]];
    return inner.map(([words, leaf]) => [`${command.name()} ${words}`, leaf]);
  });
}

/** `task run` is meant exactly, `run` with whatever comes behind it. */
function patternOf(words: string): string {
  return words.includes(' ') ? `"${words}"` : `"${words} "*`;
}

function namesOf(commands: readonly Command[]): string {
  return commands.map((command) => command.name()).join(' ');
}

/** Lines of a `case`, with one for all other words. */
function cases(lines: readonly string[]): string {
  return [...lines, '*) ;;'].map((line) => `      ${line}`).join('\n');
}

function bash(name: string, commands: readonly Command[]): string {
  const reply = (words: string): string => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`;
  const flags = (command: Command): string =>
    optionsOf(command)
      .flatMap(({ long, short }) => [long ?? '', ...(short === undefined ? [] : [short])])
      .join(' ');
  const parents = parentsIn(commands).map(
    (parent) => `${parent.name()}) ${reply(`${namesOf(commandsOf(parent))} --help`)}; return ;;`,
  );
  return `# bash completion for ${name}: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words
  if [[ $COMP_CWORD -eq 1 ]]; then
    ${reply(`${namesOf(commands)} --help --version`)}
    return
  fi
  if [[ $COMP_CWORD -eq 2 ]]; then
    case \${COMP_WORDS[1]} in
${cases(parents)}
    esac
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${leavesOf(commands)
  .map(([words, command]) => `    ${patternOf(words)}) words="${flags(command)}" ;;`)
  .join('\n')}
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
  const parents = parentsIn(commands).map(
    (parent) =>
      `${parent.name()}) commands=(${commandsOf(parent).map(shown).join(' ')}); _describe 'command' commands; return ;;`,
  );
  const leaves = leavesOf(commands).map(([words, command]) => {
    const options = optionsOf(command).map(({ long, description }) => described(long ?? '', description));
    return `    ${patternOf(words)}) options=(${options.join(' ')}) ;;`;
  });
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
${cases(parents)}
    esac
  fi
  case "$words[2] $words[3]" in
${leaves.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe 'option' options; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fish(name: string, commands: readonly Command[]): string {
  const parents = parentsIn(commands);
  const nested = parents.flatMap((parent) => commandsOf(parent).map((command) => command.name()));
  const after = (words: string): string => `__fish_seen_subcommand_from ${words}`;
  const condition = (path: string): string => {
    const all = path.split(' ').map(after);
    // `run` is a command, and one of `task`, too.
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

/** All three shells end a single-quoted text at a quote, and zsh's descriptions at a colon. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}
