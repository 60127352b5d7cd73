/**
 * The way of ralph: each pane is captured when its log has grown. Usage: screen-watch.cjs <bundle> <socket> <folder
 * of logs> <every ms> <pane…>
 */
'use strict';
const { statSync } = require('node:fs');
const { join } = require('node:path');
const [bundle, socket, logs, every, ...panes] = process.argv.slice(2);
const { paneAt, tmuxAt, watchScreen } = require(bundle);

for (const id of panes) {
  void watchScreen({
    capture: paneAt(tmuxAt({ socket }, process.env), id).capture,
    printed: () => statSync(join(logs, id)).size,
    every: Number(every),
    startedAt: Date.now(),
    signal: new AbortController().signal,
    isEnough: () => false,
  });
}
