/** What stands beside the words of a command: its assignments and its redirections. */
import type { Assignment, Redirection } from 'unbash';
import { type Arg, type Command, type Flow, NOTHING, plainArg, type Redirected } from '../command.ts';
import { type Expander, expandText, expandWhole, expandWord, runSubstitutions } from './expand.ts';
import { fileAt, joinedValues, listOf, type Shell, scalar } from './shell.ts';

/** `export A=1`, `declare -a list=(a b)`: an argument, and a variable. */
export function declared(node: Assignment, expander: Expander): Arg {
  const { name, value } = assigned(node, expander, true);
  return { ...value, text: `${name}=${value.text}` };
}

/** `A=1`: before a command it is for that command alone. */
export function assigned(node: Assignment, expander: Expander, isKept: boolean): Command['assignments'][number] {
  const { name, value, append, index } = node;
  const { variables } = expander.shell;
  if (index !== undefined) runSubstitutions(index, expander);
  const before = variables.get(name);
  if (value.type === 'ArrayValue') {
    const elements = value.elements.flatMap((word) => expandWord(word, expander));
    const list = listOf(elements, append === true ? before : undefined);
    if (isKept) variables.set(name, list);
    return { name, value: joinedValues(list) };
  }
  const arg = expandWhole(value, expander);
  if (index !== undefined) {
    const key = expandWhole(index, expander).text;
    if (isKept) variables.set(name, new Map([...(before ?? []), [key, arg]]));
    return { name, value: arg };
  }
  const first = append === true ? before?.get('0') : undefined;
  const whole = first === undefined ? arg : { ...arg, text: `${first.text}${arg.text}` };
  if (isKept) variables.set(name, scalar(whole));
  return { name, value: whole };
}

/** The target of a here-document is its text. */
export function redirected(node: Redirection, expander: Expander): Redirected {
  const { operator } = node;
  if (node.type !== 'HereDoc') {
    return { operator, target: node.target === undefined ? plainArg('') : expandWhole(node.target, expander) };
  }
  const { text, parts } = node.body;
  const target = parts === undefined ? plainArg(text) : expandText(parts, expander);
  return { operator, target: operator === '<<-' ? { ...target, text: target.text.replaceAll(/^\t+/gm, '') } : target };
}

export function inputThrough(redirections: readonly Redirected[], shell: Shell, before: Flow): Flow {
  let input = before;
  for (const { operator, target } of redirections) {
    if (operator === '<<' || operator === '<<-') input = target;
    else if (operator === '<<<') input = { text: `${target.text}\n`, from: target.from };
    else if (operator === '<') {
      const file = fileAt(target.text, shell.cwd, shell) ?? NOTHING;
      input = { text: file.text, from: [...target.from, ...file.from] };
    }
  }
  return input;
}
