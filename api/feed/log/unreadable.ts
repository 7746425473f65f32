/**
 * Messages of FEED that this process cannot decode, in whole or in part: each is logged and counted once, however many
 * readers reach it. Beyond 1,000 they are neither logged nor counted.
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

  /** Resets for a replaced FEED, whose sequences start over. */
  clear(): void {
    this.told.clear()
  }
}
