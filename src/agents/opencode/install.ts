/** What makes opencode host the loop: a plugin, which starts the hook, and a file for each command. */
import { join } from 'node:path';
import { COMMANDS } from '../session/host.ts';
import type { SessionInstallation } from '../session/installations.ts';

export const opencode: SessionInstallation = {
  folder: '.opencode',
  userFolder: (home, { XDG_CONFIG_HOME }) => join(XDG_CONFIG_HOME || join(home, '.config'), 'opencode'),
  files: (command, { dist }) => ({
    // The file that opencode loads leads to the plugin's code in our package.
    'plugins/ralph.js': pluginFile(command, join(dist, 'hooks/ralph-opencode.js')),
    ...Object.fromEntries(Object.entries(COMMANDS).map(commandFile)),
  }),
  notes: [
    'Restart opencode: it reads plugins and commands when it starts.',
    '`opencode run` ends at the first stop of its agent, so there is no loop in it: use `ralph run` with opencode as its agent.',
  ],
};

function pluginFile(command: readonly string[], plugin: string): string {
  return `// The loop inside a session, by ralph. \`ralph install-hooks opencode --remove\` takes it out again.
import { ralphPlugin } from ${JSON.stringify(plugin)};

export const Ralph = ralphPlugin(${JSON.stringify(command)});
`;
}

/**
 * The plugin puts its own text in the place of this one. The number at the end stands for a word that is never there: a text
 * without any would get the typed words added, and opencode runs what stands in them between !\` and \`.
 */
function commandFile([name, description]: [string, string]): [string, string] {
  const text = `---
description: ${JSON.stringify(description)}
---

The plugin of ralph was not loaded, so /${name} did nothing. Do not begin with any task. Tell the user to run
\`ralph install-hooks opencode\` again and restart opencode.
$99999
`;
  return [`commands/${name}.md`, text];
}
