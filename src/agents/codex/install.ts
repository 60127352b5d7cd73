/** Installs the loop into Codex: hooks, and a skill for each command, since its screen refuses unknown commands. */
import { join } from 'node:path';
import { quoteWords } from '../../core/text/quote-word.ts';
import { COMMANDS, HOOK_SECONDS } from '../session/host.ts';
import type { SessionInstallation } from '../session/installations.ts';

export const codex: SessionInstallation = {
  folder: '.codex',
  userFolder: (home, { CODEX_HOME }) => CODEX_HOME || join(home, '.codex'),
  settings: 'hooks.json',
  hooks: (command) => {
    const hook = { type: 'command', command: quoteWords(command), timeout: HOOK_SECONDS };
    // Context from a hook is cut after 2,500 tokens unless the hook sets another limit.
    const unlimited = { ...hook, additionalContextLimit: 0 };
    return {
      UserPromptSubmit: { hooks: [unlimited] },
      Stop: { hooks: [hook] },
      PostToolUse: { hooks: [{ ...hook, command: withoutRollout(hook.command) }] },
      SessionStart: { matcher: 'resume|compact', hooks: [unlimited] },
    };
  },
  files: () => Object.fromEntries(Object.entries(COMMANDS).flatMap(skillFiles)),
  notes: [
    'Codex does not run hooks until you trust them. The next time it starts, it says "Hooks need review": review and trust them there, or later with /hooks.',
    'codex exec does not ask: it silently skips hooks that are not trusted, unless you pass --dangerously-bypass-hook-trust.',
    'Hooks in a project are read only if the project itself is trusted.',
    'The terminal UI rejects /ralph-loop as an unknown command. Type a space before it, or use $ralph-loop, which also works at the start of a long paste. codex exec accepts /ralph-loop as it is.',
    'If you type a space and /cancel-ralph while Codex is working, it takes effect after the next tool call or answer; press Esc to make it take effect immediately.',
    'codex exec does not show the output of hooks: to see how a loop went, read its loop.log.',
  ],
};

/** In a session without a rollout (`--ephemeral`), hooks are the only evidence of work. Others start no node. */
function withoutRollout(line: string): string {
  return `event=$(cat); case $event in *'"transcript_path":null'*) printf %s "$event" | ${line} ;; esac`;
}

function skillFiles([name, description]: [string, string]): [string, string][] {
  return [
    [`skills/${name}/SKILL.md`, skill(name, description)],
    // Otherwise the model of every session would see the skill, and might use it on its own.
    [`skills/${name}/agents/openai.yaml`, 'policy:\n  allow_implicit_invocation: false\n'],
  ];
}

function skill(name: string, description: string): string {
  return `---
name: ${name}
description: ${JSON.stringify(description)}
---

The ralph hooks carry out this command: they have already read what the user typed, and have added an instruction to this
conversation. Follow that instruction. You do not have to start anything yourself.

If there is no such instruction, the hooks did not run. In that case, do not start the task. Tell the user that Codex skips
hooks that are not trusted: they need to review and trust the ralph hooks with \`/hooks\`, and then type the command again.
`;
}
