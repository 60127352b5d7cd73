/** Goes through a parsed script as a shell would, runs nothing, and notes every command on the way. */
import { type Arg, type Command, type Flow, NOTHING, nearest, plainArg, type Redirected, UNKNOWN } from '../command.ts';
import { resolvePath } from '../paths.ts';
import { parse } from '../shell/parse.ts';
import type { Node, Redirection, Script, SimpleNode } from '../shell/syntax.ts';
import { remember } from './effects.ts';
import { ENDLESS_FORK, FORK_BOMB, isEndlessFork, isForkBomb } from './exhaustion.ts';
import { expandWhole, expandWord, type Listen } from './expand.ts';
import { printedBy } from './output.ts';
import { nameOfProgram } from './program-name.ts';
import { type Shell, subshellOf } from './shell-state.ts';
import { type Inner, unfold } from './unfold.ts';

const DEEPEST = 25;
const WORDS_PER_STEP = 20;
const MOST_ITEMS = 16;

/** Where a node stands: what flows in, and who has called. */
interface Place {
  readonly input: Flow;
  readonly outer: Command | null;
}

export function walkScript(script: Script, shell: Shell, place: Place = { input: NOTHING, outer: null }): Flow {
  return joined(script.map(({ node }) => walk(node, shell, place)));
}

function walk(node: Node, shell: Shell, place: Place): Flow {
  if (shell.budget.left-- <= 0) return NOTHING;
  switch (node.kind) {
    case 'simple':
      return walkSimple(node, shell, place);
    case 'pipeline':
      return node.parts.reduce((input, part) => walk(part, subshellOf(shell), { ...place, input }), place.input);
    case 'group': {
      const input = throughRedirections(node.redirections, shell, place);
      return walkScript(node.body, node.isSubshell ? subshellOf(shell) : shell, { ...place, input });
    }
    case 'branches': {
      const input = throughRedirections(node.redirections, shell, place);
      return joined(node.bodies.map((body) => walkScript(body, shell, { ...place, input })));
    }
    case 'loop':
      return walkLoop(node, shell, place);
    case 'function':
      if (isForkBomb(node)) note(FORK_BOMB, node.source, shell, place);
      shell.functions.set(node.name, node.body);
      return walk(node.body, subshellOf(shell), place);
  }
}

function walkLoop(node: Extract<Node, { kind: 'loop' }>, shell: Shell, place: Place): Flow {
  if (isEndlessFork(node)) note(ENDLESS_FORK, node.source, shell, place);
  const input = throughRedirections(node.redirections, shell, place);
  const inside = { ...place, input };
  walkScript(node.condition, shell, inside);
  const items = node.items.flatMap((word) => expandWord(word, shell, listenIn(shell, place)));
  const variable = node.variable;
  if (variable === null || items.length === 0) return walkScript(node.body, shell, inside);
  return joined(
    items.slice(0, MOST_ITEMS).map(({ text }) => {
      shell.variables.set(variable, text);
      return walkScript(node.body, shell, inside);
    }),
  );
}

function walkSimple(node: SimpleNode, shell: Shell, place: Place): Flow {
  const listen = listenIn(shell, place);
  const redirections = redirected(node.redirections, shell, listen);
  const assignments = node.assignments.map(({ name, value }) => ({ name, value: expandWhole(value, shell, listen) }));
  const args = node.words.flatMap((word) => expandWord(word, shell, listen));
  const input = inputThrough(node.redirections, redirections, shell, place.input, listen);
  return call({ args, assignments, redirections, source: node.source }, shell, { ...place, input });
}

interface Call {
  readonly args: readonly Arg[];
  readonly assignments?: Command['assignments'];
  readonly redirections?: readonly Redirected[];
  readonly source: string;
}

