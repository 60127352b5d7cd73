/** Puts hooks into an agent's settings, and takes them out again. Others' hooks and settings stay as they were written. */
import { applyEdits, type Edit, getNodeValue, type Node } from 'jsonc-parser';
import type { HookGroup } from '../../agents/session/installations.ts';
import { append, broken, type JsonDocument, memberOf, parseJson, replaceValue, takeOut } from './json-text.ts';

/** By event: one group each. */
export type HookGroups = Readonly<Record<string, HookGroup>>;

export interface SettingsFile {
  readonly path: string;
  /** The agent lets comments be in it. */
  readonly comments: boolean;
}

/** Edits that follow one another, each in the text that the last one left. */
export type Steps = readonly Edit[][];

/** What makes the settings hold these groups, and no other hook of ours. */
export function stepsToAdd(text: string, file: SettingsFile, groups: HookGroups): Steps {
  return stepByStep(text, file, (document) => {
    const stale = ourHooks(document, file).find(({ event, group }) => !isWanted(groups, event, group));
    if (stale !== undefined) {
      const wanted = isAlone(stale.hook) ? groups[stale.event] : undefined;
      return wanted === undefined
        ? takeOut(document, outermost(stale.hook))
        : replaceValue(document, stale.group, wanted);
    }
    const double = ourHooks(document, file).find(
      ({ event }, index, all) => all.findIndex((it) => it.event === event) < index,
    );
    if (double !== undefined) return takeOut(document, outermost(double.hook));
    return addMissing(document, file, groups);
  });
}

/** What takes out every hook of ours, and whatever is empty without it. */
export function stepsToRemove(text: string, file: SettingsFile): Steps {
  return stepByStep(text, file, (document) => {
    const [first] = ourHooks(document, file);
    return first === undefined ? [] : takeOut(document, outermost(first.hook));
  });
}

export function applySteps(text: string, steps: Steps): string {
  return steps.reduce(applyEdits, text);
}

function stepByStep(text: string, file: SettingsFile, next: (document: JsonDocument) => Edit[]): Steps {
  const steps: Edit[][] = [];
  for (let now = text; ; ) {
    const edits = next(parseJson(now, file.path, file));
    if (edits.length === 0) return steps;
    steps.push(edits);
    now = applyEdits(now, edits);
  }
}

interface OurHook {
  readonly event: string;
  readonly group: Node;
  readonly hook: Node;
}

function addMissing(document: JsonDocument, file: SettingsFile, groups: HookGroups): Edit[] {
  const present = ourHooks(document, file).map(({ event }) => event);
  const missing = Object.entries(groups).find(([event]) => !present.includes(event));
  if (missing === undefined) return [];
  const [event, group] = missing;
  const hooks = memberOf(document.root, 'hooks');
  if (hooks === undefined) return append(document, document.root, { [event]: [group] }, 'hooks');
  const list = memberOf(hooks, event);
  if (list === undefined) return append(document, hooks, [group], event);
  mustBe('array', list, `hooks.${event}`, document, file);
  return append(document, list, group);
}

/** By the program that they start, wherever it lay when they were written. */
const OURS = /[\\/]hooks[\\/]session-loop\.(cjs|sh)\b/;

function ourHooks(document: JsonDocument, file: SettingsFile): OurHook[] {
  const hooks = memberOf(document.root, 'hooks');
  if (hooks === undefined) return [];
  mustBe('object', hooks, 'hooks', document, file);
  return (hooks.children ?? []).flatMap((property) => {
    const event = String(property.children?.[0]?.value);
    return itemsOf(property.children?.[1]).flatMap((group) =>
      itemsOf(group.type === 'object' ? memberOf(group, 'hooks') : undefined)
        .filter((hook) => stringsIn(hook).some((text) => OURS.test(text)))
        .map((hook) => ({ event, group, hook })),
    );
  });
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : [];
}

function stringsIn(node: Node): string[] {
  return node.type === 'string' ? [String(node.value)] : (node.children ?? []).flatMap(stringsIn);
}

function isWanted(groups: HookGroups, event: string, group: Node): boolean {
  return JSON.stringify(getNodeValue(group)) === JSON.stringify(groups[event]);
}

/** Nobody put a hook of their own into its group. */
function isAlone(hook: Node): boolean {
  return hook.parent?.children?.length === 1;
}

/** The largest thing that holds nothing but this hook: its group, its event, or all hooks. */
function outermost(hook: Node): Node {
  if (!isAlone(hook)) return hook;
  const group = hook.parent?.parent?.parent;
  const event = group?.parent?.parent;
  if (group?.parent?.children?.length !== 1) return group ?? hook;
  return event?.parent?.children?.length === 1 ? (event.parent.parent ?? event) : (event ?? hook);
}

function mustBe(
  type: 'object' | 'array',
  node: Node,
  name: string,
  { text }: JsonDocument,
  { path }: SettingsFile,
): void {
  if (node.type !== type)
    throw broken(path, text, node.offset, `${name} is not ${type === 'array' ? 'a list' : 'an object'}`);
}
