/** Installs the loop into opencode: a plugin, which starts the hook, and a file for each command. */
import { join } from 'node:path';
import { COMMANDS } from '../session/host.ts';
import type { SessionInstallation } from '../session/installations.ts';

export const opencode: SessionInstallation = {
  folder: '.opencode',
  userFolder: (home, { XDG_CONFIG_HOME }) => join(XDG_CONFIG_HOME || join(home, '.config'), 'opencode'),
  files: (command, { dist }) => ({
    // This file only imports the plugin's code from our package.
    'plugins/ralph.js': pluginFile(command, join(dist, 'hooks/ralph-opencode.js')),
    ...Object.fromEntries(Object.entries(COMMANDS).map(commandFile)),
  }),
  notes: [
    'Restart opencode: it reads plugins and commands when it starts.',
    '`opencode run` ends as soon as the agent stops, so a loop cannot run inside it: use `ralph run` with opencode as the agent instead.',
  ],
};

function pluginFile(command: readonly string[], plugin: string): string {
  return `// Created by ralph, for the loop inside a session. To remove it, run: ralph install-hooks opencode --remove
import { ralphPlugin } from ${JSON.stringify(plugin)};

export const Ralph = ralphPlugin(${JSON.stringify(command)});
`;
}

/**
 * The plugin replaces this text. `$99999` is an argument that never exists: to a text without any placeholder, opencode
 * would append the typed arguments, and run what is between !` and ` in them.
 */
function commandFile([name, description]: [string, string]): [string, string] {
  const text = `---
description: ${JSON.stringify(description)}
---

The ralph plugin is not loaded, so /${name} did nothing. Do not start any task. Tell the user to run
\`ralph install-hooks opencode\` again and then restart opencode.
$99999
`;
  return [`commands/${name}.md`, text];
}
