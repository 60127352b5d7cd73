/** `ralph completion`: shell completions, made from the commands themselves, so that they are never behind. */
import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly options: readonly { readonly long: string; readonly short: string | null; readonly description: string }[];
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
    .map((command) => ({
      name: command.name(),
      description: command.description(),
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

function words({ options }: Entry): string {
  return options.flatMap(({ long, short }) => (short === null ? [long] : [long, short])).join(' ');
}

function bash(name: string, commands: readonly Entry[]): string {
  const cases = commands.map((entry) => `    ${entry.name}) words="${words(entry)}" ;;`);
  return `# bash completion for ${name}: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${commands.map((entry) => entry.name).join(' ')} --help --version" -- "$cur"))
    return
  fi
  case \${COMP_WORDS[1]} in
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
  const describe = (entry: Entry): string => `    '${quoted(entry.name)}:${quoted(entry.description)}'`;
  const option = (entry: Entry): string =>
    entry.options.map(({ long, description }) => `'${quoted(long)}:${quoted(description)}'`).join(' ');
  return `#compdef ${name}
# zsh completion for ${name}: source <(${name} completion zsh)
_${name}() {
  local -a commands options
  commands=(
${commands.map(describe).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case $words[2] in
${commands.map((entry) => `    ${entry.name}) options=(${option(entry)}) ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe 'option' options; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fish(name: string, commands: readonly Entry[]): string {
  const lines = commands.flatMap((entry) => [
    `complete -c ${name} -n __fish_use_subcommand -f -a ${entry.name} -d '${quoted(entry.description)}'`,
    ...entry.options.map(({ long, short, description }) => {
      const letter = short === null ? '' : ` -s ${short.slice(1)}`;
      return `complete -c ${name} -n '__fish_seen_subcommand_from ${entry.name}' -l ${long.slice(2)}${letter} -d '${quoted(description)}'`;
    }),
  ]);
  return `# fish completion for ${name}: ${name} completion fish | source\n${lines.join('\n')}\n`;
}

/** All three shells end a single-quoted text at a quote, and zsh's descriptions at a colon. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}
