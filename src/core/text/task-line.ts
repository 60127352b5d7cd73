/** The first line of what a loop was asked to do, for lists; null if there is none. */
export function taskLine(task: string | null): string | null {
  const [line = ''] = task?.trim().split('\n', 1) ?? [];
  return line.trim() === '' ? null : line.trim();
}
