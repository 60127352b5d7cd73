/** examples/github-action.yml: its steps accept a pull request only if the checks of its receipt pass again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startProgram } from '../../support/programs/program.ts';
import { type ReceiptScene, receiptScene } from '../../support/proof/receipt-scene.ts';
import { ROOT } from '../../support/scene.ts';

interface Workflow {
  readonly jobs: { readonly verify: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } };
}

const { jobs } = parse(readFileSync(join(ROOT, 'examples/github-action.yml'), 'utf8')) as Workflow;
const STEPS = jobs.verify.steps.filter(({ run }) => run !== undefined && !run.startsWith('npm install'));

/** A branch with the work and a commit with its receipt, as its author pushes it. */
async function pullRequest(): Promise<ReceiptScene> {
  const scene = receiptScene();
  await scene.shell(`ssh-keygen -q -t ed25519 -N '' -f ../key -C ''; mkdir .github
    echo "me@example.com $(cat ../key.pub)" >.github/allowed_signers
    git add --all; git commit -qm signers; git switch -qc work`);
  await scene.prove();
  await scene.shell(`ralph receipt -o .ralph/receipt.json --sign ../key; git add --all; git commit -qm Receipt`);
  scene.cloned();
  return scene;
}

/** The name of the step that fails; null if all pass. */
async function failing(scene: ReceiptScene): Promise<string | null> {
  const BASE = scene.git('rev-parse', 'main').trim();
  const env = { ...scene.env, BASE, RUNNER_TEMP: scene.folder };
  for (const { name = '', run = '' } of STEPS) {
    const { code } = await startProgram(['bash', '-e', '-c', run], { cwd: scene.clone, env }).exited;
    if (code !== 0) return name;
  }
  return null;
}

test('a pull request with its receipt passes every step', async () => {
  expect(STEPS).toHaveLength(4);
  expect(await failing(await pullRequest())).toBeNull();
});

test('a pull request with another change after the proof fails', async () => {
  const scene = await pullRequest();
  scene.write('clone/more.js', '');
  scene.inClone('add', 'more.js');
  scene.inClone('commit', '--quiet', '--message=More');
  expect(await failing(scene)).toBe('Only the receipt was added after the proof');
});

test('a pull request whose receipt says that nothing was proved fails', async () => {
  const scene = await pullRequest();
  const receipt = scene.read('clone/.ralph/receipt.json');
  scene.write('clone/.ralph/receipt.json', receipt.replace('"isProved": true', '"isProved": false'));
  expect(await failing(scene)).toBe('The receipt says that the work was proved');
});

test('a receipt that was changed, or signed by a key that only the pull request allows, fails', async () => {
  const scene = await pullRequest();
  const receipt = scene.read('clone/.ralph/receipt.json');
  scene.write('clone/.ralph/receipt.json', receipt.replace('"passed": 2', '"passed": 3'));
  expect(await failing(scene)).toBe('Run the checks of the receipt again');
  await scene.shell(`cd ../clone; git checkout -q .; ssh-keygen -q -t ed25519 -N '' -f ../other -C ''
    rm .ralph/receipt.json.sig; ssh-keygen -q -Y sign -n ralph-receipt -f ../other .ralph/receipt.json
    echo "you@example.com $(cat ../other.pub)" >.github/allowed_signers; git add --all; git commit -qm Mine`);
  expect(await failing(scene)).toBe('Run the checks of the receipt again');
});
