/** The schema of `notify` in the settings: who is notified of what. Only users' own settings say where messages go. */
import * as z from 'zod/mini';
import { NOTICE_EVENTS, type NoticeEvent, oneLine } from '../core/notice.ts';
import { isFields } from '../core/text/json.ts';
import { listed } from '../core/text/listed.ts';
import { duration, expected, filledText, flag, group, list, meantOf, text } from './forms.ts';

const event = z
  .enum(NOTICE_EVENTS, {
    error: ({ input }) =>
      `${expected(listed(NOTICE_EVENTS, 'or'))({ input })}${typeof input === 'string' ? meantOf(input, NOTICE_EVENTS) : ''}`,
  })
  .check(z.describe('The name of an event.'));

const events = (what: string) => z.optional(list(event, what));

const url = (what: string) =>
  filledText(what).check(
    z.refine((value) => /^https?:\/\/[^\s/@]+(?:[/?#]|$)/.test(value) && URL.canParse(value), {
      // Does not quote the value: even an invalid one can be a secret.
      error: 'must be a URL that starts with https:// or http://, without a user name or password',
    }),
  );

/** `https://ntfy.sh/topic`: the server, and the topic as the last part. */
const topic = (what: string) =>
  url(what).check(
    z.refine((value) => /\/[\w-]{1,64}\/?$/.test(URL.canParse(value) ? new URL(value).pathname : '/x'), {
      error: 'must end with a topic, such as https://ntfy.sh/my-topic',
    }),
  );

export const PLACEHOLDERS = [
  'event',
  'title',
  'text',
  'question',
  'loop',
  'kind',
  'place',
  'next',
  'time',
  'id',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The first unknown placeholder in a template, or null. */
function unknownPlaceholder(template: unknown): string | null {
  if (typeof template === 'string') {
    const names = [...template.matchAll(/\{([a-z]+)\}/g)].map(([, name = '']) => name);
    return names.find((name) => !PLACEHOLDERS.some((known) => known === name)) ?? null;
  }
  if (Array.isArray(template)) return template.map(unknownPlaceholder).find((name) => name !== null) ?? null;
  return isFields(template) ? unknownPlaceholder(Object.values(template)) : null;
}

const template = z
  .custom((value) => typeof value === 'string' || isFields(value), {
    error: expected('an object or a string'),
  })
  .check(
    z.refine((value) => unknownPlaceholder(value) === null, {
      error: ({ input }) => {
        const name = unknownPlaceholder(input) ?? '';
        return `must not contain {${name}}${meantOf(name, PLACEHOLDERS)}; it can contain ${listed(
          PLACEHOLDERS.map((known) => `{${known}}`),
          'and',
        )}`;
      },
    }),
    z.describe('The body of the request, with placeholders such as {title}; an object is sent as JSON.'),
  );

/** An object whose keys the user chooses. */
const byName = <Form extends z.ZodMiniType>(name: RegExp, wrongName: string, form: Form) =>
  z.record(z.string().check(z.regex(name)), form, {
    error: (issue) => (issue.code === 'invalid_key' ? wrongName : expected('an object')(issue)),
  });

/** A line break in a header would start another header. */
const headerText = (what: string) =>
  filledText(what).check(z.regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, { error: 'must be one line' }));

const KINDS = {
  desktop: {},
  terminal: {
    style: z.optional(
      z
        .enum(['bell', 'osc9', 'both'], { error: expected('"bell", "osc9" or "both"') })
        .check(z.describe('Ring the bell, show a terminal notification (OSC 9), or both.')),
    ),
  },
  command: {
    command: list(
      filledText('The program, or an argument.'),
      'A program and its arguments, run without a shell. It gets the message as JSON on stdin.',
    ).check(z.minLength(1, { error: 'must not be empty' })),
  },
  webhook: {
    url: url('The URL to which messages are sent, with POST.'),
    secret: z.optional(filledText('The key that signs each message (HMAC-SHA256).')),
    headers: z.optional(
      byName(/^[\w-]+$/, 'must have header names as its keys', headerText('The value of the header.')),
    ),
    body: z.optional(template),
    contentType: z.optional(headerText('The content type of a body that is a string.')),
  },
  slack: { url: url('The URL of an incoming webhook of Slack, or of a service that is compatible with Slack.') },
  ntfy: {
    url: topic('The URL of the topic, such as https://ntfy.sh/my-topic.'),
    token: z.optional(headerText('An access token for the server.')),
    reply: z.optional(
      group({
        url: topic('The URL of the topic for your answers; it must differ from the first.'),
        token: z.optional(
          headerText('The access token with which buttons publish (default: the token of the receiver).'),
        ),
        expires: z.optional(duration('How long a button works, such as "2h" (default: 12h).')),
      }),
    ),
  },
} as const;

export type ReceiverKind = keyof typeof KINDS;

const NAMES = Object.keys(KINDS) as ReceiverKind[];

const formOf = <Kind extends ReceiverKind>(kind: Kind) =>
  group({
    kind: z.literal(kind).check(z.describe('The kind of the receiver.')),
    events: events('Which events are sent to this receiver (default: all).'),
    ...KINDS[kind],
  });

type FormOf<Kind extends ReceiverKind> = z.infer<z.ZodMiniObject<(typeof KINDS)[Kind]>> & {
  readonly kind: Kind;
  readonly events?: readonly NoticeEvent[] | undefined;
};
export type Receiver = { [Kind in ReceiverKind]: FormOf<Kind> }[ReceiverKind];
export type ReceiverOf<Kind extends ReceiverKind> = Extract<Receiver, { kind: Kind }>;

/** Parses each receiver by the schema of its own kind, so that errors are about that kind. */
const receiver = z.transform((input: unknown, { issues }): Receiver => {
  const kind = isFields(input) ? input.kind : undefined;
  const found = NAMES.find((name) => name === kind);
  if (found === undefined) {
    const meant = typeof kind === 'string' ? meantOf(kind, NAMES) : '';
    const message = `${expected(
      listed(
        NAMES.map((name) => JSON.stringify(name)),
        'or',
      ),
    )({ input: kind })}${meant}`;
    issues.push({ code: 'custom', path: ['kind'], input, message });
    return z.NEVER;
  }
  const parsed = formOf(found).safeParse(input);
  if (!parsed.success) issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
  return parsed.data as Receiver;
});

const receiversOf = <Form extends z.ZodMiniType>(form: Form) =>
  byName(/^[\w-]{1,40}$/, 'must have keys of up to 40 letters, digits, - and _', form).check(
    z.describe('The receivers, by name.'),
  );

const quietHours = text('Hold messages back during these hours, such as "22:00-07:00".').check(
  z.refine((value) => parseQuietHours(value) !== null, { error: expected('two times such as "22:00-07:00"') }),
);

const ofAnyone = {
  mute: z.optional(flag('Send no messages; in the settings of a project, for its loops only.')),
  events: events('Which events send messages (default: all); in the settings of a project, for its loops only.'),
};

const ofUser = {
  quietHours: z.optional(quietHours),
  breakThrough: events('Which events are sent even during quiet hours.'),
};

const userNotify = group({ receivers: z.optional(receiversOf(receiver)), ...ofUser, ...ofAnyone });

/** For editors, which need every form that a receiver can have. */
export const editorNotify = group({
  receivers: z.optional(receiversOf(z.union(NAMES.map(formOf)))),
  ...ofUser,
  ...ofAnyone,
});

export const OWN =
  'must be in your own settings (~/.config/ralph/settings.json): a project does not choose where messages go';
const ownOnly = z.optional(z.custom<never>(() => false, { error: ({ input }) => `${OWN}${refusedNames(input)}` }));

/** The names of the refused receivers; an agent could have written them, so they are cleaned. */
function refusedNames(value: unknown): string {
  const names = isFields(value) ? oneLine(Object.keys(value).join(', ')) : '';
  return names === '' ? '' : ` (refused: ${names})`;
}

/** What a project can set: an agent could have written it. */
export const projectNotify = group({ ...ofAnyone, receivers: ownOnly, quietHours: ownOnly, breakThrough: ownOnly });

export type UserNotify = z.infer<typeof userNotify>;
export type ProjectNotify = z.infer<z.ZodMiniObject<typeof ofAnyone>>;

/** Wraps `notify` in the whole file, so that errors name the full path. */
export const userForm = z.looseObject({ notify: z.optional(userNotify) });
export const projectForm = z.looseObject({ notify: z.optional(projectNotify) });

/** In minutes since midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

export function parseQuietHours(text: string): QuietHours | null {
  const [, h1, m1, h2, m2] = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (h1 === undefined) return null;
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)];
  return from === to ? null : { from, to };
}
