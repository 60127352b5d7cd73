import { loopWith } from './loop-with.ts';

loopWith({
  agent: 'opencode',
  timeout: '15s',
  retryNotices: [/API retry 1: /],
  waitsItself: true,
  afterCuts: 'timed out',
});
