/**
 * Compares the stored rows of one table with the rows of a fold, in one of two ways: in parts whose rows have an order (sums of
 * the running hashes of parts), or row by row in any order (sums of the rows' hashes).
 *
 * Decision: docs/decisions/0130-pools-are-verified-by-id.md
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

  /** The first 128 bits. */
  digest(): bigint {
    this.flush()
    return sumOf(this.hash.digest())
  }

  private flush(): void {
    this.hash.update(this.pending)
    this.pending = ''
  }
}

/** Both sides of one table. The parts may come in any order, those of a part's rows are hashed in theirs. */
export class Comparison {
  private readonly name: string
  private part = ''
  /** Hashes of the part's rows; undefined before its first. */
  private stored: RunningHash | undefined
  /** Undefined while all rows of the part are equal: then it would be the same. */
  private folded: RunningHash | undefined
  private storedSum = 0n
  private foldedSum = 0n
  private rows = 0
  private unequal = 0
  private readonly differences: string[] = []

  constructor(name: string) {
    this.name = name
  }

  /** `part`: the rows of one follow each other; its name, or keys that contain it, are those of no other part. */
  row(key: string, stored: string, folded: string, part = ''): void {
    this.rows += 1
    if (part !== this.part) this.endPart()
    this.part = part
    this.stored ??= new RunningHash()
    if (stored !== folded) this.folded ??= this.stored.copy()
    this.stored.add(`${key}=${stored}\n`)
    this.folded?.add(`${key}=${folded}\n`)
    if (stored !== folded) this.differ(`${key}: stored ${stored}, folded ${folded}`)
  }

  differ(text: string): void {
    this.unequal += 1
    if (this.differences.length < DIFFERENCES_MAX) this.differences.push(text)
  }

  private endPart(): void {
    if (this.stored === undefined) return
    const stored = this.stored.digest()
    this.storedSum += stored
    this.foldedSum += this.folded?.digest() ?? stored
    this.stored = undefined
    this.folded = undefined
  }

  /** Once, after all rows. */
  report(): TableReport {
    this.endPart()
    const [stored, folded] = [textOfSum(this.storedSum), textOfSum(this.foldedSum)]
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
      stored: textOfSum(this.stored),
      folded: textOfSum(this.folded),
      equal: this.unequal === 0,
      differences: this.differences,
    }
  }
}

function added(sum: bigint, key: string, row: string | undefined): bigint {
  if (row === undefined) return sum
  const hash = createHash('sha256').update(`${key}=${row}`).digest()
  return BigInt.asUintN(SUM_BITS, sum + sumOf(hash))
}

const sumOf = (hash: Buffer): bigint => hash.readBigUInt64LE(0) + (hash.readBigUInt64LE(8) << 64n)

const textOfSum = (sum: bigint): string =>
  BigInt.asUintN(SUM_BITS, sum)
    .toString(16)
    .padStart(SUM_BITS / 4, '0')

export const stringifyBigint = (_: string, value: unknown) =>
  typeof value === 'bigint' ? `${value}` : value
