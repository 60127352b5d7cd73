/** Walks through a parsed script as a shell would, runs nothing, and records every command. */
import type * as unbash from 'unbash';
import { shellQuote } from '../../core/text/quote-word.ts';
import { type Command, type Flow, NOTHING, nearest, plainArg, UNKNOWN } from '../command.ts';
import { eachListed, linesOf } from './each-file.ts';
import { assigned, declared, inputThrough, redirected, remember } from './effects.ts';
import { type Expander, expandWord, runSubstitutions } from './expand.ts';
import { printedBy } from './output.ts';
import { nameOfProgram } from './parameters.ts';
import { ENDLESS_FORK, FORK_BOMB, isEndlessFork, isForkBomb, parsed } from './parse.ts';
import { type Inner, type Shell, scalar, setParameters, subshellOf } from './shell.ts';
import { unfold } from './unfold.ts';

const DEEPEST = 25;
const WORDS_PER_STEP = 10;
const LETTERS_PER_STEP = 200;
/** How many rounds of a loop are walked: of the outermost one, one inside it, one inside that; deeper ones once. */
const MOST_ROUNDS = [64, 8, 4];
/** A recursive function would never end; a second call, from inside itself, shows what it does with its arguments. */
const MOST_CALLS_OF_ONE = 2;

/** The context of a node: its shell, its input, its caller, and the text that its positions refer to. */
interface Frame {
  readonly shell: Shell;
  readonly input: Flow;
  readonly outer: Command | null;
  readonly source: string;
  /** The text may not be a shell script, so a syntax error means nothing. */
  readonly isGuess: boolean;
  readonly loops: number;
  readonly chain: object;
}

type Node = unbash.PipelineNode | unbash.AndOr | unbash.CompoundList;

/** Walks the text that an agent gives to a shell. If that is not bash, what is invalid in bash may be valid there. */
export function walkWhole(text: string, shell: Shell, isBash = true): void {
  const frame = { shell, input: NOTHING, outer: null, source: text, isGuess: !isBash, loops: 0, chain: {} };
  try {
    walkText(text, frame);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Stack overflow: nested deeper than the parser and this walk can handle.
    shell.limits.isTooDeep = true;
  }
}

function walkText(text: string, frame: Frame): Flow {
  const { limits } = frame.shell;
  // An inner text can be read many times, so it costs steps.
  if (frame.outer !== null) limits.stepsLeft -= Math.ceil(text.length / LETTERS_PER_STEP);
  if (limits.stepsLeft <= 0) return NOTHING;
  const script = parsed(text);
  // An unknown part of the text could be syntax.
  const isGuess = frame.isGuess || text.includes(UNKNOWN);
  if (script !== null) return walkScript(script, { ...frame, isGuess, source: text });
  limits.isTooDeep = true;
  return NOTHING;
}

function walkScript({ errors = [], commands, source }: unbash.ParsedScript, frame: Frame): Flow {
  if (!frame.isGuess) frame.shell.limits.syntaxError ??= errors[0]?.message ?? null;
  return walkAll(commands, { ...frame, source: source ?? frame.source });
}

function walkAll(statements: readonly unbash.Statement[], frame: Frame): Flow {
  return joined(statements.map(({ command }) => walk(command, { ...frame, chain: {} })));
}

