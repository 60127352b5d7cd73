import { describe, expect, test } from 'vitest';
import { errorOf } from '../../../test/support/error-of.ts';
import { agentsAccess } from '../../agents/index.ts';
import type { PolicyFacts } from './facts.ts';
import { guardedPlace, mounted, readingPolicy, sandboxPolicy, withLoopPaths, withRuntime, withTemp } from './policy.ts';
import type { SandboxOverrides } from './request.ts';

const NO_OVERRIDES: SandboxOverrides = { allowHosts: [], allowWrite: [], denyWrite: [], denyRead: [] };

const EVERYTHING_THERE: PolicyFacts = {
  workspace: '/work',
  home: '/home/me',
  otherHomes: [],
  stateRoot: '/home/me/.local/state/ralph',
  temp: '/tmp/ralph-1',
  caches: '/home/me/.cache/ralph/sandbox/1',
  access: agentsAccess('claude'),
  git: { entry: '/work/.git', gitFolder: '/work/.git', commonFolder: '/work/.git' },
  otherWorktrees: [],
  submodules: [],
  submoduleEntries: [],
  env: {},
  guardsNames: false,
  exists: () => true,
  real: (path) => path,
  follow: (path) => ({ leadsTo: path, links: [] }),
};

/** As on a machine that has only these paths. */
function having(...paths: string[]): PolicyFacts {
  return { ...EVERYTHING_THERE, exists: (path) => paths.includes(path) };
}

const policyOf = (facts: Partial<PolicyFacts>, overrides = {}) =>
  sandboxPolicy({ ...EVERYTHING_THERE, ...facts }, { ...NO_OVERRIDES, ...overrides });

