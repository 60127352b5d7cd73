/** What a server with only tools needs of the Model Context Protocol: its versions and the client's name. Pure. */
import { isFields } from '../core/text/json.ts';
import type { Params } from './json-rpc.ts';

/** Newest first. */
export const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type Version = (typeof VERSIONS)[number];

/** The client's version if we know it, otherwise our newest, which the client can refuse. */
export function negotiate(asked: unknown): Version {
  return VERSIONS.find((version) => version === asked) ?? VERSIONS[0];
}

/** MCP allowed batches until version 2025-06-18 removed them. */
export const allowsBatches = (version: Version): boolean => version !== '2025-06-18';

export interface Client {
  readonly name: string;
  readonly version: string;
}

const UNNAMED = 'an MCP client';
const LONGEST_NAME = 60;

/** Clients choose their names freely: characters that do not belong in a name are left out. */
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