function walk(node: Node, frame: Frame): Flow {
  if (frame.shell.limits.stepsLeft-- <= 0) return NOTHING;
  switch (node.type) {
    case 'Command':
      return walkCommand(node, frame);
    case 'AndOr':
      return walkAndOr(node, frame);
    case 'Pipeline':
      return node.commands.reduce((input, part) => walk(part, { ...inSubshell(frame), input }), frame.input);
    case 'CompoundList':
      return walkAll(node.commands, frame);
    case 'Redirected':
      return walk(node.command, { ...frame, input: throughRedirections(node.redirects, frame) });
    case 'BraceGroup':
      return walk(node.body, frame);
    case 'Subshell':
    case 'Coproc':
      return walk(node.body, inSubshell(frame));
    case 'If': {
      const branches = [node, ...node.elif].flatMap(({ clause, then }) => [clause, then]);
      const all = node.else === undefined ? branches : [...branches, node.else];
      return joined(all.map((body) => walk(body, frame)));
    }
    case 'Case':
      for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)])
        runSubstitutions(word, expanderIn(frame));
      return joined(node.items.map(({ body }) => walk(body, frame)));
    case 'For':
    case 'Select':
      return walkItems(node, frame);
    case 'ArithmeticFor':
      for (const each of [node.initialize, node.test, node.update])
        if (each !== undefined) runSubstitutions(each, expanderIn(frame));
      return walk(node.body, frame);
    case 'While':
      return walkLoop(node, frame);
    case 'TestCommand':
    case 'ArithmeticCommand':
      runSubstitutions(node, expanderIn(frame));
      return NOTHING;
    case 'Function':
      if (isForkBomb(node)) note(FORK_BOMB, node, frame);
      frame.shell.functions.set(node.name.value, { body: node.body, source: frame.source });
      // Look at the body even if the function is never called here.
      return walk(node.body, inSubshell(frame));
  }
}

function inSubshell(frame: Frame): Frame {
  return { ...frame, shell: subshellOf(frame.shell) };
}

function walkAndOr(node: unbash.AndOr, frame: Frame): Flow {
  let { chain } = frame;
  return joined(
    node.commands.map((each, at) => {
      if (node.operators[at - 1] === '||') chain = {};
      return walk(each, { ...frame, chain });
    }),
  );
}

function walkItems(node: Extract<Node, { type: 'For' | 'Select' }>, frame: Frame): Flow {
  const items = (node.wordlist ?? []).flatMap((word) => expandWord(word, expanderIn(frame))).flatMap(eachListed);
  const inside = { ...frame, loops: frame.loops + 1 };
  if (items.length === 0) return walk(node.body, inside);
  const most = MOST_ROUNDS[frame.loops] ?? 1;
  // If there are too many, paths that lead out of the folder come first.
  const leadingAway = items.length > most ? items.filter(({ text }) => /^[/~.\0*]/.test(text)) : [];
  return joined(
    [...leadingAway, ...items].slice(0, most).map((item) => {
      frame.shell.variables.set(node.name.value, scalar(item));
      return walk(node.body, inside);
    }),
  );
}

/** `… | while read line`: one round for every line that it would read. */
function walkLoop(node: unbash.While, frame: Frame): Flow {
  if (isEndlessFork(node)) note(ENDLESS_FORK, node, frame);
  const lines = linesOf(frame.input).length - (frame.shell.linesRead.get(frame.input) ?? 0);
  const rounds = Math.min(Math.max(lines, 1), MOST_ROUNDS[frame.loops] ?? 1);
  const inside = { ...frame, loops: frame.loops + 1 };
  return joined(
    Array.from({ length: rounds }, () => {
      walk(node.clause, inside);
      return walk(node.body, inside);
    }),
  );
}

function walkCommand(node: unbash.Command, frame: Frame): Flow {
  const sinks: (unbash.ParsedScript | undefined)[] = [];
  const expander = expanderIn(frame, sinks);
  const redirections = node.redirects.map((each) => redirected(each, expander));
  const words = node.name === undefined ? [] : expandWord(node.name, expander);
  const args = node.args.flatMap((arg) =>
    arg.type === 'Word' ? expandWord(arg, expander) : [declared(arg, expander)],
  );
  const assignments = node.prefix.flatMap((each) =>
    each.type === 'Assignment' ? [assigned(each, expander, node.name === undefined)] : [],
  );
  const input = inputThrough(redirections, frame.shell, frame.input);
  const source = frame.source.slice(node.pos, node.end);
  const output = call({ args: [...words, ...args], assignments, redirections, source }, { ...frame, input });
  for (const script of sinks) if (script !== undefined) walkScript(script, { ...inSubshell(frame), input: output });
  return output;
}

type Call = Pick<Command, 'args' | 'source'> & Partial<Pick<Command, 'assignments' | 'redirections'>>;

