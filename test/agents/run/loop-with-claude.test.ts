import { loopWith } from './loop-with.ts';

loopWith({
  agent: 'claude',
  flags: ['--dangerously-skip-permissions'],
  // By default, Claude Code retries a broken call ten times, which takes minutes.
  env: { CLAUDE_CODE_MAX_RETRIES: '1' },
  timeout: '8s',
  retryNotices: [/API retry 1\/1: 529 overloaded/],
  afterCuts: 'exit 1: it reported an error: ',
});
