/** What /proc/PID/stat says of a program. */
import { readFileSync } from 'node:fs'

/**
 * Its fields from the third on: `state` is one letter, Z for a program that has ended, `session` the pid of the
 * session's leader, `born` the start in clock ticks since boot. Undefined where no program bears the pid.
 */
export function procStat(
  pid: number,
): { state: string; session: number; born: string } | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The second field is the program's name in brackets and may hold anything: count from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', session: Number(fields[3]), born: fields[19] ?? '' }
}
