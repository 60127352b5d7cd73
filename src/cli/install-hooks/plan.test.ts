/** With the receipt of an installation, its removal restores the exact bytes that were there before. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { writtenJson } from '../../../test/support/written-json.ts';
import { carryOut, type Installation, planInstall, planRemove, readReceipt } from './plan.ts';

function place(installedAt: string) {
  const folder = join(testFolder(), installedAt);
  mkdirSync(folder);
  const receipts = { root: { path: `${folder}-state` }, agent: 'claude', folder };
  const settings = join(folder, 'settings.json');
  const installation = (package_: string): Installation => ({
    settings: {
      path: settings,
      comments: true,
      groups: {
        Stop: { hooks: [{ command: `${package_}/hooks/session-loop.cjs` }] },
        End: { hooks: [{ command: `${package_}/hooks/session-loop.cjs` }] },
      },
    },
    files: { [join(folder, 'commands/a.md')]: `from ${package_}\n` },
  });
  return {
    settings,
    install: (from: string) => {
      const receipt = readReceipt(receipts);
      carryOut(planInstall(installation(from), receipt), receipts, receipt);
    },
    remove: (from: string) => {
      const receipt = readReceipt(receipts);
      carryOut(planRemove(installation(from), receipt), receipts, receipt);
    },
    forget: () => rmSync(receipts.root.path, { recursive: true }),
  };
}

test('installed, installed again from elsewhere, and removed, a file has its original bytes', () => {
  const { settings, install, remove } = place('bytes');
  fc.assert(
    fc.property(writtenJson({ comments: true }), fc.boolean(), ({ text }, again) => {
      writeFileSync(settings, text);
      install('/a');
      if (again) install('/b');
      expect(readFileSync(settings, 'utf8')).toContain(again ? '/b/hooks' : '/a/hooks');
      remove(again ? '/b' : '/a');
      expect(readFileSync(settings, 'utf8')).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('what the user wrote in between is kept', () => {
  const { settings, install, remove } = place('meanwhile');
  fc.assert(
    fc.property(writtenJson({ comments: false }), fc.boolean(), ({ value }, forgets) => {
      writeFileSync(
        settings,
        JSON.stringify({ ...value, hooks: { Stop: [{ hooks: [{ command: 'mine' }] }] } }, null, 2),
      );
      install('/a');
      const changed = { ...(parse(readFileSync(settings, 'utf8')) as object), added: [1] };
      writeFileSync(settings, JSON.stringify(changed, null, 2));
      remove('/a');
      const expected = { ...value, hooks: { Stop: [{ hooks: [{ command: 'mine' }] }] }, added: [1] };
      expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual(expected);
      if (forgets) remove('/a');
    }),
    { numRuns: 100 },
  );
});

test('without a record of the installation, hooks of ralph are recognized by the program that they start', () => {
  const { settings, install, remove, forget } = place('forgotten');
  const text = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [{ "hooks": [{ "command": "mine" }] }]\n  }\n}\n';
  writeFileSync(settings, text);
  install('/a');
  forget();
  remove('/a');
  expect(readFileSync(settings, 'utf8')).toBe(text);
});

test('what an earlier release wrote and this one does not is removed, unless the user has changed it', () => {
  const folder = join(testFolder(), 'earlier');
  mkdirSync(folder);
  const receipts = { root: { path: `${folder}-state` }, agent: 'claude', folder };
  const [kept, dropped, changed] = ['kept.md', 'dropped.md', 'changed.md'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const install = (...paths: string[]) => {
    const files = Object.fromEntries(paths.map((path) => [path, 'ours\n']));
    const receipt = readReceipt(receipts);
    const plan = planInstall({ settings: null, files }, receipt);
    carryOut(plan, receipts, receipt);
    return plan;
  };
  install(kept, dropped, changed);
  writeFileSync(changed, 'mine\n');
  expect(install(kept)).toMatchObject({ changes: [{ path: dropped, after: null }], left: [changed] });
  expect(existsSync(dropped)).toBe(false);
  expect(readFileSync(changed, 'utf8')).toBe('mine\n');
  expect(install(kept)).toMatchObject({ changes: [], left: [] });
});
