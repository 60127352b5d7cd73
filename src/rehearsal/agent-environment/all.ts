/** The agents that can be rehearsed. Amp cannot: the loop of its agent runs at its vendor's. */
import type { AgentSurroundings } from './agent-surroundings.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

export const ALL_SURROUNDINGS: readonly AgentSurroundings[] = [claude, codex, copilot, gemini, opencode, pi, qwen];
