/** Ours: all panes watched over one control-mode connection. Usage: control-poll.cjs <bundle> <socket> <session> <every ms> <pane…> */
'use strict';
const [bundle, socket, session, every, ...panes] = process.argv.slice(2);
const { openControl, watchScreen } = require(bundle);

const control = openControl({ socket, session, env: process.env });
for (const pane of panes) {
  void watchScreen({
    control,
    pane,
    every: Number(every),
    startedAt: Date.now(),
    signal: new AbortController().signal,
    onLook: () => undefined,
    onGone: (why) => {
      throw why;
    },
  });
}
