/**
 * Recognises plainly harmless commands without the judge, which takes longer to load than to run: a few programs that
 * look at the project's own files, its git or its scripts, in words that a shell takes literally. Anything else is left
 * to the judge; a property test checks that both agree.
 */
import type { ContextWithoutGit } from './category.ts';
import { table, UNKNOWN } from './command.ts';
import { isWithin, resolvePath, secrecyOf, writesSensitively, zoneOf } from './paths.ts';

const LONGEST = 8000;
const NOWHERE = `/${UNKNOWN}`;
/** A word, plain or quoted, or a commit message in a here-document; an operator between commands; discarded output. */
const TOKEN =
  /[ \t]+|(?:[12&]?>[ \t]*\/dev\/null|2>&1)(?![^\s;&|])|(?<joint>&&|\|\||[;|\n])|(?:(?<bare>(?:[\w./:@%+,=^-]|(?<=\w)~(?=\d))+)|(?<named>--[a-z-]+=)?(?:'(?<single>[^'\p{Cc}]*)'|"(?<double>[^"$`\\!\p{Cc}]*)"|"\$\(cat <<'EOF'\n(?<message>(?:(?!EOF\n)[^\n]*\n)*)EOF\n\)"))(?![^\s;&|])/guy;

export function isPlainlyHarmless(text: string, cwd: string, context: ContextWithoutGit): boolean {
  if (text.length > LONGEST || !isWithin(cwd, context.project) || !isOrdinary(context)) return false;
  const commands = commandsIn(text);
  if (commands === null) return false;
  let folder: string | null = cwd;
  for (const { words, before, after } of commands) {
    if (words[0] === 'cd') {
      // In any other form of `cd`, the next command could run in either folder.
      if (words.length !== 2 || before === '|' || after !== '&&' || !isOurs(words[1] ?? '', folder, context))
        return false;
      folder = resolvePath(words[1] ?? '', folder, context.home);
    } else if (folder === null || !isHarmless(words, folder, context)) return false;
  }
  return true;
}

/**
 * False if the project or the home folder is a system folder, or the project contains the home folder: it could then
 * hold devices or secrets.
 */
function isOrdinary({ home, project }: ContextWithoutGit): boolean {
  const isUsual = (path: string, from: string) =>
    ['outside', 'temporary'].includes(zoneOf(path, null, { home: from, project: NOWHERE }));
  return isUsual(project, home) && (home === '/root' || isUsual(home, NOWHERE));
}

/** Each command with the operators before and after it. Null if one of them is not plain. */
function commandsIn(text: string) {
  const commands: { readonly words: readonly string[]; readonly before: string; readonly after: string }[] = [];
  let [words, before, read]: [string[], string, number] = [[], '', 0];
  for (const { 0: token, groups = {} } of text.matchAll(TOKEN)) {
    read += token.length;
    const { bare, named = '', single, double, message, joint } = groups;
    // A shell also removes trailing line ends from the output of a substitution.
    const word = bare ?? single ?? double ?? message?.replace(/\n+$/, '');
    if (word !== undefined) words.push(named + word);
    else if (joint !== undefined) {
      commands.push({ words, before, after: joint });
      [words, before] = [[], joint];
    }
  }
  commands.push({ words, before, after: '' });
  return read === text.length && commands.every((command) => command.words.length > 0) ? commands : null;
}

const ANYTHING = /(?:)/;
const NOTHING = /^$/;

interface Rule {
  /** Matches the beginning of its words, one per line. */
  readonly first?: RegExp;
  readonly option: RegExp;
  /** Matches its other words, which must also be files of the project. */
  readonly word?: RegExp;
}

const GIT_OPTION =
  /^(?:-[aAmnpqsuv]|-am|-\d+|--(?:|all|amend|no-edit|oneline|stat|shortstat|numstat|name-only|name-status|porcelain|short|cached|staged|graph|quiet|no-color|show-toplevel|abbrev-ref|verify|follow|decorate|allow-empty))$/;
