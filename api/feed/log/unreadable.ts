/**
 * Messages of FEED that this process cannot decode, in whole or in part: each is logged and counted once, however many
 * readers reach it. Beyond 1,000 they are neither logged nor counted.
 */
import type { Log } from '../../../domain/log.ts'
import type { OnBatchError } from './batch.ts'

const REPORTED_MAX = 1_000

export class Unreadable {
  private readonly log: Log
  private readonly reported = new Set<number>()

  constructor(log: Log) {
    this.log = log
  }

  get count(): number {
    return this.reported.size
  }

  readonly report: OnBatchError = (sequence, reason) => {
    if (this.reported.has(sequence) || this.reported.size >= REPORTED_MAX) return
    this.reported.add(sequence)
    this.log.error(
      { sequence, reason },
      'skipped an unreadable message of FEED, in whole or in part',
    )
  }

  /** Resets for a replaced FEED, whose sequences start over. */
  clear(): void {
    this.reported.clear()
  }
}
