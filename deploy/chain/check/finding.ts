/** Findings of a check of a provider, one line each. Pure. */
import { duration } from '../../cli/format.ts'

const GRADES = ['pass', 'warn', 'fail'] as const

/** `subject`: the property that was checked; `text`: the observation, and the remedy where it does not pass. */
export type Finding = {
  readonly grade: (typeof GRADES)[number]
  readonly subject: string
  readonly text: string
}

export const pass = (subject: string, text: string): Finding => ({ grade: 'pass', subject, text })
export const warn = (subject: string, text: string): Finding => ({ grade: 'warn', subject, text })
export const fail = (subject: string, text: string): Finding => ({ grade: 'fail', subject, text })

const SUBJECT_WIDTH = 12

/** `pass  version       2.1.0`, without a line break. */
export const printFinding = ({ grade, subject, text }: Finding): string =>
  `${grade}  ${subject.padEnd(SUBJECT_WIDTH)}  ${text}`

/** Farther from this machine's clock than a chain that is followed: some 13 s until a block is final, and doubt. */
const LATE_MS = 45_000
const EARLY_MS = 5_000

/** `ageMs`: this machine's clock less the time of the newest block. */
export function clockFinding(ageMs: number): Finding {
  const age = duration(Math.abs(ageMs))
  if (ageMs < -EARLY_MS) {
    return warn('clock', `newest block is ${age} in the future: set the clock of this machine`)
  }
  if (ageMs <= LATE_MS) return pass('clock', `newest block is ${age} old`)
  const advice = 'the provider lags, or the clock of this machine is wrong'
  return warn('clock', `newest block is ${age} old: ${advice}`)
}
