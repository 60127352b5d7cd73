/** Declares `ralph notify`: who is notified of what, a test message, and the sender that loops start. */
import { type Command, Option } from 'commander';
import { NOTICE_EVENTS, type NoticeEvent } from '../../core/notice.ts';
import { declare, exitWith } from '../program/declare.ts';

export function addNotifyCommands(notify: Command): void {
  notify
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json = false }: { json?: boolean }) => {
      const { loopsContext } = await import('../loops/context.ts');
      return exitWith((await import('./status.ts')).notifyStatus({ json }, loopsContext()));
    });
  declare(notify, 'test', 'Send a test message now, and say what each receiver did with it.', TEST_EXAMPLES)
    .argument('[receiver]', 'the name of a receiver (default: all)')
    .addOption(new Option('--event <event>', 'the event to send').choices(NOTICE_EVENTS).default('done'))
    .option('--reply', 'also test replies: wait until you have pressed a button')
    .action(async (receiver: string | undefined, { event, reply = false }: { event: NoticeEvent; reply?: boolean }) => {
      const { loopsContext } = await import('../loops/context.ts');
      return exitWith((await import('./test.ts')).notifyTest(receiver ?? null, { event, reply }, loopsContext()));
    });
  notify
    .command('send', { hidden: true })
    .description('Send what is queued; loops start it.')
    .addHelpText('after', '\nExample:\n  ralph notify send')
    .action(async () => exitWith((await import('./send.ts')).notifySend()));
}

const EXAMPLES = `
Receivers are named in your own settings, ~/.config/ralph/settings.json. Loops
only queue their messages; a separate process sends them. Exits with 2 if the
settings are wrong.

Examples:
  ralph notify                          # who is notified, and what is queued
  ralph notify test phone --event blocked`;

const TEST_EXAMPLES = `
Exits with 0 if every receiver accepted the message, with 1 if one did not, and
with 2 if there is no such receiver or the settings are wrong. Quiet hours and a
receiver's list of events do not matter here.

With --reply, a message to an ntfy receiver that has "reply" gets a button that
does nothing. The command waits a minute for you to press it, and exits with 1
if your press does not arrive.

Examples:
  ralph notify test
  ralph notify test phone --event blocked
  ralph notify test phone --reply`;
