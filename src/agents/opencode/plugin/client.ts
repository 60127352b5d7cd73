/** The part of opencode's plugin API that ours uses: what opencode passes to it, and the requests that it makes. */

export interface OpencodeContext {
  readonly client: {
    readonly session: {
      get(request: ById): Promise<Answer<{ readonly parentID?: string }>>;
      messages(request: ById & { readonly query: { readonly limit: number } }): Promise<Answer<readonly Message[]>>;
      promptAsync(request: ById & { readonly body: Prompt }): Promise<Answer<unknown>>;
    };
    readonly tui: { showToast(request: { readonly body: Toast }): Promise<unknown> };
  };
  readonly directory: string;
}

type ById = { readonly path: { readonly id: string } };
type Answer<T> = { readonly data?: T; readonly error?: unknown };
type Model = { readonly providerID: string; readonly modelID: string };
type TextPart = { readonly type: 'text'; readonly text: string };

interface Prompt {
  readonly parts: readonly TextPart[];
  readonly agent?: string;
  readonly model?: Model;
  readonly variant?: string;
}

export interface Toast {
  readonly title: string;
  readonly message: string;
  readonly variant: 'info' | 'success' | 'warning' | 'error';
  readonly duration: number;
}

export interface Message {
  readonly info: {
    readonly role: 'user' | 'assistant';
    readonly time: { readonly created: number };
    readonly error?: { readonly name: string };
    /** In a user's message: which agent should answer it. */
    readonly agent?: string;
    readonly model?: Model & { readonly variant?: string };
  };
  readonly parts: readonly Part[];
}

export interface Part {
  readonly type: string;
  readonly text?: string;
  /** Written by opencode, not by the model. */
  readonly synthetic?: boolean;
  readonly tool?: string;
  readonly state?: { readonly status: string; readonly output?: string };
}

type OpencodeEvent =
  | { readonly type: 'session.idle'; readonly properties: { readonly sessionID: string } }
  | {
      readonly type: 'session.status';
      readonly properties: { readonly sessionID: string; readonly status: { readonly type: string } };
    }
  | { readonly type: 'session.deleted'; readonly properties: { readonly info: { readonly id: string } } };

export interface Hooks {
  event(input: { readonly event: OpencodeEvent }): Promise<void>;
  'command.execute.before'(
    input: { readonly command: string; readonly sessionID: string; readonly arguments: string },
    output: { readonly parts: TextPart[] },
  ): Promise<void>;
  dispose(): Promise<void>;
}
