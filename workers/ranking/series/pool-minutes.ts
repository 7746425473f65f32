/**
 * Time series of a pool: open, high, low, close, volume and trade count of each minute in which it traded, ascending.
 * Pure. A busy market has millions of minutes in memory, so they are packed into one deque, 48 bytes each, and read value
 * by value.
 */
import type { Lamports } from '../lamports.ts'
import { lowerBound, NumberDeque } from './number-deque.ts'

/** Prices, volume and trades of a pool in a span of time; prices are null without a priced trade. */
export type Ohlcv = {
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume: Lamports
  trades: number
}
export type PoolMinute = Ohlcv & { minute: number }

/** Cells of a minute: minute and trades in one; open, high, low, close, NaN for null; volume. */
const WIDTH = 6
const [OPEN, HIGH, LOW, CLOSE, VOLUME] = [1, 2, 3, 4, 5]
/** Factor of the minute in the cell that it shares with its trades, a safe integer: 2^26 trades, until the year 2225. */
const TRADES = 2 ** 26

export class PoolMinutes {
  private readonly deque = new NumberDeque(true)
  /** By minute: volumes beyond the safe integers, of which the deque holds NaN. */
  private largeVolumes: Map<number, bigint> | undefined

  get count(): number {
    return (this.deque.end - this.deque.first) / WIDTH
  }

  push({ minute, trades, open, high, low, close, volume }: PoolMinute): void {
    const { deque } = this
    deque.reserve(WIDTH)
    const { cells, end } = deque
    cells[end] = minute * TRADES + trades
    cells[end + OPEN] = open ?? Number.NaN
    cells[end + HIGH] = high ?? Number.NaN
    cells[end + LOW] = low ?? Number.NaN
    cells[end + CLOSE] = close ?? Number.NaN
    cells[end + VOLUME] = typeof volume === 'number' ? volume : this.putLargeVolume(minute, volume)
    deque.end = end + WIDTH
  }

  minuteAt(offset: number): number {
    return Math.floor(this.cell(offset, 0) / TRADES)
  }

  tradesAt(offset: number): number {
    return this.cell(offset, 0) - this.minuteAt(offset) * TRADES
  }

  /** NaN without a priced trade, as for the other prices. */
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
    return Number.isNaN(volume) ? this.largeVolumes!.get(this.minuteAt(offset))! : volume
  }

  /** Offset of the first entry that is of `minute` or later. */
  lowerBound(minute: number): number {
    const { cells, first } = this.deque
    return lowerBound(cells, first, WIDTH, this.count, minute * TRADES)
  }

  /** Removes this minute and all later ones. */
  truncateFrom(minute: number): void {
    this.deque.end = this.deque.first + this.lowerBound(minute) * WIDTH
    this.deleteLargeVolumes((each) => each >= minute)
  }

  /** Removes all minutes before this one. */
  dropBefore(minute: number): void {
    const count = this.lowerBound(minute)
    if (count === 0) return
    this.deque.dropFirst(count * WIDTH)
    this.deleteLargeVolumes((each) => each < minute)
  }

  private cell(offset: number, column: number): number {
    const { cells, first } = this.deque
    return cells[first + offset * WIDTH + column]!
  }

  private putLargeVolume(minute: number, volume: bigint): number {
    this.largeVolumes ??= new Map()
    this.largeVolumes.set(minute, volume)
    return Number.NaN
  }

  private deleteLargeVolumes(isGone: (minute: number) => boolean): void {
    if (this.largeVolumes === undefined) return
    for (const minute of this.largeVolumes.keys())
      if (isGone(minute)) this.largeVolumes.delete(minute)
  }
}
