/** What a pane shows now, asked over the one connection; many panes are one write and one answer. */
import { type Answer, type Control, TmuxGone } from './control.ts';

export interface Look {
  /** Lines without blanks at their ends and without the empty ones at the bottom. */
  readonly screen: string;
  readonly title: string;
}

export function captureAll(control: Control, panes: readonly string[]): Promise<Answer[]> {
  return control.sendAll(panes.map((pane) => ['capture-pane', '-p', '-t', pane]));
}

/** Throws TmuxRefusal when the pane is gone, TmuxGone when the server is. */
export function lookAt(control: Control, pane: string): Promise<Look> {
  return look(control, pane).catch((error: unknown) => {
    // Somebody who attaches may detach us; to look twice does no harm.
    if (error instanceof TmuxGone && error.what === 'lost') return look(control, pane);
    throw error;
  });
}

async function look(control: Control, pane: string): Promise<Look> {
  const [captured, title] = await Promise.all([
    control.send(['capture-pane', '-p', '-t', pane]),
    control.send(['display-message', '-p', '-t', pane, '#{pane_title}']),
  ]);
  return { screen: trimmed(captured), title: title.trim() };
}

function trimmed(captured: string): string {
  return captured.replaceAll(/[ \t]+$/gm, '').trimEnd();
}
