/** Variables whose value other programs run: `GIT_EDITOR='x' git commit`, `PAGER=x man ls`. */
import { type Command, UNKNOWN, variablesSetBy } from '../command.ts';
import { commandsInGitSetting } from './git-commands.ts';
import type { Inner } from './unfold.ts';

const RUN =
  /^(?:(?:GIT_|GIT_SEQUENCE_|SUDO_|SYSTEMD_|KUBE_|HG|SVN_|BUNDLER_)?EDITOR|VISUAL|FCEDIT|(?:GIT_|MAN|SYSTEMD_|AWS_|GH_|PSQL_|DELTA_)?PAGER|BROWSER|GH_BROWSER|(?:GIT|SSH|SUDO)_ASKPASS|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w+_RSH|SVN_SSH|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RUSTC_WRAPPER|\w+_SHELL_COMMAND)$/;
/** Expanded by a shell when it comes to print it: what it substitutes is run. */
const PROMPTS = /^PS[0-4]$/;

export function commandsInVariables(command: Command): Inner[] {
  const variables = variablesSetBy(command);
  const texts = variables.flatMap(({ name, value: { text } }): string[] => {
    if (text === UNKNOWN || text === '') return [];
    // `LESSOPEN='|x %s'`
    if (RUN.test(name)) return [text.replace(/^\|+-?/, '')];
    return PROMPTS.test(name) && /\$\(|`/.test(text) ? [`: "${text}"`] : [];
  });
  return [...texts.map((text): Inner => ({ kind: 'text', text, isGuess: true })), ...gitSettings(variables)];
}

/** `GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=x`: what `-c` says on the command line. */
function gitSettings(variables: ReturnType<typeof variablesSetBy>): Inner[] {
  return variables.flatMap(({ name, value }) => {
    const [, index] = /^GIT_CONFIG_KEY_(\d+)$/.exec(name) ?? [];
    const other = variables.find((each) => each.name === `GIT_CONFIG_VALUE_${index ?? ''}`);
    return other === undefined ? [] : commandsInGitSetting(value.text, other.value.text);
  });
}
