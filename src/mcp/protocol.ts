/** The Model Context Protocol, as far as a server with nothing but tools needs it: who it is, and by which version it speaks. Pure. */
import { isFields } from '../core/text/json.ts';
import type { Params } from './json-rpc.ts';

/** Newest first. */
export const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type Version = (typeof VERSIONS)[number];

/** The client's own where it is known here, otherwise our newest, which the client may refuse. */
export function negotiate(asked: unknown): Version {
  return VERSIONS.find((version) => version === asked) ?? VERSIONS[0];
}

/** Several messages in one line were part of JSON-RPC until 2025-06-18 took them out. */
export const allowsBatches = (version: Version): boolean => version !== '2025-06-18';

export interface Client {
  readonly name: string;
  readonly version: string;
}

const UNNAMED = 'an MCP client';
const LONGEST_NAME = 60;

/** It names itself as it likes: what does not belong into a name is left out. */
export function clientOf({ clientInfo }: Params): Client {
  const { name, version } = isFields(clientInfo) ? clientInfo : {};
  return { name: plainName(name) || UNNAMED, version: plainName(version) };
}

function plainName(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return text
    .replaceAll(/[^\w .@/+-]/g, '')
    .trim()
    .slice(0, LONGEST_NAME);
}
