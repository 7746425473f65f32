/**
 * Warnings of the decoder, as every process sees them (domain/decoder-warning.ts).
 *
 * Invariant: they are written under the lock of `coverage`, in the transaction that records their slots, so that one writer at a
 * time moves the windows of the rates.
 */
import {
  type BlockReading,
  judge,
  nextRate,
  type RateWarning,
  REJECT_SUBJECTS,
  STEP_SLOTS,
  shareOf,
  type VenueReads,
  type WarningKind,
  WINDOW_STEPS,
} from '../../domain/decoder-warning.ts'
import type { DexId } from '../../domain/venue.ts'
import type { Connection } from '../db.ts'
import type { Queryable } from '../driver/queryable.ts'
import { query } from '../query.ts'

/** A row of the table `decoder_warning`, where its columns are described. */
export type DecoderWarning = {
  dex: DexId
  kind: WarningKind
  subject: string
  first_slot: number
  last_slot: number
  reads: number
  share: number | null
  ended_slot: number | null
  first_seen_at: Date
  age_ms: number
}

/** A change that a transaction made, for the log. */
export type WarningChange = Pick<DecoderWarning, 'dex' | 'kind' | 'subject'> & {
  slot: number
  share?: number
  change: 'began' | 'ended'
}

/** Reading of the block of a slot. */
export type SlotReading = BlockReading & { readonly slot: number }

type WindowRow = { dex: DexId; step: number; swaps: number; unreadable: number; no_sol: number }
type RateRow = Pick<
  DecoderWarning,
  'dex' | 'subject' | 'first_slot' | 'last_slot' | 'reads' | 'ended_slot'
>

const listRows = query<DecoderWarning>('warnings/list_warnings')
const addRows =
  query<Pick<DecoderWarning, 'dex' | 'kind' | 'subject' | 'first_slot'>>('warnings/add_warnings')
const addReads = query('warnings/add_reads')
const sumWindows = query<WindowRow>('warnings/sum_windows')
const listRates = query<RateRow>('warnings/list_rates')
const writeRate = query('warnings/write_rate')
const deleteOldReads = query('warnings/delete_old_reads')

export const listWarnings = (db: Queryable): Promise<DecoderWarning[]> => listRows(db)

/** Adds readings of blocks; the caller holds the lock of `coverage`. Returns the warnings that began or ended. */
export async function addReadings(
  connection: Connection,
  readings: readonly SlotReading[],
): Promise<WarningChange[]> {
  const changes: WarningChange[] = []
  if (readings.some(({ warnings }) => warnings.length > 0)) {
    const rows = await addRows(connection, warningColumns(readings))
    for (const { first_slot: slot, ...row } of rows) changes.push({ ...row, slot, change: 'began' })
  }
  const steps = stepsOf(readings)
  if (steps.length === 0) return changes
  await addReads(connection, [
    steps.map(({ dex }) => dex),
    steps.map(({ step }) => step),
    steps.map(({ swaps }) => swaps),
    steps.map(({ unreadable }) => unreadable),
    steps.map(({ noSol }) => noSol),
  ])
  changes.push(...(await moveRates(connection, steps)))
  await deleteOldReads(connection)
  return changes
}

type WarningRow = { dex: DexId; kind: string; subject: string; slots: number[] }

function warningColumns(readings: readonly SlotReading[]): unknown[] {
  const byKey = new Map<string, WarningRow>()
  for (const { slot, warnings } of readings) {
    for (const { dex, kind, subject } of warnings) {
      const key = `${dex} ${kind} ${subject}`
      const row = byKey.get(key)
      if (row === undefined) byKey.set(key, { dex, kind, subject, slots: [slot] })
      else row.slots.push(slot)
    }
  }
  const rows = [...byKey.values()]
  return [
    rows.map(({ dex }) => dex),
    rows.map(({ kind }) => kind),
    rows.map(({ subject }) => subject),
    rows.map(({ slots }) => slots.reduce((first, slot) => Math.min(first, slot))),
    rows.map(({ slots }) => slots.reduce((last, slot) => Math.max(last, slot))),
    rows.map(({ slots }) => slots.length),
  ]
}

/** Sums of a venue in a step; `slot`: the last one that was read in it. */
type Step = VenueReads & { readonly step: number; readonly slot: number }

/** Ascending by step. */
function stepsOf(readings: readonly SlotReading[]): Step[] {
  const steps = new Map<string, Step>()
  for (const { slot, reads } of readings) {
    const step = Math.floor(slot / STEP_SLOTS)
    for (const { dex, swaps, unreadable, noSol } of reads) {
      const key = `${dex} ${step}`
      const before = steps.get(key)
      steps.set(key, {
        ...{ dex, step, slot: Math.max(slot, before?.slot ?? 0) },
        swaps: swaps + (before?.swaps ?? 0),
        unreadable: unreadable + (before?.unreadable ?? 0),
        noSol: noSol + (before?.noSol ?? 0),
      })
    }
  }
  return [...steps.values()].sort((a, b) => a.step - b.step)
}

async function moveRates(connection: Connection, steps: readonly Step[]): Promise<WarningChange[]> {
  const changes: WarningChange[] = []
  const rates = new Map<string, RateWarning>()
  for (const row of await listRates(connection, [[...new Set(steps.map(({ dex }) => dex))]])) {
    rates.set(`${row.dex} ${row.subject}`, rateOf(row))
  }
  const windows = await sumWindows(connection, [
    steps.map(({ dex }) => dex),
    steps.map(({ step }) => step),
    WINDOW_STEPS,
  ])
  for (const { dex, step, slot } of steps) {
    const found = windows.find((row) => row.dex === dex && row.step === step)
    if (found === undefined) continue
    const { swaps, unreadable, no_sol: noSol } = found
    const window = { dex, swaps, unreadable, noSol }
    for (const subject of REJECT_SUBJECTS) {
      const known = rates.get(`${dex} ${subject}`)
      const next = nextRate(known, judge(window, subject), slot)
      if (next === undefined) continue
      const { rate, change } = next
      rates.set(`${dex} ${subject}`, rate)
      const share = shareOf(window, subject)
      const { firstSlot, lastSlot, windows: outside, endedSlot = null } = rate
      const columns = [firstSlot, lastSlot, outside, share, endedSlot, change === 'began']
      await writeRate(connection, [dex, subject, ...columns])
      if (change !== undefined)
        changes.push({ dex, kind: 'reject_rate', subject, slot, share, change })
    }
  }
  return changes
}

const rateOf = ({ first_slot, last_slot, reads, ended_slot }: RateRow): RateWarning => ({
  firstSlot: first_slot,
  lastSlot: last_slot,
  windows: reads,
  ...(ended_slot === null ? {} : { endedSlot: ended_slot }),
})
