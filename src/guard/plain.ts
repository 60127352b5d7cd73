/**
 * Commands that are plainly harmless, recognised without the whole judge, which takes longer to load than to run: a few programs
 * that look at the project's own files, its git or its scripts, in words that a shell takes as they stand. Whatever is not
 * understood here is left to the judge; a property test holds the two together.
 */
import type { ContextWithoutGit } from './category.ts';
import { table, UNKNOWN } from './command.ts';
import { isWithin, resolvePath, secrecyOf, writesSensitively, zoneOf } from './paths.ts';

const LONGEST = 8000;
const NOWHERE = `/${UNKNOWN}`;
/**
 * A word, bare or in quotes that hold nothing for the shell, or a text from a here-document without expansions, as agents
 * write the messages of commits; what joins two commands; output that is thrown away.
 */
const TOKEN =
  /[ \t]+|(?:[12&]?>[ \t]*\/dev\/null|2>&1)(?![^\s;&|])|(?<joint>&&|\|\||[;|\n])|(?:(?<bare>(?:[\w./:@%+,=^-]|(?<=\w)~(?=\d))+)|(?<named>--[a-z-]+=)?(?:'(?<single>[^'\p{Cc}]*)'|"(?<double>[^"$`\\!\p{Cc}]*)"|"\$\(cat <<'EOF'\n(?<message>(?:(?!EOF\n)[^\n]*\n)*)EOF\n\)"))(?![^\s;&|])/guy;

export function isPlainlyHarmless(text: string, cwd: string, context: ContextWithoutGit): boolean {
  if (text.length > LONGEST || !isWithin(cwd, context.project) || !isOrdinary(context)) return false;
  const commands = commandsIn(text);
  if (commands === null) return false;
  let folder: string | null = cwd;
  for (const { words, before, after } of commands) {
    if (words[0] === 'cd') {
      // Elsewhere the next command may run in either folder.
      if (words.length !== 2 || before === '|' || after !== '&&' || !isOurs(words[1] ?? '', folder, context))
        return false;
      folder = resolvePath(words[1] ?? '', folder, context.home);
    } else if (folder === null || !isHarmless(words, folder, context)) return false;
  }
  return true;
}

/** A project or a home that is the system's own, or one that holds the other, brings devices or secrets along. */
function isOrdinary({ home, project }: ContextWithoutGit): boolean {
  const isUsual = (path: string, from: string) =>
    ['outside', 'temporary'].includes(zoneOf(path, null, { home: from, project: NOWHERE }));
  return isUsual(project, home) && (home === '/root' || isUsual(home, NOWHERE));
}

