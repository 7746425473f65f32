/**
 * Messages of FEED that a process cannot read, in whole or in part: each is told in the log once, however many
 * come to it, and counted. Beyond a bound they are no longer remembered, nor told.
 */
import type { Log } from '../../../domain/log.ts'
import type { OnBatchError } from './batch.ts'

const TOLD_MAX = 1_000

export class Unreadable {
  private readonly log: Log
  private readonly told = new Set<number>()

  constructor(log: Log) {
    this.log = log
  }

  get count(): number {
    return this.told.size
  }

  readonly tell: OnBatchError = (sequence, reason) => {
    if (this.told.has(sequence) || this.told.size >= TOLD_MAX) return
    this.told.add(sequence)
    this.log.error(
      { sequence, reason },
      'skipped an unreadable message of FEED, in whole or in part',
    )
  }

  /** FEED is another one: sequences begin anew. */
  clear(): void {
    this.told.clear()
  }
}
