/** An agent that does not do the work, and makes the check pass all the same: its claim must be rejected. */
import type { Exited } from '../programs/program.ts';
import { DONE } from '../scene.ts';
import { sweep } from '../sweep.ts';
import { inOneLine, type ProofScene, type ProofSceneOptions, proofScene } from './proof-scene.ts';

export interface Attack extends Omit<ProofSceneOptions, 'play'> {
  readonly what: string;
  /** Shell lines that the agent plays. */
  readonly play: string;
  /** A part of why the claim is rejected. */
  readonly says: string;
  /** A shell line that sets up the project, as its owner has done; its files are committed unless git ignores them. */
  readonly install?: string;
}

/** Each is a loop with its own checkouts, which takes seconds: only the nightly tests play all of a list. */
export const attacksToPlay = (all: readonly Attack[]): Attack[] => sweep(all, 4);

/** The result of a loop of one iteration. */
export interface Played {
  readonly code: Exited['code'];
  /** How many claims reached the proof: in the work tree the checks were green. */
  readonly claims: number;
  /** `says` if the loop has printed that, otherwise all that it has printed. */
  readonly said: string;
}

export async function played(
  { what: _what, says, install, ...options }: Attack,
  prepare: (scene: ProofScene) => Promise<unknown> | undefined = () => undefined,
): Promise<Played> {
  const scene = proofScene({ ...options, play: `${options.play}\n${DONE}` });
  if (install !== undefined)
    await scene.shell(`{ ${install}; } && git add --all && git commit --quiet --message=Installed`);
  await prepare(scene);
  const { code, stderr } = await scene.prove('-m', '1');
  scene.expectNoCheckouts();
  const said = inOneLine(stderr);
  return { code, claims: scene.proofs().length, said: said.includes(says) ? says : said };
}

/** The claim reached the proof, and was rejected for this reason. */
export const rejected = ({ says }: Attack): Played => ({ code: 1, claims: 1, said: says });

/** What the loop prints for an accepted claim. */
export const ACCEPTED = 'proved in a clean checkout of the work tree';
export const accepted: Played = { code: 0, claims: 1, said: ACCEPTED };

/** Shell code that writes a fake `node` to this path: it writes the test report asked for, and runs nothing. */
export const fakeNode = (path: string): string => `mkdir -p "$(dirname ${path})"
cat >${path} <<'END'
#!/bin/sh
folder=$(echo "$NODE_OPTIONS" | sed -n 's#.*"\\(/.*\\)/kit/preload.cjs".*#\\1#p')
[ -z "$folder" ] || echo '<testsuites><testcase name="greets by name" classname="test"/><testcase name="greets a stranger" classname="test"/></testsuites>' >"$folder/made.xml"
END
chmod +x ${path}`;

/** Shell code that changes a JSON file; in the script, `it` is its content. */
export const editJson = (script: string, path = 'package.json'): string =>
  `node -e 'const { readFileSync, writeFileSync } = require("fs"); const it = JSON.parse(readFileSync("${path}")); ${script}; writeFileSync("${path}", JSON.stringify(it))'`;
