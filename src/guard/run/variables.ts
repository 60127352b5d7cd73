/** The variables of a shell: single values, lists, and the parameters `$1`, `$2` … of a script. */
import { type Arg, UNKNOWN } from '../command.ts';

/** Values by index; a variable that is no list has the index 0 alone. */
export type Variable = ReadonlyMap<string, Arg>;
export type Variables = Map<string, Variable>;

export function scalar(value: Arg): Variable {
  return new Map([['0', value]]);
}

/** A list, from index 0; `[key]=value` names its index itself. */
export function listOf(values: readonly Arg[], before: Variable = new Map()): Variable {
  const list = new Map(before);
  let next = before.size;
  for (const value of values) {
    const [head, key = ''] = /^\[([^\]]*)\]=/.exec(value.text) ?? [];
    if (head === undefined) list.set(String(next++), value);
    else list.set(key, { ...value, text: value.text.slice(head.length) });
  }
  return list;
}

export function valueAt(variable: Variable | undefined, index: string): Arg | undefined {
  if (variable === undefined) return undefined;
  if (/^-\d+$/.test(index)) return [...variable.values()].at(Number(index));
  // Which one it is cannot be told; if there is only one, it is that.
  return (
    variable.get(index) ?? (index.includes(UNKNOWN) && variable.size === 1 ? [...variable.values()][0] : undefined)
  );
}

/** What a shell joins a list with between quotes. */
export function joinedValues(variable: Variable): Arg {
  const values = [...variable.values()];
  return {
    text: values.map(({ text }) => text).join(' '),
    from: values.flatMap(({ from }) => from),
    secrets: values.flatMap(({ secrets }) => secrets ?? []),
  };
}

/** `$1` …, `$@` and `$*`, as `set -- a b` and the call of a function or a script make them. */
export function setParameters(variables: Variables, values: readonly Arg[]): void {
  for (const [index] of (variables.get('@') ?? new Map<string, Arg>()).entries()) {
    variables.delete(String(Number(index) + 1));
  }
  for (const [index, value] of values.entries()) variables.set(String(index + 1), scalar(value));
  const all: Variable = new Map(values.map((value, index) => [String(index), value]));
  variables.set('@', all);
  variables.set('*', all);
}
