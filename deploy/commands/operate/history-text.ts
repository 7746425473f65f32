/** Sealed history as `swaptide history status` prints it. Pure. */
import {
  bytesPerSwap,
  type HistoryState,
  type SealRun,
  type SnapshotHolder,
} from '../../../history/operating/state.ts'
import { counted, duration, grouped, table } from '../../cli/format.ts'

export function describeHistory(state: HistoryState): string {
  const { segments, seal, waits, verification, holders, dropping, refusals } = state
  const sealed =
    segments === 0 ? 'no swap is sealed\n' : table(['sealed history', ''], figuresOf(state))
  const waited = waits.map(({ cause, waits: runs }) => `  ${cause}: ${counted(runs, 'run')}\n`)
  return [
    sealed,
    seal === null ? '' : sealLine(seal),
    waited.length === 0 ? '' : `runs of the sealer that waited:\n${waited.join('')}`,
    verification === null
      ? ''
      : `verified ${duration(verification.ended_age_ms)} ago: ${foundBy(verification)}\n`,
    dropping === null ? '' : droppingLine(dropping),
    ...refusals.map(
      ({ kind, refused, slot }) =>
        `refused: ${counted(refused, kind)}, the newest of slot ${slot}\n`,
    ),
    holders.length === 0 ? '' : `oldest snapshots:\n${holders.map(holderLine).join('')}`,
  ].join('')
}

function figuresOf(state: HistoryState): string[][] {
  const { segments, sealed_swaps: swaps, gone_rows: gone, late_rows: late, bytes } = state
  const age = state.boundary_age_ms
  return [
    ['segments', grouped(segments)],
    ['swaps', grouped(swaps)],
    ['moved back to the table', grouped(gone)],
    ['rows of the table in these slots', grouped(late)],
    ['bytes', grouped(bytes)],
    ['bytes a swap', (bytesPerSwap(state) ?? 0).toFixed(1)],
    ['slots', `${state.first_slot} to ${state.last_slot}`],
    ['age of the last one', age === null ? 'unknown' : duration(age)],
    ['newest seal', state.sealed_at?.toISOString() ?? 'never'],
  ]
}

function sealLine({ hours, outcome, reason, since_age_ms: sinceMs, ...run }: SealRun): string {
  const setting = hours === null ? 'SEAL_AFTER_HOURS is not set' : `SEAL_AFTER_HOURS ${hours}`
  const why = reason === null ? '' : `: ${reason}`
  const lag = run.caught_up_age_ms
  const caughtUp = lag === null ? '' : `; nothing was left to seal ${duration(lag)} ago`
  return `sealer (${setting}): ${outcome} for ${duration(sinceMs)}${why}${caughtUp}\n`
}

function droppingLine({ days, ...bound }: NonNullable<HistoryState['dropping']>): string {
  const { since_slot: slot, since_ms: ms, dropped_swaps: swaps } = bound
  if (slot === 0) return `HISTORY_DAYS ${days}: no swap was dropped yet\n`
  const first = `slot ${slot} (${new Date(ms).toISOString()})`
  return `HISTORY_DAYS ${days}: ${counted(swaps, 'swap')} before ${first} dropped\n`
}

function foundBy({ damaged, segments, reason }: NonNullable<HistoryState['verification']>): string {
  if (damaged === 0) return `${counted(segments, 'segment')} whole`
  return `${counted(damaged, 'segment')} of ${grouped(segments)} damaged: ${reason}`
}

function holderLine({ kind, name, age_ms: ms, transactions }: SnapshotHolder): string {
  const age = ms === null ? '' : `${duration(ms)}, `
  return `  ${kind} ${name}: ${age}${counted(transactions, 'transaction')}\n`
}
