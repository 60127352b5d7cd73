/** What stands on a message bus. Only `type` and `projectId` are required; the other names are optional as in the files. */

export interface Message {
  readonly msgId: string;
  /** ISO, in UTC, with microseconds: `2026-02-23T19:17:10.184887Z`; a legacy line has seconds. */
  readonly ts: string;
  readonly type: string;
  readonly projectId: string;
  readonly taskId?: string;
  readonly runId?: string;
  /** Of an ISSUE it is its own `msgId`, unless the author gave another. */
  readonly issueId?: string;
  readonly parents?: readonly Parent[];
  readonly links?: readonly Link[];
  readonly meta?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What an author gives; the bus adds when and under which id. */
export type Draft = Omit<Message, 'msgId' | 'ts'>;

export interface Parent {
  readonly msgId: string;
  readonly kind?: string;
  readonly meta?: Readonly<Record<string, string>>;
}

export interface Link {
  readonly url: string;
  readonly label?: string;
  readonly kind?: string;
}