interface Words {
  readonly words: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** Null where one of them is not plain. */
function commandsIn(text: string): Words[] | null {
  const commands: Words[] = [];
  let [words, before, read]: [string[], string, number] = [[], '', 0];
  for (const { 0: token, groups = {} } of text.matchAll(TOKEN)) {
    read += token.length;
    const { bare, named = '', single, double, message, joint } = groups;
    // As the shell does with what a substitution prints.
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
/** Which options a program may have; its other words are files of the project. */
const LOOKING = table({
  ls: /^-[a-zA-Z1]+$/,
  cat: /^-[AbeEnstTuv]+$/,
  'head tail': /^-(?:[nc]?\d*|[qv]+)$/,
  wc: /^-[clmwL]+$/,
  grep: /^-[a-zA-Z]*\d*$|^--(?:include|exclude|exclude-dir)=[^/]*$/,
  sort: /^-[bdfghinruV]+$/,
  cut: /^-[bcdf][\w:,.-]*$/,
  'rg diff': /^-[a-zA-Z]*\d*$/,
  // What it may do is said by its tests, of which these only look.
  find: /^-(?:i?name|i?path|type|maxdepth|mindepth|not|o|size|newer|empty)$/,
  'which sleep': NOTHING,
  pytest: /^-[qvxsk]+$|^--tb=\w+$/,
});
const WRITING = table({ rm: /^-[rRfv]+$/, mkdir: /^-[pv]+$/, touch: /^-[acm]+$/ });
/** What is to follow the subcommand is a path, a revision, a message, or one of these. */
const GIT = /^(?:status|diff|log|show|add|commit|rev-parse|ls-files|blame)$/;
const GIT_OPTION =
  /^(?:-[aAmnpqsuv]|-am|-\d+|--(?:|all|amend|no-edit|oneline|stat|shortstat|numstat|name-only|name-status|porcelain|short|cached|staged|graph|quiet|no-color|show-toplevel|abbrev-ref|verify|follow|decorate|allow-empty))$/;
/** Between the repository and its remotes, by their names. */
const GIT_REMOTE = /^(?:fetch|pull|push)$/;
const GIT_REMOTE_WORD = /^(?:\w[\w./-]*|-[uq]|--(?:set-upstream|rebase|ff-only|quiet|tags))$/;
const NPM_INSTALL = /^(?:install|i)$/;
const NPM_INSTALL_WORD = /^(?:[@\w][\w@./-]*|-[DSE]|--(?:save-dev|save-exact))$/;
const CARGO = /^(?:test|build|check|clippy|fmt)$/;
const CARGO_OPTION = /^--(?:|release|all|workspace|check|all-targets|lib|quiet)$/;
const GO = /^(?:test|build|vet)$/;
const GO_OPTION = /^-(?:v|race|run|short|count=\d+)$/;
/** Tools that a project has for itself; where it has not, npx would fetch them. */
const OWN_TOOL = /^(?:vitest|jest|tsc|eslint|biome|prettier)$/;
/** A script that prints lines. */
const SED_LINES = /^-n\n\d+(?:,\d+)?p(?:\n|$)/;
const NPM_SCRIPT = /^(?:test|ci|start|run\n[\w:.-]+)(?:\n(?:-s|--silent))?(?:\n--\n|$)/;
const SCRIPT_OPTION = /^--?[\w-]+(?:=[\w.,:-]*)?$/;

function isHarmless([program = '', ...words]: readonly string[], cwd: string, context: ContextWithoutGit): boolean {
  const [first = '', ...rest] = words;
  const allFit = (given: readonly string[], option: RegExp, name = ANYTHING) =>
    given.every((word) => (word.startsWith('-') ? option.test(word) : name.test(word) && isOurs(word, cwd, context)));
  switch (program) {
    case 'true':
    case 'pwd':
      return words.length === 0;
    case 'echo':
      return true;
    case 'git':
      if (GIT_REMOTE.test(first)) return allFit(rest, GIT_REMOTE_WORD, GIT_REMOTE_WORD);
      return GIT.test(first) && allFit(rest, GIT_OPTION);
    case 'cargo':
      return CARGO.test(first) && allFit(rest, CARGO_OPTION);
    case 'go':
      return GO.test(first) && allFit(rest, GO_OPTION);
    case 'npx':
      return isOwnTool(first, cwd, context) && allFit(rest, SCRIPT_OPTION);
    case 'sed':
      return SED_LINES.test(words.join('\n')) && allFit(words.slice(2), NOTHING);
    case 'npm':
      if (NPM_INSTALL.test(first)) return allFit(rest, NPM_INSTALL_WORD, NPM_INSTALL_WORD);
      return NPM_SCRIPT.test(words.join('\n')) && allFit(words, SCRIPT_OPTION);
    default: {
      const writing = WRITING.get(program);
      if (writing !== undefined) return words.every((word) => writing.test(word) || isOursToWrite(word, cwd, context));
      const looking = LOOKING.get(program);
      return looking !== undefined && allFit(words, looking);
    }
  }
}

function isOwnTool(name: string, cwd: string, { project, exists }: ContextWithoutGit): boolean {
  return OWN_TOOL.test(name) && [cwd, project].some((folder) => exists(`${folder}/node_modules/.bin/${name}`));
}

function isOurs(word: string, cwd: string | null, context: ContextWithoutGit): boolean {
  const path = resolvePath(word, cwd, context.home);
  return path !== null && isWithin(path, context.project) && secrecyOf(word, cwd, context.home) === 'public';
}

function isOursToWrite(word: string, cwd: string, context: ContextWithoutGit): boolean {
  return (
    !/^-|\/release_agent$/.test(word) &&
    zoneOf(word, cwd, context) === 'project' &&
    writesSensitively(word, cwd, context) === null
  );
}
