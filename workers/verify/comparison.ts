/**
 * Compares the stored rows of one table with the rows of a fold, in one of two ways: in one order (a running hash), or
 * in any (sums of the rows' hashes).
 */
import { createHash, type Hash } from 'node:crypto'

const DIFFERENCES_MAX = 10
const SUM_BITS = 128

/** One table: rows, the hashes of the stored rows and of the fold, and where they differ. */
export type TableReport = {
  name: string
  rows: number
  stored: string
  folded: string
  equal: boolean
  /** The first few differences, readable. */
  differences: string[]
}

/** Text that is hashed at once: an update of the hash costs more than a row. */
const PENDING_MAX = 1 << 16

/** A running hash of rows. */
class RunningHash {
  private readonly hash: Hash
  private pending = ''

  constructor(hash: Hash = createHash('sha256')) {
    this.hash = hash
  }

  add(text: string): void {
    this.pending += text
    if (this.pending.length >= PENDING_MAX) this.flush()
  }

  copy(): RunningHash {
    this.flush()
    return new RunningHash(this.hash.copy())
  }

  digest(): string {
    this.flush()
    return this.hash.copy().digest('hex')
  }

  private flush(): void {
    this.hash.update(this.pending)
    this.pending = ''
  }
}

/** Both sides of one table, hashed row by row in one order. */
export class Comparison {
  private readonly name: string
  private readonly stored = new RunningHash()
  /** Undefined while all rows are equal: then it would be the same. */
  private folded: RunningHash | undefined
  private rows = 0
  private unequal = 0
  private readonly differences: string[] = []

  constructor(name: string) {
    this.name = name
  }

  row(key: string, stored: string, folded: string): void {
    this.rows += 1
    if (stored !== folded) this.folded ??= this.stored.copy()
    this.stored.add(`${key}=${stored}\n`)
    this.folded?.add(`${key}=${folded}\n`)
    if (stored !== folded) this.differ(`${key}: stored ${stored}, folded ${folded}`)
  }

  differ(text: string): void {
    this.unequal += 1
    if (this.differences.length < DIFFERENCES_MAX) this.differences.push(text)
  }

  report(): TableReport {
    const stored = this.stored.digest()
    const folded = this.folded?.digest() ?? stored
    return {
      name: this.name,
      rows: this.rows,
      stored,
      folded,
      equal: this.unequal === 0 && stored === folded,
      differences: this.differences,
    }
  }
}

/** The same where the rows come in no order that two installations share. */
export class UnorderedComparison {
  private readonly name: string
  private stored = 0n
  private folded = 0n
  private rows = 0
  private unequal = 0
  private readonly differences: string[] = []
  private reason: string | undefined

  constructor(name: string) {
    this.name = name
  }

  /** States why rows differ that are met from now on: they are counted, and the reason is listed in their place. */
  explain(reason: string): void {
    this.reason ??= reason
  }

  /** `undefined` is a missing row. */
  row(key: string, stored: string | undefined, folded: string | undefined): void {
    this.rows += 1
    const before = this.stored
    this.stored = added(this.stored, key, stored)
    if (stored === folded) {
      this.folded = BigInt.asUintN(SUM_BITS, this.folded + this.stored - before)
      return
    }
    this.folded = added(this.folded, key, folded)
    this.differ(`${key}: stored ${stored ?? 'absent'}, folded ${folded ?? 'absent'}`)
  }

  differ(text: string): void {
    this.unequal += 1
    const listed = this.reason ?? text
    if (this.differences.includes(listed)) return
    if (this.differences.length < DIFFERENCES_MAX) this.differences.push(listed)
  }

  report(): TableReport {
    return {
      name: this.name,
      rows: this.rows,
      stored: this.stored.toString(16).padStart(SUM_BITS / 4, '0'),
      folded: this.folded.toString(16).padStart(SUM_BITS / 4, '0'),
      equal: this.unequal === 0,
      differences: this.differences,
    }
  }
}

function added(sum: bigint, key: string, row: string | undefined): bigint {
  if (row === undefined) return sum
  const hash = createHash('sha256').update(`${key}=${row}`).digest()
  const low = hash.readBigUInt64LE(0) + (hash.readBigUInt64LE(8) << 64n)
  return BigInt.asUintN(SUM_BITS, sum + low)
}

export const stringifyBigint = (_: string, value: unknown) =>
  typeof value === 'bigint' ? `${value}` : value
