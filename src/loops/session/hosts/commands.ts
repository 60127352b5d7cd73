/** The commands that people type, and what an agent's list of commands says of each. */
export const COMMANDS: Readonly<Record<string, string>> = {
  'ralph-loop': 'Work on a task until it is done: "<task>" --max-iterations <N> --completion-promise "<PROMISE>"',
  'ulw-loop': 'The same as ralph-loop, in ultrawork mode',
  'cancel-ralph': 'End the loop of this session now',
  'ralph-status': 'Tell how far the loop of this session is',
};