function call({ args, assignments = [], redirections = [], source }: Call, shell: Shell, place: Place): Flow {
  // A long command costs more than a short one.
  shell.budget.left -= Math.ceil((args.length + 1) / WORDS_PER_STEP);
  if (shell.depth >= DEEPEST || shell.budget.left <= 0) return NOTHING;
  const [program = plainArg(''), ...rest] = args;
  if (args.length === 0) for (const { name, value } of assignments) shell.variables.set(name, value.text);
  const command: Command = {
    name: nameOfProgram(program.text),
    program: program.text,
    args: rest,
    assignments,
    redirections,
    input: place.input,
    cwd: shell.cwd,
    outer: place.outer,
    source,
  };
  shell.found.push(command);
  shell.depth++;
  const inner =
    callNamed(command, shell) ?? joined(unfold(command, shell).map((each) => callInner(each, command, shell)));
  shell.depth--;
  const output: Flow = {
    text: printedBy(command, shell) ?? inner.text,
    from: nearest([command, ...program.from, ...place.input.from, ...inner.from]),
  };
  remember(command, shell, output);
  return output;
}

/** An alias or a function of the script's own; null if it is neither. */
function callNamed(command: Command, shell: Shell): Flow | null {
  const place = { input: command.input, outer: command };
  const alias = shell.aliases.get(command.program);
  if (alias !== undefined) {
    const text = [alias, ...command.args.map(({ text }) => quoted(text))].join(' ');
    return walkScript(parse(text), { ...shell, aliases: new Map() }, place);
  }
  const body = shell.functions.get(command.program);
  if (body === undefined) return null;
  const inside = subshellOf(shell);
  const texts = command.args.map(({ text }) => text);
  for (const [index, text] of texts.entries()) inside.variables.set(String(index + 1), text);
  for (const all of ['@', '*']) inside.variables.set(all, texts.join(' '));
  return walk(body, inside, place);
}

function callInner(inner: Inner, command: Command, shell: Shell): Flow {
  const place = { input: inner.input ?? command.input, outer: command };
  const inside = inner.cwd === undefined ? shell : { ...subshellOf(shell), cwd: inner.cwd };
  if (inner.kind === 'text') {
    const script = subshellOf(inside);
    for (const [index, text] of (inner.parameters ?? []).entries()) script.variables.set(String(index), text);
    return walkScript(parse(inner.text), inner.isSameShell === true ? inside : script, place);
  }
  return call({ args: inner.args, source: command.source }, inside, place);
}

function note(name: string, source: string, shell: Shell, place: Place): void {
  call({ args: [plainArg(name)], source }, shell, place);
}

function listenIn(shell: Shell, place: Place): Listen {
  return (script) => walkScript(script, subshellOf(shell), { input: NOTHING, outer: place.outer });
}

function redirected(redirections: readonly Redirection[], shell: Shell, listen: Listen): Redirected[] {
  return redirections.map(({ operator, target }) => ({ operator, target: expandWhole(target, shell, listen) }));
}

/** For a group or a loop: its redirections are noted as those of a command without a name. */
function throughRedirections(redirections: readonly Redirection[], shell: Shell, place: Place): Flow {
  if (redirections.length === 0) return place.input;
  const listen = listenIn(shell, place);
  const made = redirected(redirections, shell, listen);
  call(
    { args: [], redirections: made, source: made.map(({ operator, target }) => `${operator}${target.text}`).join(' ') },
    shell,
    place,
  );
  return inputThrough(redirections, made, shell, place.input, listen);
}

function inputThrough(
  redirections: readonly Redirection[],
  made: readonly Redirected[],
  shell: Shell,
  before: Flow,
  listen: Listen,
): Flow {
  let input = before;
  for (const [index, { operator, body }] of redirections.entries()) {
    const target = made[index]?.target ?? plainArg('');
    if (body !== null) input = expandWhole(body, shell, listen);
    else if (operator === '<<<') input = { text: `${target.text}\n`, from: target.from };
    else if (operator === '<') {
      const path = resolvePath(target.text, shell.cwd, shell.home);
      const file = path === null ? undefined : shell.files.get(path);
      input = { text: file?.text ?? null, from: [...target.from, ...(file?.from ?? [])] };
    }
  }
  return input;
}

function joined(flows: readonly Flow[]): Flow {
  const texts = flows.map(({ text }) => text);
  const isKnown = texts.length > 0 && !texts.every((text) => text === null);
  return {
    text: isKnown ? texts.map((text) => text ?? UNKNOWN).join('') : null,
    from: nearest([...new Set(flows.flatMap(({ from }) => from))]),
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
