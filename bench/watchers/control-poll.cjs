/** Ours: all panes watched over one control-mode connection. Usage: control-poll.cjs <bundle> <socket> <session> <every ms> <pane…> */
'use strict';
const [bundle, socket, session, every, ...panes] = process.argv.slice(2);
const { openControl, watchScreens } = require(bundle);

const control = openControl({ socket, sessions: () => [session], env: process.env });
const watch = watchScreens({ control, every: Number(every) });
for (const pane of panes) {
  watch.watch(pane, {
    onGone: (why) => {
      throw why;
    },
  });
}
