/**
 * Replaces addresses, signatures, slots, times and venues of the recorded market by those of another one, in any value.
 * Pure.
 */
import { readTime } from '../../../domain/time/time.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { venueOf } from '../../../domain/venue.ts'
import type { ExampleMarket } from '../../examples/market.ts'

type Localize = (value: unknown) => unknown

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const ISO_DAY = /^\d{4}-\d\d-\d\d$/
/** Milliseconds around the recorded buy that hold every time of the recorded answers. */
const RECORDED_SPAN_MS = 180 * DAY_MS

export function localizerOf(recorded: ExampleMarket, live: ExampleMarket): Localize {
  if (recorded === live) return (value) => value
  const shiftMs = live.buyMs - recorded.buyMs
  const dayShiftMs = wholeDays(live.buyMs) - wholeDays(recorded.buyMs)
  const isRecorded = (ms: number): boolean => Math.abs(ms - recorded.buyMs) < RECORDED_SPAN_MS
  const texts = new Map(textsOf(recorded, live))
  const slots = new Map(slotsOf(recorded, live))
  const [from, to] = [venueOf(recorded.dex), venueOf(live.dex)]
  const known = new RegExp([...texts.keys()].map(escaped).join('|'), 'g')
  const wholes = new Map([[from.name, to.name], ...wholeTextsOf(recorded, live)])
  const textOf = (text: string): string => {
    const whole = wholes.get(text)
    if (whole !== undefined) return whole
    const isDay = ISO_DAY.test(text)
    if (!isDay && !ISO_TIME.test(text)) {
      return text.replaceAll(known, (found) => texts.get(found) ?? found)
    }
    const read = readTime(text, 'first')
    if ('error' in read || !isRecorded(read.ms)) return text
    const moved = new Date(read.ms + (isDay ? dayShiftMs : shiftMs)).toISOString()
    return isDay ? moved.slice(0, 'YYYY-MM-DD'.length) : moved
  }
  const localize = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return textOf(value)
    if (key === 'dex' && value === recorded.dex) return live.dex
    if (typeof value === 'number')
      return isRecorded(value) ? value + shiftMs : (slots.get(value) ?? value)
    if (Array.isArray(value)) return value.map((each) => localize(each))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value)
    return Object.fromEntries(fields.map(([name, each]) => [textOf(name), localize(each, name)]))
  }
  return (value) => localize(value)
}

/** Recorded texts and those of the other market, which may lie within a text. */
function textsOf(recorded: ExampleMarket, live: ExampleMarket): [string, string][] {
  const names = ['wallet', 'mint', 'otherMint', 'creator', 'pair', 'signature'] as const
  const cursors = Object.entries(recorded.cursors).map(([path, cursor]): [string, string] => [
    cursor,
    live.cursors[path] ?? cursor,
  ])
  return [
    ...names.map((name): [string, string] => [recorded[name], live[name]]),
    [recorded.saleSignature, live.saleSignature],
    [recorded.event.signature, live.event.signature],
    [recorded.event.pair, live.event.pair],
    [recorded.event.mint, live.event.mint],
    ...cursors,
  ]
}

/** Short texts, which other texts may have by chance. */
function wholeTextsOf(recorded: ExampleMarket, live: ExampleMarket): [string, string][] {
  const label = ({ symbol, name }: ExampleMarket): string => `${symbol} (${name})`
  return [
    [recorded.symbol, live.symbol],
    [recorded.name, live.name],
    [label(recorded), label(live)],
  ]
}

function slotsOf(recorded: ExampleMarket, live: ExampleMarket): [number, number][] {
  return [
    [recorded.slot, live.slot],
    [recorded.saleSlot, live.saleSlot],
    [recorded.event.slot, live.event.slot],
  ]
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const wholeDays = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS
