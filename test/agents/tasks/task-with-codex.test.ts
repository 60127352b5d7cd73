import { taskWith } from './task-with.ts';

taskWith('codex');
