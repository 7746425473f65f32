/** Options that name a range of slots: by slots, by times, or by a span of time up to now. */
import type { SlotRange } from '../../../domain/coverage.ts'
import { readTime } from '../../../domain/time/time.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { integerOption, UsageError } from '../../cli/arguments.ts'
import { type RangeProvider, UnknownTime } from '../block-provider.ts'

export const RANGE_OPTIONS = {
  from: { type: 'string', value: 'SLOT|TIME', about: 'first slot, or a time such as 2026-09-01' },
  to: {
    type: 'string',
    value: 'SLOT|TIME',
    about: 'last slot, or a time; a date is its whole day',
  },
  last: {
    type: 'string',
    value: 'SPAN',
    about: 'time up to the newest final block, such as 12h or 7d, instead of --from and --to',
  },
} as const

export const SLOT_MAX = 1e12
const SPAN_DAYS_MAX = 10_000
const MS_A_UNIT: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

type Values = {
  from?: string | undefined
  to?: string | undefined
  last?: string | undefined
}

/** `text`: as it was given. */
type Bound = { readonly text: string } & ({ readonly slot: number } | { readonly ms: number })
type WantedRange =
  | { readonly from: Bound; readonly to: Bound }
  | { readonly last: string; readonly spanMs: number }

/** Throws UsageError. */
export function readRange({ from, to, last }: Values): WantedRange {
  if (last === undefined) return inOrder(boundOf('from', from), boundOf('to', to))
  const other = from === undefined ? to : from
  if (other !== undefined) {
    throw new UsageError(`--last "${last}": expected without --from and --to`)
  }
  return { last, spanMs: spanOf(last) }
}

function inOrder(from: Bound, to: Bound): WantedRange {
  if ('slot' in from && 'slot' in to && to.slot < from.slot) throw beforeFrom(to, from.slot)
  if ('ms' in from && 'ms' in to && to.ms < from.ms) {
    throw new UsageError(`--to "${to.text}": expected no earlier than --from "${from.text}"`)
  }
  return { from, to }
}

const beforeFrom = ({ text }: Bound, from: number): UsageError =>
  new UsageError(`--to "${text}": expected a slot of ${from} or more`)

function boundOf(name: 'from' | 'to', text: string | undefined): Bound {
  if (text === undefined) throw new UsageError(`--${name} is missing: expected a slot or a time`)
  if (/^\d{1,12}$/.test(text)) {
    return { text, slot: integerOption(name, text, { min: 0, max: SLOT_MAX }) ?? 0 }
  }
  const read = readTime(text, name === 'from' ? 'first' : 'last')
  if ('error' in read) throw new UsageError(`--${name} "${text}": ${read.error}, or a slot`)
  return { text, ms: read.ms }
}

function spanOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const spanMs = Number(count) * (MS_A_UNIT[unit] ?? 0)
  if (spanMs > 0 && spanMs <= SPAN_DAYS_MAX * DAY_MS) return spanMs
  throw new UsageError(`--last "${text}": expected a span such as 30m, 12h or 7d`)
}

/** Throws UsageError for times of which the provider has no block. */
export async function findRange(
  wanted: WantedRange,
  provider: RangeProvider,
  signal: AbortSignal,
): Promise<SlotRange> {
  if ('last' in wanted) {
    const { last, spanMs } = wanted
    const from = await slotAt('last', last, Date.now() - spanMs, provider, signal)
    return { from, to: Math.max(from, await provider.finalizedSlot(signal)) }
  }
  const { from: first, to: last } = wanted
  const from =
    'slot' in first ? first.slot : await slotAt('from', first.text, first.ms, provider, signal)
  // The slots before the first block after the time: all of them are of that time.
  const to =
    'slot' in last ? last.slot : (await slotAt('to', last.text, last.ms + 1, provider, signal)) - 1
  if (to < from) throw beforeFrom(last, from)
  return { from, to }
}

async function slotAt(
  name: keyof typeof RANGE_OPTIONS,
  text: string,
  ms: number,
  provider: RangeProvider,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await provider.slotAt(Math.ceil(ms / 1_000), signal)
  } catch (cause) {
    if (!(cause instanceof UnknownTime)) throw cause
    throw new UsageError(`--${name} "${text}": ${cause.message}`, { cause })
  }
}
