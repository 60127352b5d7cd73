/** What an author gives, made fit for the file: refused without what is required, and in text that UTF-8 can hold. */
import { RalphError } from '../core/error.ts';
import type { Draft } from './message.ts';

const OPTIONAL = ['taskId', 'runId', 'issueId'] as const;

export function checkDraft(draft: Draft): Draft {
  if (draft.type === '') throw refused('message type is empty');
  if (draft.projectId === '') throw refused('project id is empty');
  const absent = OPTIONAL.filter((name) => (draft[name] ?? '') === '');
  return withoutLoneSurrogates(
    Object.fromEntries(Object.entries(draft).filter(([key]) => !isIn(absent, key))),
  ) as Draft;
}

export function refused(fact: string): RalphError {
  return new RalphError('BUS_MESSAGE', fact, { exitCode: 2 });
}

function withoutLoneSurrogates(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(withoutLoneSurrogates);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    Buffer.from(key).toString(),
    withoutLoneSurrogates(item),
  ]);
  return Object.fromEntries(entries);
}

function isIn(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
