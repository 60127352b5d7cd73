/** Puts hooks into an agent's settings, and takes them out again. Others' hooks and settings stay as they were written. */
import { applyEdits, type Edit, getNodeValue, type Node } from 'jsonc-parser';
import type { HookGroup } from '../../agents/session/installations.ts';
import {
  append,
  type JsonDocument,
  type JsonFile,
  memberOf,
  mustBe,
  parseJson,
  replaceValue,
  reverseEdits,
  takeOut,
} from './json-text.ts';

/** By event: one group each. */
export type HookGroups = Readonly<Record<string, HookGroup>>;

/** Edits that follow one another, each in the text that the last one left. */
export type Steps = readonly Edit[][];

export interface Edited {
  readonly text: string;
  /** What leads back to the text before; empty when nothing was changed. */
  readonly back: Steps;
}

/** The settings with these groups, and no other hook of ours. */
export function withHooks(text: string, file: JsonFile, groups: HookGroups): Edited {
  return stepByStep(text, file, (document) => {
    const ours = ourHooks(document);
    const stale = ours.find(({ event, group }) => !isWanted(groups, event, group));
    if (stale !== undefined) {
      const wanted = isAlone(stale.hook) ? groups[stale.event] : undefined;
      return wanted === undefined
        ? takeOut(document, outermost(stale.hook))
        : replaceValue(document, stale.group, wanted);
    }
    const double = ours.find(({ event }, index) => ours.findIndex((it) => it.event === event) < index);
    if (double !== undefined) return takeOut(document, outermost(double.hook));
    const missing = Object.keys(groups).find((event) => !ours.some((it) => it.event === event));
    return missing === undefined ? [] : addGroup(document, missing, groups[missing]);
  });
}

/** The settings without any hook of ours, and without whatever is empty then. */
export function withoutHooks(text: string, file: JsonFile): Edited {
  return stepByStep(text, file, (document) => {
    const [first] = ourHooks(document);
    return first === undefined ? [] : takeOut(document, outermost(first.hook));
  });
}

export function applySteps(text: string, steps: Steps): string {
  return steps.reduce(applyEdits, text);
}

function stepByStep(text: string, file: JsonFile, next: (document: JsonDocument) => Edit[]): Edited {
  const back: Edit[][] = [];
  for (let now = text; ; ) {
    const edits = next(parseJson(now, file));
    if (edits.length === 0) return { text: now, back };
    back.unshift(reverseEdits(now, edits));
    now = applyEdits(now, edits);
  }
}

interface OurHook {
  readonly event: string;
  readonly group: Node;
  readonly hook: Node;
}

function addGroup(document: JsonDocument, event: string, group: HookGroup | undefined): Edit[] {
  const hooks = memberOf(document.root, 'hooks');
  if (hooks === undefined) return append(document, document.root, { [event]: [group] }, 'hooks');
  const list = memberOf(hooks, event);
  if (list === undefined) return append(document, hooks, [group], event);
  mustBe('array', document, list, `hooks.${event}`);
  return append(document, list, group);
}

/** By the program that they start, wherever it lay when they were written. */
const OURS = /[\\/]hooks[\\/]session-loop\.(cjs|sh)\b/;

function ourHooks(document: JsonDocument): OurHook[] {
  const hooks = memberOf(document.root, 'hooks');
  if (hooks === undefined) return [];
  mustBe('object', document, hooks, 'hooks');
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

/** The user has put no hook of their own into its group. */
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