describe('what may be written', () => {
  test('the work tree, the state of the agent, a cache and a temporary folder, and nothing else', () => {
    expect(policyOf({}).writable).toEqual([
      '/work',
      '/work/.git',
      '/home/me/.claude',
      '/home/me/.cache/ralph/sandbox/1',
      '/tmp/ralph-1',
    ]);
  });

  test('of a worktree also the repository that it belongs to', () => {
    const git = { entry: '/work/.git', gitFolder: '/repo/.git/worktrees/work', commonFolder: '/repo/.git' };
    const { writable, readOnly } = policyOf({ git });
    expect(writable).toContain('/repo/.git/worktrees/work');
    expect(writable).toContain('/repo/.git');
    // If it pointed elsewhere, the next git outside would obey another repository.
    expect(readOnly).toContain('/work/.git');
    expect(readOnly).toContain('/repo/.git/hooks');
  });

  test('the state of an agent where its user keeps it', () => {
    const { writable } = policyOf({ access: agentsAccess('codex'), env: { CODEX_HOME: '/srv/codex' } });
    expect(writable).toContain('/srv/codex');
    expect(writable).not.toContain('/home/me/.codex');
  });

  test('what the user allows, however he writes it', () => {
    const { writable } = policyOf({}, { allowWrite: ['/srv/out', '~/out', '../out'] });
    expect(writable).toEqual(expect.arrayContaining(['/srv/out', '/home/me/out', '/out']));
  });

  describe('through a link', () => {
    /** With these links, from each name to its value. */
    const linked = (links: Record<string, string>): Partial<PolicyFacts> => ({
      follow(path) {
        const link = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`));
        return link === undefined
          ? { leadsTo: path, links: [] }
          : { leadsTo: `${links[link]}${path.slice(link.length)}`, links: [link] };
      },
    });

    test('is what it leads to; the state of the agent, too', () => {
      const facts = linked({ '/srv/out': '/disk/out', '/home': '/var/home' });
      const { writable, links } = policyOf(facts, { allowWrite: ['/srv/out/a', '~/b'] });
      expect(writable).toEqual(expect.arrayContaining(['/disk/out/a', '/var/home/me/b', '/var/home/me/.claude']));
      expect(writable.filter((path) => /^\/(srv|home)/.test(path))).toEqual([]);
      expect(links).toEqual(expect.arrayContaining(['/srv/out/a', '/home/me/b', '/home/me/.claude']));
    });

    test('not by one that an agent could have made: in the work tree, or in what else it may write', () => {
      for (const link of ['/work/out', '/srv/out', '/home/me/.claude/out']) {
        const overrides = { allowWrite: ['/srv', link] };
        expect(errorOf(() => policyOf(linked({ [link]: '/disk' }), overrides)).message).toBe(
          `${link} should be writable, but leads to /disk through a link that the agent could have created`,
        );
      }
      // A link that leads to what is writable anyway changes nothing.
      expect(policyOf(linked({ '/work/out': '/work/in' }), { allowWrite: ['out'] }).links).toEqual([]);
      // Nor is the state of an agent followed, if the home folder is the work tree.
      const { writable } = policyOf({ ...linked({ '/home/me/.claude': '/disk' }), workspace: '/home/me' });
      expect(writable).not.toContain('/disk');
    });

    test('and what is allowed by it is not guarded by another name', () => {
      const facts = linked({ '/srv/work': '/work' });
      expect(policyOf(facts, { allowWrite: ['/srv/work/.mcp.json'] }).readOnly).not.toContain('/work/.mcp.json');
    });
  });

  test('not the settings of the user, where they lie in what may be written; elsewhere they need no rule', () => {
    const settings = '/home/me/.config/ralph/settings.json';
    expect(policyOf({ workspace: '/home/me' }).readOnly).toContain(settings);
    expect(policyOf({}, { allowWrite: ['~/.config'] }).readOnly).toContain(settings);
    expect(policyOf({}).readOnly).not.toContain(settings);
    const env = { XDG_CONFIG_HOME: '/work/config' };
    expect(policyOf({ env }).readOnly).toContain('/work/config/ralph/settings.json');
    const bare = having('/home/me', '/home/me/.git');
    expect(sandboxPolicy({ ...bare, workspace: '/home/me' }, NO_OVERRIDES).vacant).toContain(settings);
  });

  test('not what is trustedConfig outside: hooks, settings of git, of ralph, of the agent', () => {
    expect(policyOf({}).readOnly).toEqual(
      expect.arrayContaining([
        '/work/.git/hooks',
        '/work/.git/config',
        '/work/.ralph',
        '/work/.claude/settings.json',
        '/home/me/.claude/settings.json',
      ]),
    );
  });

  test('not what the user wants left as it is', () => {
    expect(policyOf({}, { denyWrite: ['test', '~/shared'] }).readOnly).toEqual(
      expect.arrayContaining(['/work/test', '/home/me/shared']),
    );
  });

  test('unless the user says so for just that', () => {
    const { readOnly } = policyOf({}, { allowWrite: ['.git/config'] });
    expect(readOnly).not.toContain('/work/.git/config');
    expect(readOnly).toContain('/work/.git/hooks');
  });
});

describe('what is hidden', () => {
  test('keys, tokens, and all that ralph keeps', () => {
    const { unreadable } = policyOf({});
    for (const path of ['.ssh', '.aws', '.gnupg', '.kube', '.docker/config.json', '.netrc', '.npmrc']) {
      expect(unreadable).toContain(`/home/me/${path}`);
    }
    expect(unreadable).toContain('/home/me/.local/state/ralph');
  });

  test('what the user names', () => {
    expect(policyOf({}, { denyRead: ['.env', '~/notes'] }).unreadable).toEqual(
      expect.arrayContaining(['/work/.env', '/home/me/notes']),
    );
  });

  test('the ways to an agent that holds keys', () => {
    const { env } = policyOf({ env: { SSH_AUTH_SOCK: '/run/agent', EDITOR: 'vi' } });
    expect(env).toHaveProperty('SSH_AUTH_SOCK', null);
    expect(env).not.toHaveProperty('EDITOR');
  });

  test('nothing that is not there: a mount point would be left behind in its place', () => {
    const { unreadable } = sandboxPolicy(having('/work', '/home/me/.ssh'), NO_OVERRIDES);
    expect(unreadable).toEqual(['/home/me/.ssh', '/home/me/.local/state/ralph']);
  });
});

describe('what is to be kept and is not there', () => {
  const bare = having('/work', '/work/.git', '/work/.git/config');

  test('is made, where it means nothing when it is empty', () => {
    const { readOnly, placeholders } = sandboxPolicy(bare, NO_OVERRIDES);
    expect(placeholders).toEqual(
      expect.arrayContaining([
        { path: '/work/.ralph', content: null },
        { path: '/work/.git/hooks', content: null },
        { path: '/work/.git/config.worktree', content: '' },
        { path: '/home/me/.claude/settings.json', content: '{}\n' },
        { path: '/home/me/.claude/CLAUDE.md', content: '' },
      ]),
    );
    expect(readOnly).toEqual([...placeholders.map(({ path }) => path), '/work/.git/config']);
  });

  test('is watched elsewhere', () => {
    const { vacant, readOnly } = sandboxPolicy(bare, { ...NO_OVERRIDES, denyWrite: ['tests', '/srv/out'] });
    expect(vacant).toEqual(
      expect.arrayContaining(['/work/.mcp.json', '/work/.claude/settings.json', '/work/.git/commondir', '/work/tests']),
    );
    expect(vacant).not.toContain('/srv/out');
    expect(readOnly).not.toContain('/work/.mcp.json');
  });

  test('is neither, where its user allows it', () => {
    const { vacant, placeholders } = sandboxPolicy(bare, { ...NO_OVERRIDES, allowWrite: ['.mcp.json', '.ralph'] });
    expect(vacant).not.toContain('/work/.mcp.json');
    expect(placeholders.map(({ path }) => path)).not.toContain('/work/.ralph');
  });

  test('is nothing to guard behind a link that leads out of what may be written', () => {
    const real = (path: string): string => path.replace('/work/.claude', '/shared');
    expect(sandboxPolicy({ ...bare, real }, NO_OVERRIDES).vacant).not.toContain('/shared/settings.json');
  });

  test('is kept where the system goes by names, and looked at all the same: one file may have many', () => {
    const { vacant, readOnly } = sandboxPolicy({ ...bare, guardsNames: true }, NO_OVERRIDES);
    expect(vacant).toContain('/work/.git/commondir');
    expect(readOnly).toContain('/work/.git/commondir');
  });
});

describe('what may be reached', () => {
  const at = (facts: Partial<PolicyFacts>, overrides = {}) =>
    sandboxPolicy({ ...having('/work'), ...facts }, { ...NO_OVERRIDES, ...overrides }).hosts;

  test('the hosts of the agent', () => {
    expect(at({ access: agentsAccess('claude') })).toEqual(['*.anthropic.com', 'claude.ai', 'platform.claude.com:443']);
    expect(at({ access: agentsAccess('codex') })).toContain('api.openai.com');
    expect(at({ access: agentsAccess('claude', 'codex') })).toEqual(
      expect.arrayContaining(['*.anthropic.com', 'api.openai.com']),
    );
    expect(at({ access: agentsAccess('my-agent') })).toEqual([]);
  });

  test('the registries of what the project is written in', () => {
    const facts = having('/work/package.json', '/work/go.mod');
    expect(at({ ...facts, access: agentsAccess('mine') })).toEqual([
      '*.npmjs.org',
      '*.yarnpkg.com',
      'proxy.golang.org',
      'sum.golang.org',
    ]);
  });

  test('where the user has sent the agent himself', () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080/v1', OPENAI_BASE_URL: 'https://models.example.com' };
    expect(at({ access: agentsAccess('mine'), env })).toEqual(['127.0.0.1:8080', 'models.example.com:443']);
  });

  test('what the user allows, on the command line and in the environment', () => {
    const env = { RALPH_ALLOW_HOST: 'a.example.com, 127.0.0.1:9' };
    expect(at({ access: agentsAccess('mine'), env }, { allowHosts: ['*.B.example.com:8443'] })).toEqual([
      'a.example.com',
      '127.0.0.1:9',
      '*.b.example.com:8443',
    ]);
  });

  test.each(['*', '*:443', '*.com:', 'a b', 'http://a.example.com', 'example.com/x', '-', ''])(
    'not %j, which is no host, or every host',
    (host) => {
      expect(errorOf(() => at({}, { allowHosts: [host] }))).toMatchObject({ code: 'ALLOW_HOST' });
    },
  );
});

test('package managers get caches of their own, so that those of the user cannot be poisoned', () => {
  const { env, temp } = policyOf({});
  expect(env).toMatchObject({
    npm_config_cache: '/home/me/.cache/ralph/sandbox/1/npm',
    TMPDIR: temp,
    TMPPREFIX: `${temp}/zsh`,
  });
});

describe('what else a loop kind needs', () => {
  const loopPaths = { writable: ['/task', '/loop/jobs'], readOnly: ['/task/runs'], shown: ['/loop/bin'], shared: [] };

  test('is written, kept and shown', () => {
    const policy = withLoopPaths(policyOf({}), loopPaths);
    expect(policy.writable.slice(-2)).toEqual(['/task', '/loop/jobs']);
    expect(policy.readOnly.at(-1)).toBe('/task/runs');
    expect(policy.shown).toEqual(['/task', '/loop/jobs', '/loop/bin']);
  });

  test('what the user allows by its name is not kept from the agent', () => {
    const { readOnly } = withLoopPaths(policyOf({}, { allowWrite: ['/task/runs'] }), loopPaths);
    expect(readOnly).not.toContain('/task/runs');
  });
});

test('the same policy for another loop differs in its temporary folder alone', () => {
  const policy = policyOf({});
  const moved = withTemp(policy, '/tmp/ralph-2');
  expect(JSON.stringify(moved)).toBe(JSON.stringify(policy).replaceAll('/tmp/ralph-1', '/tmp/ralph-2'));
  expect(moved.writable).toContain('/tmp/ralph-2');
  expect(moved.env.TMPPREFIX).toBe('/tmp/ralph-2/zsh');
});

describe('what is mounted', () => {
  test.each([
    ['a folder deep in another is not: it is open with that one', ['/work', '/work/a/b'], ['/work']],
    ['one right in another is: it cannot be exchanged', ['/work', '/work/.git'], ['/work', '/work/.git']],
    ['one that is hidden otherwise is', ['/home/me', '/home/me/state/jobs'], ['/home/me', '/home/me/state/jobs']],
    ['the rest is', ['/work', '/workshop/a', '/tmp/x'], ['/work', '/workshop/a', '/tmp/x']],
  ])('%s', (_, writable, expected) => {
    expect(mounted({ writable, unreadable: ['/home/me/state'] })).toEqual(expected);
  });
});

describe('a program that only reads', () => {
  const reading = (facts: Partial<PolicyFacts>, overrides = {}) => readingPolicy(policyOf(facts, overrides));

  test('may write what is its own, and neither the work tree nor its repository, wherever that lies', () => {
    const git = { entry: '/work/.git', gitFolder: '/repo/.git/worktrees/work', commonFolder: '/repo/.git' };
    const { writable, readOnly, quiet } = reading({ git }, { allowWrite: ['/work/out', '/srv/out'] });
    expect(writable).toEqual(['/srv/out', '/home/me/.claude', '/home/me/.cache/ralph/sandbox/1', '/tmp/ralph-1']);
    // Nothing within what is not writable anyway.
    expect(readOnly.filter((path) => !path.startsWith('/home/me/.claude/'))).toEqual([]);
    expect(quiet).toEqual(expect.arrayContaining(['/work/', '/repo/.git/']));
  });

  test('may not write the work tree in a folder that may be written', () => {
    expect(reading({ workspace: '/srv/work', git: null }, { allowWrite: ['/srv'] })).toMatchObject({
      writable: expect.arrayContaining(['/srv']),
      readOnly: expect.arrayContaining(['/srv/work']),
    });
  });

  test('has its own state also in a work tree', () => {
    const { writable } = reading({ workspace: '/home/me', git: null });
    expect(writable).toEqual(['/home/me/.claude', '/home/me/.cache/ralph/sandbox/1', '/tmp/ralph-1']);
  });

  test('sees a work tree that lies in what is hidden, and nothing that is hidden in it', () => {
    const overrides = { denyRead: ['/srv', '/work/key'] };
    expect(reading({ workspace: '/srv/work', git: null }, overrides).shown).toEqual(['/srv/work']);
    expect(reading({ git: null }, overrides)).toMatchObject({
      shown: [],
      unreadable: expect.arrayContaining(['/work/key']),
    });
  });
});

describe("the runtime's own files", () => {
  test('are seen, not written, and hidden from other loops', () => {
    const { writable, unreadable, shown, runtime } = withRuntime(policyOf({}), '/tmp/ralph-0/1');
    expect({ unreadable, shown, runtime }).toMatchObject({
      unreadable: expect.arrayContaining(['/tmp/ralph-0']),
      shown: ['/tmp/ralph-0/1'],
      runtime: '/tmp/ralph-0/1',
    });
    expect(writable).not.toContain('/tmp/ralph-0/1');
  });

  test.each([
    ['nothing around them may be written', ['/work'], '/tmp'],
    ['the folder may be written as a whole: it cannot be exchanged', ['/tmp'], '/tmp'],
    ['a folder around that may be written: it could be', ['/'], null],
    ['another folder in it may be written', ['/tmp/a'], '/tmp'],
  ])('lie where %s', (_, writable, place) => {
    expect(guardedPlace(['/tmp'], writable)).toBe(place);
  });

  test('lie in the first such place', () => {
    expect(guardedPlace(['/work/tmp', '/tmp', '/var/tmp'], ['/work'])).toBe('/tmp');
  });
});
