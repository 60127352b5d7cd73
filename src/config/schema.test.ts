import { describe, expect, test } from 'vitest';
import { command } from '../checks/command.ts';
import { CHECK_KINDS } from '../checks/index.ts';
import { settingsSchema } from './schema.ts';
import { settingsJsonSchema } from './write-settings.ts';

const settingsForm = settingsSchema(CHECK_KINDS);

/** Only one kind, so that there is a single schema of a guardrail to look at. */
const KINDS = [command];

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** As shipped in the package: what JSON keeps of it. */
const schema = JSON.parse(JSON.stringify(settingsJsonSchema(KINDS))) as Node;
const nodes = new Map(nodesOf(schema, ''));
/** An object without `properties`, whose keys the user chooses, counts as a setting. */
const groups = [...nodes].filter(([, { properties }]) => properties !== undefined);
const settings = [...nodes].filter(([path, { properties }]) => properties === undefined && path !== '');

function nodesOf(node: Node, path: string): [string, Node][] {
  const inner = Object.entries(node.properties ?? {}).flatMap(([key, value]) =>
    nodesOf(value, path === '' ? key : `${path}.${key}`),
  );
  return [[path, node], ...inner, ...(node.items === undefined ? [] : nodesOf(node.items, `${path}[]`))];
}

function accepts(settings: object): boolean {
  return settingsForm.safeParse({ agent: { command: 'a' }, ...settings }).success;
}

describe('the JSON Schema for editors', () => {
  test('names the kinds of a sandbox, and the settings take no other', () => {
    const kinds = ['none', 'os', 'docker', 'auto'];
    expect(nodes.get('sandbox.kind')?.enum).toEqual(kinds);
    for (const kind of kinds) expect(accepts({ sandbox: { kind } })).toBe(true);
    expect(accepts({ sandbox: { kind: 'strongest' } })).toBe(false);
  });

  test('has every setting', () => {
    expect(settings.map(([path]) => path).filter((path) => !path.endsWith('[]'))).toEqual([
      '$schema',
      'maximumIterations',
      'completionResponse',
      'outputTruncateChars',
      'streamAgentOutput',
      'includeIterationCountInPrompt',
      'failureBackoffMs',
      'prices',
      'agent.command',
      'agent.flags',
      'agent.timeout',
      'guardrails',
      'guardrails[].command',
      'guardrails[].failAction',
      'guardrails[].hint',
      'guardrails[].timeout',
      'guardrails[].witness',
      'scm.command',
      'scm.tasks',
      'scm.stage',
      'scm.message',
      'sandbox.kind',
      'sandbox.allowHosts',
      'sandbox.allowWrite',
      'sandbox.denyWrite',
      'sandbox.denyRead',
      'sandbox.settleMs',
      'proof.setup',
      'proof.include',
      'proof.pin',
      'proof.allowEdit',
      'proof.acceptFlaky',
      'notify.receivers',
      'notify.quietHours',
      'notify.breakThrough',
      'notify.mute',
      'notify.events',
      'display.emoji',
      'display.color',
      'display.timestamps',
      'display.maxOutputLines',
      'display.maxOutputChars',
    ]);
  });

  test('has the top-level settings that are read, and no other', () => {
    expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(settingsForm.shape));
  });

  test.each(settings)('says in a sentence what %s is', (_path, { description }) => {
    expect(description).toMatch(/^\w.*\.$/);
  });

  test.each(groups)('marks a misspelt key in "%s"', (_path, { additionalProperties }) => {
    expect(additionalProperties).toBe(false);
  });

  test('offers what a failure can do to the prompt', () => {
    expect(nodes.get('guardrails[].failAction')?.enum).toEqual(['APPEND', 'PREPEND', 'REPLACE']);
  });

  test('has each kind of check that there is, and for a command alone the form without a kind', () => {
    const even = { kind: 'even', keys: { number: { is: 'number', what: 'A number.' } } } as const;
    const { items: one, ...list } = nodes.get('guardrails') ?? {};
    const both = JSON.parse(JSON.stringify(settingsJsonSchema([...KINDS, even]))) as Node;
    const { items, ...sameList } = both.properties?.guardrails ?? {};
    expect(sameList).toEqual(list);
    expect(items).toEqual({
      anyOf: [
        one,
        expect.objectContaining({ required: ['kind', 'number', 'failAction'], additionalProperties: false }),
      ],
    });
    expect(Object.keys(one?.properties ?? {})).toEqual(['command', 'failAction', 'hint', 'timeout', 'witness']);
  });

  test('asks only for what has no default', () => {
    expect(Object.fromEntries(groups.map(([path, { required = [] }]) => [path, required]))).toEqual({
      '': ['agent'],
      agent: ['command'],
      'guardrails[]': ['command', 'failAction'],
      sandbox: [],
      proof: [],
      notify: [],
      scm: [],
      display: [],
    });
  });

  test('tells the defaults that are taken', () => {
    const { agent, display, ...rest } = settingsForm.parse({ agent: { command: 'a' } });
    const told = (group: Node | undefined): object =>
      Object.fromEntries(
        Object.entries(group?.properties ?? {}).flatMap(([key, node]) =>
          node.default === undefined || node.type === 'object' ? [] : [[key, node.default]],
        ),
      );
    expect(rest).toMatchObject(told(schema));
    expect(agent).toMatchObject(told(nodes.get('agent')));
    expect(display).toEqual(told(nodes.get('display')));
  });
});

describe('the settings', () => {
  test.each(['APPEND', 'append', 'Prepend', 'REPLACE'])('take %s for what a failure does', (failAction) => {
    const guardrails = [{ command: 'a', failAction }];
    const read = settingsForm.parse({ agent: { command: 'a' }, guardrails });
    expect(read.guardrails[0]?.failAction).toBe(failAction.toUpperCase());
  });

  test.each([['DROP'], [''], [1], [null], [['APPEND']]])('do not take %j for it', (failAction) => {
    expect(accepts({ guardrails: [{ command: 'a', failAction }] })).toBe(false);
    expect(accepts({ guardrails: [{ command: 'a', failAction: 'APPEND' }] })).toBe(true);
  });

  test.each([
    ['90s', true],
    ['1h30m', true],
    ['90', false],
    ['0s', false],
    ['', false],
    [90, false],
  ])('have a timeout of %j: %s', (timeout, accepted) => {
    expect(accepts({ agent: { command: 'a', timeout } })).toBe(accepted);
    expect(accepts({ guardrails: [{ command: 'a', failAction: 'APPEND', timeout }] })).toBe(accepted);
  });

  test.each([
    [0, true],
    [1000, true],
    [-1, false],
    [0.5, false],
    ['1s', false],
  ])('have a pause after a failure of %j: %s', (failureBackoffMs, accepted) => {
    expect(accepts({ failureBackoffMs })).toBe(accepted);
  });

  test('name a program for the tasks they have', () => {
    expect(accepts({ scm: { tasks: ['commit'] } })).toBe(false);
    expect(accepts({ scm: { command: 'git', tasks: ['commit'] } })).toBe(true);
    expect(accepts({ scm: { tasks: [] } })).toBe(true);
  });
});
