import { loopWith } from './loop-with.ts';

loopWith({
  agent: 'gemini',
  timeout: '10s',
  retryNotices: [/API retry 1: HTTP 529/],
  waitsItself: true,
  afterCuts: 'exit 1: .*terminated',
});
