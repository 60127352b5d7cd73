/** A stories loop whose agent runs in the sandbox of a scripted Docker. */
import type { Story } from '../../src/loops/stories/list/tasks.ts';
import { type DockerScene, type DockerSceneOptions, dockerScene } from '../support/sandbox/docker.ts';
import { PLAY, type StoriesScene, type StoriesSceneOptions, withStories } from './scene.ts';

export type StoriesInDocker = DockerScene & StoriesScene;

/** Inside the sandbox, only .ralph-active says which run it is. `say` prints what Claude Code would. */
const SPEAK = `
say() {
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$1"
  printf '{"type":"result","subtype":"success","is_error":false,"result":"%s"}\\n' "$1"
}
mode() { sed -n 's/.*"iterationMode": "\\([a-z-]*\\)".*/\\1/p' .ralph-active; }
echo "agent $(mode)" >>"$SCENE/starts.log"
`;

export async function storiesInDocker(
  stories: readonly Story[],
  play: string,
  { verifyCommands = [], ...more }: Partial<DockerSceneOptions & StoriesSceneOptions> = {},
): Promise<StoriesInDocker> {
  const made = await dockerScene({ play: `${PLAY}${SPEAK}${play}`, ...more });
  return withStories(made, stories, ['--sandbox', '--failure-backoff', '10ms'], { verifyCommands });
}

/** What kind of call each one is, without its arguments. */
export function commands(calls: readonly (readonly string[])[]): string[] {
  return calls.map(([command = '', ...rest]) => {
    if (command !== 'exec') return command;
    if (rest.includes('-i')) return rest.includes('unpack') ? 'exec: copy' : 'exec: write';
    if (rest.includes('git')) return 'exec: git';
    if (rest.includes('list')) return 'exec: list';
    return rest.some((word) => word.includes('sha256sum')) ? 'exec: digests' : 'exec';
  });
}

export const HONEST = 'honest approve >/dev/null; say ok';
