import { loopWith } from './loop-with.ts';

loopWith({ agent: 'codex', timeout: '8s', retryNotices: [], afterCuts: 'exit 1: stream disconnected' });
