/** A sandbox's policy, for a person who wants to know before anything runs. */
import type { SandboxPolicy } from './policy.ts';

export function describePolicy({ writable, readOnly, vacant, unreadable, hosts, temp }: SandboxPolicy): string[] {
  return [
    ...section(
      'may be written',
      writable.map((path) => (path === temp ? 'a temporary folder of its own' : path)),
    ),
    ...section('may be read only, within that', readOnly),
    ...section('is put aside, should it appear', vacant),
    ...section('is hidden', unreadable),
    ...section('may be reached', hosts),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return [`  ${title}:`, ...(lines.length === 0 ? ['    nothing'] : lines.map((line) => `    ${line}`))];
}