/** The first argument is the program. */
function call({ args, assignments = [], redirections = [], source }: Call, frame: Frame): Flow {
  const { shell, input, outer, chain } = frame;
  const { limits } = shell;
  // Longer commands cost more steps.
  limits.stepsLeft -= Math.ceil((args.length + 1) / WORDS_PER_STEP);
  if (shell.depth >= DEEPEST) limits.isTooDeep = true;
  if (limits.isTooDeep || limits.stepsLeft <= 0) return NOTHING;
  const [{ text: program, from } = plainArg(''), ...rest] = args;
  const command: Command = {
    name: nameOfProgram(program),
    program,
    args: rest,
    words: rest.map(({ text }) => text),
    assignments,
    redirections,
    input,
    cwd: shell.cwd,
    outer,
    source,
    chain,
  };
  shell.found.push(command);
  shell.depth++;
  const inside = { ...frame, outer: command };
  const inner =
    callNamed(command, inside) ?? joined(unfold(command, shell).map((each) => callInner(each, command, inside)));
  shell.depth--;
  const output: Flow = {
    text: printedBy(command, shell) ?? inner.text,
    from: nearest([command, ...from, ...input.from, ...inner.from]),
  };
  remember(command, shell, output);
  return output;
}

/** Runs an alias or a function of the script; null if it is neither. */
function callNamed({ program, args, words }: Command, frame: Frame): Flow | null {
  const { shell } = frame;
  const alias = shell.aliases.get(program);
  const known = shell.functions.get(program);
  if (alias === undefined && known === undefined) return null;
  if (shell.running.filter((name) => name === program).length >= MOST_CALLS_OF_ONE) return NOTHING;
  const running = [...shell.running, program];
  if (alias !== undefined) {
    const text = [alias, ...words.map(shellQuote)].join(' ');
    return walkText(text, { ...frame, shell: { ...shell, running, aliases: new Map() } });
  }
  if (known === undefined) return null;
  const inside = { ...subshellOf(shell), running };
  setParameters(inside.variables, args);
  return walk(known.body, { ...frame, shell: inside, source: known.source });
}

function callInner(inner: Inner, { source }: Command, around: Frame): Flow {
  const shell = inner.cwd === undefined ? around.shell : { ...subshellOf(around.shell), cwd: inner.cwd };
  const isGuess = around.isGuess || inner.isGuess === true;
  const frame = { ...around, shell, isGuess, input: inner.input ?? around.input };
  if ('args' in inner) return call({ args: inner.args, source }, frame);
  if (inner.isSameShell === true) return walkText(inner.text, frame);
  const script = subshellOf(shell);
  if (inner.parameters !== undefined) {
    const [zero, ...others] = inner.parameters;
    if (zero !== undefined) script.variables.set('0', scalar(plainArg(zero)));
    setParameters(script.variables, others.map(plainArg));
  }
  return walkText(inner.text, { ...frame, shell: script });
}

/** Records a structure in the script as if it were a command. */
function note(name: string, { pos, end }: unbash.While | unbash.Function, frame: Frame): void {
  call({ args: [plainArg(name)], source: frame.source.slice(pos, end) }, frame);
}

function expanderIn(frame: Frame, sinks: (unbash.ParsedScript | undefined)[] = []): Expander {
  return {
    shell: frame.shell,
    output: (script) => (script === undefined ? NOTHING : walkScript(script, { ...inSubshell(frame), input: NOTHING })),
    sink: (script) => sinks.push(script),
  };
}

/** For a group or a loop: its redirections are recorded as those of a command without a name. */
function throughRedirections(nodes: readonly unbash.Redirection[], frame: Frame): Flow {
  const redirections = nodes.map((each) => redirected(each, expanderIn(frame)));
  const source = redirections.map(({ operator, target }) => `${operator}${target.text}`).join(' ');
  call({ args: [], redirections, source }, frame);
  return inputThrough(redirections, frame.shell, frame.input);
}

function joined(flows: readonly Flow[]): Flow {
  const [only] = flows;
  if (flows.length === 1 && only !== undefined) return only;
  const isKnown = flows.some(({ text }) => text !== null);
  return {
    text: isKnown ? flows.map(({ text }) => text ?? UNKNOWN).join('') : null,
    from: nearest([...new Set(flows.flatMap(({ from }) => from))]),
  };
}
