/** `ralph completion`: shell completions, made from the commands themselves, so that they are never behind. */
import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly options: readonly { readonly long: string; readonly short: string | null; readonly description: string }[];
  /** Its own commands. */
  readonly commands: readonly Entry[];
}

export function completionScript(program: Command, shell: Shell): string {
  const name = program.name();
  const commands = entriesOf(program);
  switch (shell) {
    case 'bash':
      return bash(name, commands);
    case 'zsh':
      return zsh(name, commands);
    case 'fish':
      return fish(name, commands);
  }
}

function entriesOf(program: Command): Entry[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help' || program.parent === null)
    .map((command) => ({
      name: command.name(),
      description: command.description(),
      commands: entriesOf(command),
      options: command
        .createHelp()
        .visibleOptions(command)
        .map((option) => ({
          long: option.long ?? '',
          short: option.short ?? null,
          description: option.description,
        })),
    }));
}

/** A command by the words that lead to it: `run`, `task run`. */
interface Path {
  readonly words: string;
  readonly entry: Entry;
}

/** All commands that take no further command. */
function leavesOf(commands: readonly Entry[]): Path[] {
  return commands.flatMap((entry) =>
    entry.commands.length === 0
      ? [{ words: entry.name, entry }]
      : leavesOf(entry.commands).map((leaf) => ({ ...leaf, words: `${entry.name} ${leaf.words}` })),
  );
}

/** `task run` is meant exactly, `run` with whatever comes behind it. */
function patternOf(path: string): string {
  return path.includes(' ') ? `"${path}"` : `"${path} "*`;
}

/** Commands of which the second word names one of their own. */
function parentsIn(commands: readonly Entry[]): Entry[] {
  return commands.filter((entry) => entry.commands.length > 0);
}

function words({ options }: Entry): string {
  return options.flatMap(({ long, short }) => (short === null ? [long] : [long, short])).join(' ');
}

function namesOf(commands: readonly Entry[]): string {
  return commands.map((entry) => entry.name).join(' ');
}

function bash(name: string, commands: readonly Entry[]): string {
  const parents = parentsIn(commands).map(
    (entry) =>
      `      ${entry.name}) COMPREPLY=($(compgen -W "${namesOf(entry.commands)} --help" -- "$cur")); return ;;`,
  );
  const cases = leavesOf(commands).map(
    ({ words: path, entry }) => `    ${patternOf(path)}) words="${words(entry)}" ;;`,
  );
  return `# bash completion for ${name}: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${namesOf(commands)} --help --version" -- "$cur"))
    return
  fi
  if [[ $COMP_CWORD -eq 2 ]]; then
    case \${COMP_WORDS[1]} in
${[...parents, '      *) ;;'].join('\n')}
    esac
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.join('\n')}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); return; fi
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _${name} ${name}
`;
}

function zsh(name: string, commands: readonly Entry[]): string {
  const describe = (entry: Entry): string => `'${quoted(entry.name)}:${quoted(entry.description)}'`;
  const option = (entry: Entry): string =>
    entry.options.map(({ long, description }) => `'${quoted(long)}:${quoted(description)}'`).join(' ');
  const parents = parentsIn(commands).map(
    (entry) =>
      `      ${entry.name}) commands=(${entry.commands.map(describe).join(' ')}); _describe 'command' commands; return ;;`,
  );
  return `#compdef ${name}
# zsh completion for ${name}: source <(${name} completion zsh)
_${name}() {
  local -a commands options
  commands=(
${commands.map((entry) => `    ${describe(entry)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  if (( CURRENT == 3 )); then
    case $words[2] in
${[...parents, '      *) ;;'].join('\n')}
    esac
  fi
  case "$words[2] $words[3]" in
${leavesOf(commands)
  .map(({ words: path, entry }) => `    ${patternOf(path)}) options=(${option(entry)}) ;;`)
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe 'option' options; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fish(name: string, commands: readonly Entry[]): string {
  const nested = parentsIn(commands).flatMap((parent) => parent.commands.map((entry) => entry.name));
  const seen = (path: string): string => {
    const all = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    // `run` is a command, and one of `task`, too.
    const isAlso = all.length === 1 && nested.includes(path);
    const others = isAlso ? [`not __fish_seen_subcommand_from ${namesOf(parentsIn(commands))}`] : [];
    return [...all, ...others].join('; and ');
  };
  const lines = [
    ...commands.map(
      (entry) => `complete -c ${name} -n __fish_use_subcommand -f -a ${entry.name} -d '${quoted(entry.description)}'`,
    ),
    ...parentsIn(commands).flatMap((parent) =>
      parent.commands.map(
        (entry) =>
          `complete -c ${name} -n '__fish_seen_subcommand_from ${parent.name}; and not __fish_seen_subcommand_from ${namesOf(parent.commands)}' -f -a ${entry.name} -d '${quoted(entry.description)}'`,
      ),
    ),
    ...leavesOf(commands).flatMap(({ words: path, entry }) =>
      entry.options.map(({ long, short, description }) => {
        const letter = short === null ? '' : ` -s ${short.slice(1)}`;
        return `complete -c ${name} -n '${seen(path)}' -l ${long.slice(2)}${letter} -d '${quoted(description)}'`;
      }),
    ),
  ];
  return `# fish completion for ${name}: ${name} completion fish | source\n${lines.join('\n')}\n`;
}

/** All three shells end a single-quoted text at a quote, and zsh's descriptions at a colon. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}
