/** Options that are times. */
import { type Edge, readTime } from '../../domain/time/time.ts'
import { UsageError } from './arguments.ts'

/** Unix ms; undefined for an option that is absent. `edge`: which end of a date is meant. Throws UsageError. */
export function timeOption(name: string, text: string | undefined, edge: Edge): number | undefined {
  if (text === undefined) return undefined
  const read = readTime(text, edge)
  if ('ms' in read) return read.ms
  throw new UsageError(`--${name} "${text}": ${read.error}`)
}