/** Remotes and branches by name, and the options of `fetch`, `pull` and `push`. */
const REMOTE_WORD = /^(?:\w[\w./-]*|-[uq]|--(?:set-upstream|rebase|ff-only|quiet|tags))$/;
const INSTALL_WORD = /^(?:[@\w][\w@./-]*|-[DSE]|--(?:save-dev|save-exact))$/;
const CARGO_OPTION = /^--(?:|release|all|workspace|check|all-targets|lib|quiet)$/;
const SCRIPT_OPTION = /^--?[\w-]+(?:=[\w.,:-]*)?$/;
/** Programs that look at files or run the project's own scripts; one matching rule is enough. */
const RULES = table<readonly Rule[]>({
  'true pwd': [{ first: NOTHING, option: NOTHING }],
  ls: [{ option: /^-[a-zA-Z1]+$/ }],
  cat: [{ option: /^-[AbeEnstTuv]+$/ }],
  'head tail': [{ option: /^-(?:[nc]?\d*|[qv]+)$/ }],
  wc: [{ option: /^-[clmwL]+$/ }],
  grep: [{ option: /^-[a-zA-Z]*\d*$|^--(?:include|exclude|exclude-dir)=[^/]*$/ }],
  sort: [{ option: /^-[bdfghinruV]+$/ }],
  cut: [{ option: /^-[bcdf][\w:,.-]*$/ }],
  'rg diff': [{ option: /^-[a-zA-Z]*\d*$/ }],
  // Its expression decides what `find` does; these tests only look.
  find: [{ option: /^-(?:i?name|i?path|type|maxdepth|mindepth|not|o|size|newer|empty)$/ }],
  'which sleep': [{ option: NOTHING }],
  pytest: [{ option: /^-[qvxsk]+$|^--tb=\w+$/ }],
  git: [
    { first: /^(?:status|diff|log|show|add|commit|rev-parse|ls-files|blame)(?:\n|$)/, option: GIT_OPTION },
    { first: /^(?:fetch|pull|push)(?:\n|$)/, option: REMOTE_WORD, word: REMOTE_WORD },
  ],
  cargo: [{ first: /^(?:test|build|check|clippy|fmt)(?:\n|$)/, option: CARGO_OPTION }],
  go: [{ first: /^(?:test|build|vet)(?:\n|$)/, option: /^-(?:v|race|run|short|count=\d+)$/ }],
  // Tools that are installed in the project; npx would download any other.
  npx: [{ first: /^(?:vitest|jest|tsc|eslint|biome|prettier)(?:\n|$)/, option: SCRIPT_OPTION }],
  // A sed script that only prints lines.
  sed: [{ first: /^-n\n\d+(?:,\d+)?p(?:\n(?!-)|$)/, option: /^-n$/ }],
  npm: [
    { first: /^(?:install|i)(?:\n|$)/, option: INSTALL_WORD, word: INSTALL_WORD },
    { first: /^(?:test|ci|start|run\n[\w:.-]+)(?:\n(?:-s|--silent))?(?:\n--\n|$)/, option: SCRIPT_OPTION },
  ],
});
const WRITING = table({ rm: /^-[rRfv]+$/, mkdir: /^-[pv]+$/, touch: /^-[acm]+$/ });

function isHarmless([program = '', ...words]: readonly string[], cwd: string, context: ContextWithoutGit): boolean {
  if (program === 'echo') return true;
  const writing = WRITING.get(program);
  if (writing !== undefined) return words.every((word) => writing.test(word) || isOursToWrite(word, cwd, context));
  const isThere = (folder: string) => context.exists(`${folder}/node_modules/.bin/${words[0] ?? ''}`);
  if (program === 'npx' && ![cwd, context.project].some(isThere)) return false;
  return (RULES.get(program) ?? []).some(
    ({ first = ANYTHING, option, word: looks = ANYTHING }) =>
      first.test(words.join('\n')) &&
      // A single dash is treated as a file: stdin, or what the judge takes for a file of that name.
      words.every((word) => (/^-./.test(word) ? option.test(word) : looks.test(word) && isOurs(word, cwd, context))),
  );
}

function isOurs(word: string, cwd: string | null, context: ContextWithoutGit): boolean {
  const path = resolvePath(word, cwd, context.home);
  return path !== null && isWithin(path, context.project) && secrecyOf(word, cwd, context.home) === 'public';
}

function isOursToWrite(word: string, cwd: string, context: ContextWithoutGit): boolean {
  if (/^-|\/release_agent$/.test(word)) return false;
  return zoneOf(word, cwd, context) === 'project' && writesSensitively(word, cwd, context) === null;
}
