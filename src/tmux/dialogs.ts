/**
 * Dialogs that wait for a person before an agent takes its prompt. They are recognised and named, and never answered:
 * several stand on "No, exit", and an Enter would end the agent.
 */

export interface Dialog {
  readonly kind: 'login' | 'theme' | 'trust' | 'hooks' | 'key' | 'bypass' | 'unreachable' | 'permission' | 'choice';
  /** For a warning; what is stuck, and what to do about it. */
  readonly message: string;
}

interface KnownDialog extends Dialog {
  readonly signs: readonly RegExp[];
}

/** The first that fits. Texts of the original are as the original gives them. */
const KNOWN: readonly KnownDialog[] = [
  {
    kind: 'login',
    message: 'Worker stuck at login prompt. Check auth credentials.',
    signs: [
      /Select login method/,
      /Choose how you want to use Codex/,
      /Finish signing in via your browser/,
      /How would you like to authenticate for this project\?/,
      /Waiting for auth(?:entication)?\.\.\./,
      /Login with (?:GitHub|Google)/i,
    ],
  },
  {
    kind: 'theme',
    message: 'Worker stuck at theme picker. Check settings.local.json.',
    signs: [/Choose the text style/, /looks best with your terminal/],
  },
  {
    kind: 'login',
    message: 'Worker stuck at OAuth code entry. Use ANTHROPIC_API_KEY instead.',
    signs: [/Paste code here/],
  },
  {
    kind: 'trust',
    message:
      'Worker stuck at trust dialog. Start the agent in this folder once and trust it, or pre-trust it in its settings.',
    signs: [
      /Is this a project you created or one you trust\?/,
      /Do you trust the files in this folder\?/,
      /Trust this folder\?/,
      /Do you trust the contents of this directory\?/,
      /Confirm folder trust/,
    ],
  },
  {
    kind: 'hooks',
    message:
      'Worker stuck at the review of its hooks. Start the agent in this folder once and trust them, or take them out.',
    signs: [/Hooks need review/],
  },
  {
    kind: 'key',
    message: 'Worker stuck at API key dialog. Approve the key once by hand, or take it out of the environment.',
    signs: [/Do you want to use this API key\?/, /Enter (?:your )?(?:Gemini )?API key/i],
  },
  {
    kind: 'bypass',
    message:
      'Worker stuck at bypass permissions warning. Accept it once by hand, or set skipDangerousModePermissionPrompt.',
    signs: [/running in Bypass Permissions mode/],
  },
  {
    kind: 'unreachable',
    message: 'Worker cannot reach its service. Check the network.',
    signs: [/Unable to connect to Anthropic services/],
  },
  {
    kind: 'permission',
    message: 'Worker stuck at a permission question. Answer it in its pane, or start the agent with fewer questions.',
    signs: [
      /Do you want to (?:proceed|make this edit|create)\b.*\?/,
      /Would you like to run the following command\?/,
      /Allow execution of/,
    ],
  },
  {
    kind: 'choice',
    message: 'Worker stuck at a question. Answer it in its pane.',
    signs: [
      /Enter to confirm · Esc to (?:cancel|exit)/,
      /Press enter to (?:continue|confirm)/i,
      /enter continue · esc quit/,
    ],
  },
];

/** Only what stands at the end of the screen can wait for somebody: above it the words may be of a conversation. */
const DIALOG_LINES = 25;

/** Null when no dialog that is known stands on the screen. */
export function findDialog(screen: string): Dialog | null {
  // A question may go on in the next line, inside of a frame.
  const shown = screen
    .trimEnd()
    .split('\n')
    .slice(-DIALOG_LINES)
    .join('\n')
    .replaceAll(/[\s│┃]+/g, ' ');
  const found = KNOWN.find(({ signs }) => signs.some((sign) => sign.test(shown)));
  return found === undefined ? null : { kind: found.kind, message: found.message };
}
