/** Goes through a parsed script as a shell would, runs nothing, and notes every command on the way. */
import type {
  AndOr,
  Assignment,
  Command as CommandNode,
  CompoundList,
  Function as FunctionNode,
  ParsedScript,
  PipelineNode,
  Redirection,
  Statement,
  While,
} from 'unbash';
import { shellQuote } from '../../core/text/quote-word.ts';
import { type Arg, type Command, type Flow, NOTHING, nearest, plainArg, type Redirected, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { linesOf } from './each-file.ts';
import { remember } from './effects.ts';
import { ENDLESS_FORK, FORK_BOMB, isEndlessFork, isForkBomb } from './exhaustion.ts';
import { expandText, expandWhole, expandWord, hear, type Listener } from './expand.ts';
import { nameOfProgram } from './glob.ts';
import type { Inner } from './inner.ts';
import { printedBy } from './output.ts';
import { parsed } from './parse.ts';
import { joinedValues, listOf, type Shell, scalar, setParameters, subshellOf } from './shell.ts';
import { unfold } from './unfold.ts';

const DEEPEST = 25;
const WORDS_PER_STEP = 10;
const LETTERS_PER_STEP = 200;
/** How often a loop is gone through: the outermost, one in it, one in that; further in, once. */
const MOST_ROUNDS = [64, 8, 4];
/** A function that calls itself would never end; once inside itself shows what it does with its own words. */
const MOST_CALLS_OF_ONE = 2;

/** Where a node stands: what flows in, who has called, and the text that its positions refer to. */
interface Place {
  readonly input: Flow;
  readonly outer: Command | null;
  readonly source: string;
  /** Only perhaps a shell's text: what makes no sense as one is no sign of anything. */
  readonly isGuess: boolean;
  /** How many loops are around it. */
  readonly loops: number;
  readonly chain: object;
}

type Node = PipelineNode | AndOr | CompoundList;

/** The text that an agent gives to a shell. If that is not bash, what makes no sense to bash may make sense to it. */
export function walkWhole(text: string, shell: Shell, isBash = true): void {
  try {
    walkText(text, shell, { ...START, isGuess: !isBash });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The stack is full: more levels than the parser and this walk can take.
    shell.limits.isTooDeep = true;
  }
}

function walkText(text: string, shell: Shell, place: Omit<Place, 'source'>): Flow {
  // The same text may be read over and over.
  if (place.outer !== null) shell.limits.stepsLeft -= Math.ceil(text.length / LETTERS_PER_STEP);
  if (shell.limits.stepsLeft <= 0) return NOTHING;
  const script = parsed(text);
  // Whatever stands for the unknown could be a part of the syntax.
  const isGuess = place.isGuess || text.includes(UNKNOWN);
  if (script !== null) return walkScript(script, shell, { ...place, isGuess, source: text });
  shell.limits.isTooDeep = true;
  return NOTHING;
}

const START = { input: NOTHING, outer: null, isGuess: false, loops: 0, chain: {} };

function walkScript(script: ParsedScript, shell: Shell, place: Place): Flow {
  const { errors = [], commands, source = place.source } = script;
  if (!place.isGuess) shell.limits.syntaxError ??= errors[0]?.message ?? null;
  return walkAll(commands, shell, { ...place, source });
}

function walkAll(statements: readonly Statement[], shell: Shell, place: Place): Flow {
  return joined(statements.map(({ command }) => walk(command, shell, { ...place, chain: {} })));
}

function walk(node: Node, shell: Shell, place: Place): Flow {
  if (shell.limits.stepsLeft-- <= 0) return NOTHING;
  switch (node.type) {
    case 'Command':
      return walkCommand(node, shell, place);
    case 'AndOr':
      return walkAndOr(node, shell, place);
    case 'Pipeline':
      return node.commands.reduce((input, part) => walk(part, subshellOf(shell), { ...place, input }), place.input);
    case 'CompoundList':
      return walkAll(node.commands, shell, place);
    case 'Redirected':
      return walk(node.command, shell, { ...place, input: throughRedirections(node.redirects, shell, place) });
    case 'Subshell':
      return walk(node.body, subshellOf(shell), place);
    case 'BraceGroup':
      return walk(node.body, shell, place);
    case 'If': {
      const branches = [node, ...node.elif].flatMap(({ clause, then }) => [clause, then]);
      const all = node.else === undefined ? branches : [...branches, node.else];
      return joined(all.map((body) => walk(body, shell, place)));
    }
    case 'Case': {
      const listener = listenerIn(shell, place);
      hear(node.word, listener);
      for (const { pattern } of node.items) for (const word of pattern) hear(word, listener);
      return joined(node.items.map(({ body }) => walk(body, shell, place)));
    }
    case 'For':
    case 'Select':
      return walkItems(node, shell, place);
    case 'ArithmeticFor':
      for (const each of [node.initialize, node.test, node.update]) {
        if (each !== undefined) hear(each, listenerIn(shell, place));
      }
      return walk(node.body, shell, place);
    case 'While':
      return walkLoop(node, shell, place);
    case 'TestCommand':
    case 'ArithmeticCommand':
      hear(node, listenerIn(shell, place));
      return NOTHING;
    case 'Function':
      return walkFunction(node, shell, place);
    case 'Coproc':
      return walk(node.body, subshellOf(shell), place);
  }
}

function walkAndOr(node: AndOr, shell: Shell, place: Place): Flow {
  let { chain } = place;
  return joined(
    node.commands.map((each, at) => {
      if (node.operators[at - 1] === '||') chain = {};
      return walk(each, shell, { ...place, chain });
    }),
  );
}

function walkItems(node: Extract<Node, { type: 'For' | 'Select' }>, shell: Shell, place: Place): Flow {
  const listener = listenerIn(shell, place);
  const words = node.wordlist ?? [];
  const items = words.flatMap((word) => expandWord(word, shell, listener)).flatMap(eachListed);
  const inside = { ...place, loops: place.loops + 1 };
  if (items.length === 0) return walk(node.body, shell, inside);
  const most = MOST_ROUNDS[place.loops] ?? 1;
  // Where there are too many, those that lead somewhere else come first.
  const chosen = items.length > most ? [...items.filter(leadsAway), ...items].slice(0, most) : items;
  return joined(
    chosen.map((item) => {
      shell.variables.set(node.name.value, scalar(item));
      return walk(node.body, shell, inside);
    }),
  );
}

/** `for f in $(find …)`: what it would find. */
function eachListed(item: Arg): Arg[] {
  const lines = item.text === UNKNOWN ? linesOf({ text: null, from: item.from }) : [];
  return lines.length === 0 ? [item] : lines.map((text) => ({ ...item, text }));
}

function leadsAway({ text }: Arg): boolean {
  return /^[/~.\0*]/.test(text);
}

/** `… | while read line`: once for every line that it would read. */
function walkLoop(node: While, shell: Shell, place: Place): Flow {
  if (isEndlessFork(node)) note(ENDLESS_FORK, sourceOf(node, place), shell, place);
  const lines = linesOf(place.input).length - (shell.linesRead.get(place.input) ?? 0);
  const rounds = Math.min(Math.max(lines, 1), MOST_ROUNDS[place.loops] ?? 1);
  const inside = { ...place, loops: place.loops + 1 };
  return joined(
    Array.from({ length: rounds }, () => {
      walk(node.clause, shell, inside);
      return walk(node.body, shell, inside);
    }),
  );
}

function walkFunction(node: FunctionNode, shell: Shell, place: Place): Flow {
  if (isForkBomb(node)) note(FORK_BOMB, sourceOf(node, place), shell, place);
  shell.functions.set(node.name.value, { body: node.body, source: place.source });
  // What it does is of interest even if only a later command calls it.
  return walk(node.body, subshellOf(shell), place);
}

function walkCommand(node: CommandNode, shell: Shell, place: Place): Flow {
  const sinks: (ParsedScript | undefined)[] = [];
  const listener = listenerIn(shell, place, sinks);
  const redirections = node.redirects.map((each) => redirected(each, shell, listener));
  const words = node.name === undefined ? [] : expandWord(node.name, shell, listener);
  const args = node.args.flatMap((arg) =>
    arg.type === 'Word' ? expandWord(arg, shell, listener) : [declared(arg, shell, listener)],
  );
  const prefix = node.prefix.flatMap((each) => (each.type === 'Assignment' ? [each] : []));
  const assignments = prefix.map((each) => assigned(each, shell, listener, node.name === undefined));
  const input = inputThrough(redirections, shell, place.input);
  const source = sourceOf(node, place);
  const output = call({ args: [...words, ...args], assignments, redirections, source }, shell, { ...place, input });
  for (const script of sinks) {
    if (script !== undefined) walkScript(script, subshellOf(shell), { ...place, input: output });
  }
  return output;
}

/** `export A=1`, `declare -a list=(a b)`: an argument, and a variable. */
function declared(node: Assignment, shell: Shell, listener: Listener): Arg {
  const { name, value } = assigned(node, shell, listener, true);
  return { ...value, text: `${name}=${value.text}` };
}

/** `A=1`: before a command it is for that command alone. */
function assigned(
  node: Assignment,
  shell: Shell,
  listener: Listener,
  isKept: boolean,
): { readonly name: string; readonly value: Arg } {
  const { name, value, append, index } = node;
  if (index !== undefined) hear(index, listener);
  const before = shell.variables.get(name);
  if (value.type === 'ArrayValue') {
    const elements = value.elements.flatMap((word) => expandWord(word, shell, listener));
    const list = listOf(elements, append === true ? before : undefined);
    if (isKept) shell.variables.set(name, list);
    return { name, value: joinedValues(list) };
  }
  const arg = expandWhole(value, shell, listener);
  if (index !== undefined) {
    const key = expandWhole(index, shell, listener).text;
    if (isKept) shell.variables.set(name, new Map([...(before ?? []), [key, arg]]));
    return { name, value: arg };
  }
  const first = before?.get('0');
  const whole = append === true && first !== undefined ? { ...arg, text: `${first.text}${arg.text}` } : arg;
  if (isKept) shell.variables.set(name, scalar(whole));
  return { name, value: whole };
}

interface Call {
  readonly args: readonly Arg[];
  readonly assignments?: Command['assignments'];
  readonly redirections?: readonly Redirected[];
  readonly source: string;
}

function call({ args, assignments = [], redirections = [], source }: Call, shell: Shell, place: Place): Flow {
  const { limits } = shell;
  // A long command costs more than a short one.
  limits.stepsLeft -= Math.ceil((args.length + 1) / WORDS_PER_STEP);
  if (shell.depth >= DEEPEST) limits.isTooDeep = true;
  if (limits.isTooDeep || limits.stepsLeft <= 0) return NOTHING;
  const [program = plainArg(''), ...rest] = args;
  const command: Command = {
    name: nameOfProgram(program.text),
    program: program.text,
    args: rest,
    words: rest.map(({ text }) => text),
    assignments,
    redirections,
    input: place.input,
    cwd: shell.cwd,
    outer: place.outer,
    source,
    chain: place.chain,
  };
  shell.found.push(command);
  shell.depth++;
  const inner =
    callNamed(command, shell, place) ??
    joined(unfold(command, shell).map((each) => callInner(each, command, shell, place)));
  shell.depth--;
  const output: Flow = {
    text: printedBy(command, shell) ?? inner.text,
    from: nearest([command, ...program.from, ...place.input.from, ...inner.from]),
  };
  remember(command, shell, output);
  return output;
}

/** An alias or a function of the script's own; null if it is neither. */
function callNamed(command: Command, shell: Shell, { isGuess, loops, chain }: Place): Flow | null {
  const { program, input } = command;
  const alias = shell.aliases.get(program);
  const known = shell.functions.get(program);
  if (alias === undefined && known === undefined) return null;
  if (shell.running.filter((name) => name === program).length >= MOST_CALLS_OF_ONE) return NOTHING;
  const running = [...shell.running, program];
  const place = { input, outer: command, isGuess, loops, chain };
  if (alias !== undefined) {
    const text = [alias, ...command.args.map((arg) => shellQuote(arg.text))].join(' ');
    return walkText(text, { ...shell, running, aliases: new Map() }, place);
  }
  if (known === undefined) return null;
  const inside = { ...subshellOf(shell), running };
  setParameters(inside.variables, command.args);
  return walk(known.body, inside, { ...place, source: known.source });
}

function callInner(inner: Inner, command: Command, shell: Shell, { isGuess, source, loops, chain }: Place): Flow {
  const place = {
    input: inner.input ?? command.input,
    outer: command,
    isGuess: isGuess || inner.isGuess === true,
    loops,
    chain,
  };
  const inside = inner.cwd === undefined ? shell : { ...subshellOf(shell), cwd: inner.cwd };
  if (inner.kind === 'call') return call({ args: inner.args, source: command.source }, inside, { ...place, source });
  if (inner.isSameShell === true) return walkText(inner.text, inside, place);
  const script = subshellOf(inside);
  if (inner.parameters !== undefined) {
    const [zero, ...others] = inner.parameters;
    if (zero !== undefined) script.variables.set('0', scalar(plainArg(zero)));
    setParameters(script.variables, others.map(plainArg));
  }
  return walkText(inner.text, script, place);
}

function note(name: string, source: string, shell: Shell, place: Place): void {
  call({ args: [plainArg(name)], source }, shell, place);
}

function listenerIn(shell: Shell, place: Place, sinks: (ParsedScript | undefined)[] = []): Listener {
  return {
    output: (script) =>
      script === undefined ? NOTHING : walkScript(script, subshellOf(shell), { ...place, input: NOTHING }),
    sink: (script) => sinks.push(script),
  };
}

/** For a group or a loop: its redirections are noted as those of a command without a name. */
function throughRedirections(redirections: readonly Redirection[], shell: Shell, place: Place): Flow {
  const made = redirections.map((each) => redirected(each, shell, listenerIn(shell, place)));
  const source = made.map(({ operator, target }) => `${operator}${target.text}`).join(' ');
  call({ args: [], redirections: made, source }, shell, place);
  return inputThrough(made, shell, place.input);
}

/** The target of a here-document is its text. */
function redirected(node: Redirection, shell: Shell, listener: Listener): Redirected {
  const { operator } = node;
  if (node.type !== 'HereDoc') {
    return { operator, target: node.target === undefined ? plainArg('') : expandWhole(node.target, shell, listener) };
  }
  const { text, parts } = node.body;
  const target = parts === undefined ? plainArg(text) : expandText(parts, shell, listener);
  return { operator, target: operator === '<<-' ? { ...target, text: target.text.replaceAll(/^\t+/gm, '') } : target };
}

function inputThrough(redirections: readonly Redirected[], shell: Shell, before: Flow): Flow {
  let input = before;
  for (const { operator, target } of redirections) {
    if (operator === '<<' || operator === '<<-') input = target;
    else if (operator === '<<<') input = { text: `${target.text}\n`, from: target.from };
    else if (operator === '<') {
      const path = resolvePath(target.text, shell.cwd, shell.home);
      const file = path === null ? undefined : shell.files.get(path);
      input = { text: file?.text ?? null, from: [...target.from, ...(file?.from ?? [])] };
    }
  }
  return input;
}

function sourceOf({ pos, end }: { readonly pos: number; readonly end: number }, { source }: Place): string {
  return source.slice(pos, end);
}

function joined(flows: readonly Flow[]): Flow {
  const [only] = flows;
  if (flows.length === 1 && only !== undefined) return only;
  const texts = flows.map(({ text }) => text);
  const isKnown = texts.length > 0 && !texts.every((text) => text === null);
  return {
    text: isKnown ? texts.map((text) => text ?? UNKNOWN).join('') : null,
    from: nearest([...new Set(flows.flatMap(({ from }) => from))]),
  };
}
