/** Reads /proc/PID/stat. */
import { readFileSync } from 'node:fs'

/** A field by its number in proc(5), from the third on. */
type ProcStat = (number: number) => string

/** Undefined where no program bears the pid. One that has ended has the state Z until its parent has waited for it. */
export function procStat(pid: number): ProcStat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The second field is the program's name in brackets and may hold anything: count from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (number) => fields[number - 3] ?? ''
}

/** Numbers of fields. */
export const STATE = 3
export const PARENT = 4
export const SESSION = 6
/** Clock ticks since boot. */
export const BORN = 22
