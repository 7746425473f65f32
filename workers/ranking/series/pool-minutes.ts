/**
 * Time series of a pool: the minutes in which it traded, ascending. Pure. A busy market has millions of them in
 * memory, so they lie in one strip, 48 bytes each, and are read figure by figure.
 */
import type { Lamports } from '../lamports.ts'
import { offsetOf, Strip } from './number-deque.ts'

/** Figures of a pool in a span of time; prices null without a priced trade. */
export type Traded = {
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume: Lamports
  trades: number
}
export type PoolMinute = Traded & { minute: number }

/** The minute with its trades; open, high, low, close, NaN for null; volume. */
const WIDTH = 6
const [OPEN, HIGH, LOW, CLOSE, VOLUME] = [1, 2, 3, 4, 5]
/** A minute and its trades in one safe integer: 2^26 trades, minutes until the year 2225. */
const TRADES = 2 ** 26

export class PoolMinutes {
  private readonly strip = new Strip(true)
  /** Volumes that are no safe numbers, by minute; NaN stands for them. */
  private large: Map<number, bigint> | undefined

  get count(): number {
    return (this.strip.end - this.strip.first) / WIDTH
  }

  push({ minute, trades, open, high, low, close, volume }: PoolMinute): void {
    const { strip } = this
    strip.makeRoom(WIDTH)
    const { cells, end } = strip
    cells[end] = minute * TRADES + trades
    cells[end + OPEN] = open ?? Number.NaN
    cells[end + HIGH] = high ?? Number.NaN
    cells[end + LOW] = low ?? Number.NaN
    cells[end + CLOSE] = close ?? Number.NaN
    cells[end + VOLUME] = typeof volume === 'number' ? volume : this.noteLarge(minute, volume)
    strip.end = end + WIDTH
  }

  minuteAt(offset: number): number {
    return Math.floor(this.cell(offset, 0) / TRADES)
  }

  tradesAt(offset: number): number {
    return this.cell(offset, 0) - this.minuteAt(offset) * TRADES
  }

  /** NaN without a priced trade, like the other prices. */
  openAt(offset: number): number {
    return this.cell(offset, OPEN)
  }

  highAt(offset: number): number {
    return this.cell(offset, HIGH)
  }

  lowAt(offset: number): number {
    return this.cell(offset, LOW)
  }

  closeAt(offset: number): number {
    return this.cell(offset, CLOSE)
  }

  volumeAt(offset: number): Lamports {
    const volume = this.cell(offset, VOLUME)
    return Number.isNaN(volume) ? this.large!.get(this.minuteAt(offset))! : volume
  }

  /** The first place of this minute or a later one. */
  offsetOf(minute: number): number {
    const { cells, first } = this.strip
    return offsetOf(cells, first, WIDTH, this.count, minute * TRADES)
  }

  /** Takes out this minute and all after it. */
  cutFrom(minute: number): void {
    this.strip.end = this.strip.first + this.offsetOf(minute) * WIDTH
    this.forgetLarge((each) => each >= minute)
  }

  /** Drops all minutes before this one. */
  dropBefore(minute: number): void {
    const count = this.offsetOf(minute)
    if (count === 0) return
    this.strip.dropFirst(count * WIDTH)
    this.forgetLarge((each) => each < minute)
  }

  private cell(offset: number, column: number): number {
    const { cells, first } = this.strip
    return cells[first + offset * WIDTH + column]!
  }

  private noteLarge(minute: number, volume: bigint): number {
    this.large ??= new Map()
    this.large.set(minute, volume)
    return Number.NaN
  }

  private forgetLarge(isGone: (minute: number) => boolean): void {
    if (this.large === undefined) return
    for (const minute of this.large.keys()) if (isGone(minute)) this.large.delete(minute)
  }
}
