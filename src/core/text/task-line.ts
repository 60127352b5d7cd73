/** What a loop was asked to do, in one line for lists; null where nothing is said. */
export function taskLine(task: string | null): string | null {
  const [line = ''] = task?.trim().split('\n', 1) ?? [];
  return line.trim() === '' ? null : line.trim();
}
