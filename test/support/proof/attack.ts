/** An agent that does not do the work, in a project where the check is green for it all the same: the claim must be rejected. */
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
  /** A shell line that makes the project ready, as its owner has done; it is committed with the rest unless git ignores it. */
  readonly install?: string;
}

/** Each is a loop with checkouts of its own, which takes seconds: by day a part of each list is played, by night all. */
export const attacksToPlay = (all: readonly Attack[]): Attack[] => sweep(all, 4);

/** What came of a loop of one iteration. */
export interface Played {
  readonly code: Exited['code'];
  /** How many claims were proved: in the work tree the checks were green. */
  readonly claims: number;
  /** `says` where the loop has said that, and otherwise all that it has said. */
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

/** The claim was proved, and rejected for this reason. */
export const rejected = ({ says }: Attack): Played => ({ code: 1, claims: 1, said: says });

/** It was accepted. */
export const ACCEPTED = 'proved in a clean checkout of the work tree';
export const accepted: Played = { code: 0, claims: 1, said: ACCEPTED };

/** Writes, to this path, a program that writes the report that node is asked for, and runs nothing. */
export const fakeNode = (path: string): string => `mkdir -p "$(dirname ${path})"
cat >${path} <<'END'
#!/bin/sh
folder=$(echo "$NODE_OPTIONS" | sed -n 's#.*"\\(/.*\\)/kit/preload.cjs".*#\\1#p')
[ -z "$folder" ] || echo '<testsuites><testcase name="greets by name" classname="test"/><testcase name="greets a stranger" classname="test"/></testsuites>' >"$folder/made.xml"
END
chmod +x ${path}`;

/** Changes a file of JSON, whose content is `it`. */
export const editJson = (script: string, path = 'package.json'): string =>
  `node -e 'const { readFileSync, writeFileSync } = require("fs"); const it = JSON.parse(readFileSync("${path}")); ${script}; writeFileSync("${path}", JSON.stringify(it))'`;
