/** Sealed history: how much is sealed, how far, what the sealer waits for, and which snapshots retain deleted rows. */
import type { ComponentChildren } from 'preact'
import { counted } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import { lagText } from '../../format/time.ts'
import { Panel, States } from '../../layout/panel.tsx'
import type {
  HistoryVerification,
  SealedHistory,
  SealRun,
  SealWaits,
  SnapshotHolder,
} from '../answers.ts'
import { request } from '../parts/request.ts'
import { type Column, counts, countText, Table, times, utcText } from '../parts/table.tsx'

const RENEWED_MS = 10_000
/** The bounds of the alerts. */
const LAG_MS_MAX = 2 * 60 * 60_000
const REFUSED_MS_MAX = 30 * 60_000

export function HistoryPage() {
  const loaded = useLoaded(
    'sealed history',
    (signal) => request<SealedHistory>('/admin/v1/history', { signal }),
    { everyMs: RENEWED_MS },
  )
  return <States of={loaded}>{(state) => <Panels of={state} />}</States>
}

function Panels({ of: state }: { of: SealedHistory }) {
  return (
    <>
      <Panel title="Sealed swaps">
        <dl id="sealed" class="tiles wide">
          {figuresOf(state).map(([title, shown]) => (
            <div key={title} class="tile">
              <dt>{title}</dt>
              <dd>{shown}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel title="Sealer" note={lagOf(state.seal)}>
        <p id="sealer">{sealerOf(state.seal)}</p>
        <div id="waits">
          <Table
            rows={state.waits}
            columns={WAITS}
            keyOf={({ cause }) => cause}
            empty="No run of the sealer has waited."
            sortedBy="Newest (UTC)"
            isDescending
          />
        </div>
      </Panel>
      <Panel title="Verification">
        <p id="verification">{verificationOf(state.verification)}</p>
      </Panel>
      <Panel title="Oldest snapshots">
        <div id="holders">
          <Table
            rows={state.holders}
            columns={HOLDERS}
            keyOf={({ kind, name }) => `${kind} ${name}`}
            empty="No snapshot holds the space of sealed rows."
            sortedBy="Transactions since"
            isDescending
          />
        </div>
      </Panel>
    </>
  )
}

function figuresOf(state: SealedHistory): [title: string, shown: ComponentChildren][] {
  const { boundary_age_ms: ageMs, bytes_per_swap: bytes, last_slot: lastSlot } = state
  return [
    ['swaps', countText(state.sealed_swaps)],
    ['segments', countText(state.segments)],
    ['bytes a swap', bytes === null ? '-' : bytes.toFixed(1)],
    ['bytes', countText(state.bytes)],
    ['last sealed slot', countText(lastSlot)],
    ['its age', ageMs === null ? '-' : lagText(ageMs)],
    ['rows in the table up to it', countText(state.late_rows)],
    ['moved back to the table', countText(state.gone_rows)],
    ['newest seal (UTC)', utcText(state.sealed_at)],
    ...droppedFigures(state),
  ]
}

function droppedFigures({ dropping, refusals }: SealedHistory): [string, ComponentChildren][] {
  if (dropping === null) return []
  const refused = refusals.reduce((sum, each) => sum + each.refused, 0)
  return [
    ['HISTORY_DAYS', countText(dropping.days)],
    ['dropped swaps', countText(dropping.dropped_swaps)],
    ['first stored slot', dropping.since_slot === 0 ? '-' : countText(dropping.since_slot)],
    ['refused since', countText(refused)],
  ]
}

function sealerOf(seal: SealRun | null): ComponentChildren {
  if (seal === null) return 'It never ran.'
  const { hours, outcome, reason, since_age_ms: sinceMs } = seal
  const isRefusing = outcome === 'waits' || outcome === 'failed'
  const level = isRefusing ? (sinceMs > REFUSED_MS_MAX ? 'bad' : 'warn') : 'good'
  const setting = hours === null ? 'SEAL_AFTER_HOURS is not set.' : `SEAL_AFTER_HOURS is ${hours}.`
  return (
    <>
      <b class={level}>{outcome}</b> for {lagText(sinceMs)}
      {reason !== null && `: ${reason}`}. {setting}
    </>
  )
}

function lagOf(seal: SealRun | null): ComponentChildren {
  if (seal === null || seal.hours === null || seal.caught_up_age_ms === null) return undefined
  const lagMs = seal.caught_up_age_ms
  return (
    <span class={lagMs > LAG_MS_MAX ? 'bad' : undefined}>
      Nothing was left to seal {lagText(lagMs)} ago.
    </span>
  )
}

function verificationOf(found: HistoryVerification | null): ComponentChildren {
  if (found === null) return '"swaptide history verify" never ran.'
  const { damaged, segments, reason, ended_at: endedAt } = found
  if (damaged === 0) {
    return (
      <>
        <b class="good">whole</b>: {counted(segments, 'segment')}, {utcText(endedAt)} UTC.
      </>
    )
  }
  return (
    <>
      <b class="bad">{counted(damaged, 'segment')} damaged</b> of {segments}, {utcText(endedAt)}{' '}
      UTC: {reason}
    </>
  )
}

const CAUSES: Readonly<Record<SealWaits['cause'], string>> = {
  unpublished_commit: 'a commit of a pool lane is not published',
  pool_repair: 'a pool is being repaired',
  retraction: 'a retraction is not applied',
  waiting_session: 'another session waits for one of the rows',
  older_version: 'parts of an older version may run',
  other_sealer: 'another process seals',
}

const WAITS: readonly Column<SealWaits>[] = [
  { title: 'Cause', value: ({ cause }) => CAUSES[cause] },
  counts('Runs', ({ waits }) => waits),
  times('Newest (UTC)', ({ waited_at: at }) => at),
]

const HOLDERS: readonly Column<SnapshotHolder>[] = [
  { title: 'Held by', value: ({ kind }) => kind },
  { title: 'Name', value: ({ name }) => name },
  {
    title: 'Age',
    value: ({ age_ms: ageMs }) => ageMs,
    cell: ({ age_ms: ageMs }) => (ageMs === null ? '-' : lagText(ageMs)),
    class: 'num',
  },
  counts('Transactions since', ({ transactions }) => transactions),
]
