/** All tools, in the order in which a client lists them. */
import type { Tool } from '../tool.ts';
import { listTool, logTool, statusTool, timelineTool } from './read.ts';
import { startTool } from './start.ts';
import { answerTool, pauseTool, resumeTool, stopTool, tellTool } from './steer.ts';

export const TOOLS: readonly Tool[] = [
  listTool,
  statusTool,
  logTool,
  timelineTool,
  startTool,
  tellTool,
  answerTool,
  pauseTool,
  stopTool,
  resumeTool,
];
