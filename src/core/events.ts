/** What an agent does, as every adapter reports it. For the eyes only: no event decides anything. */

export type AgentEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'tool-end'; readonly id: string; readonly output: string; readonly isError: boolean }
  | { readonly type: 'todo'; readonly items: readonly TodoItem[] }
  | { readonly type: 'progress'; readonly text: string }
  | ({ readonly type: 'result' } & AgentResult)
  /** What the agent wrote to stderr. */
  | { readonly type: 'stderr'; readonly text: string }
  /** A line the adapter has no name for: kept as it came. */
  | { readonly type: 'unknown'; readonly raw: string };

export interface TodoItem {
  readonly text: string;
  readonly status: 'pending' | 'active' | 'completed';
}

/** The agent's own closing account. What it does not report stays absent: unknown is not zero. */
export interface AgentResult {
  readonly isError: boolean;
  readonly text: string;
  readonly costUsd?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly durationMs?: number;
}
