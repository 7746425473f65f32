/** Lanes and their lag, queues of jobs, and what waits for an operator. */
import type { ComponentChildren } from 'preact'
import { grouped } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import { exactFigure } from '../../format/number.ts'
import { lagText } from '../../format/time.ts'
import { Panel, States } from '../../layout/panel.tsx'
import { Num } from '../../layout/values.tsx'
import type { Lane, Queue } from '../answers.ts'
import { request, requestAnswer } from '../parts/request.ts'
import { type Column, counts, LoadedTable, utcText } from '../parts/table.tsx'

const RENEWED_MS = 2_000

export function LanesPage() {
  const lanes = useLoaded('lanes', (signal) => request<Lane[]>('/admin/v1/lanes', { signal }), {
    everyMs: RENEWED_MS,
  })
  const queues = useLoaded('queues', (signal) => request<Queue[]>('/admin/v1/queues', { signal }), {
    everyMs: RENEWED_MS,
  })
  const letters = useLoaded(
    'waiting letters',
    (signal) => requestAnswer<{ waiting: number }>('/admin/v1/dead-letters?limit=1', { signal }),
    { everyMs: RENEWED_MS },
  )
  return (
    <>
      <dl id="tiles" class="tiles">
        <Tile title="messages lagging" count={sumOf(lanes.value, ({ lag }) => lag)} />
        <Tile
          title="lanes without an owner"
          count={sumOf(lanes.value, ({ owner }) => (owner === null ? 1 : 0))}
          class="bad"
        />
        <Tile title="dead letters that wait" count={letters.value?.waiting} class="warn" />
        <Tile
          title="jobs that failed"
          count={sumOf(queues.value, ({ failed }) => failed)}
          class="warn"
        />
      </dl>
      <States of={letters} rows={0}>
        {() => null}
      </States>
      <Panel title="Lanes">
        <div id="lanes">
          <LoadedTable
            of={lanes}
            columns={LANES}
            keyOf={({ actor, lane }) => `${actor} ${lane}`}
            empty="No lane: has a worker ever run?"
            sortedBy="Actor"
          />
        </div>
      </Panel>
      <Panel title="Jobs">
        <div id="queues">
          <LoadedTable
            of={queues}
            columns={QUEUES}
            keyOf={({ name }) => name}
            empty="No queue of jobs."
            sortedBy="Job"
          />
        </div>
      </Panel>
    </>
  )
}

function sumOf<Row>(
  rows: readonly Row[] | undefined,
  of: (row: Row) => number,
): number | undefined {
  return rows?.reduce((sum, row) => sum + of(row), 0)
}

type TileProps = {
  title: string
  /** Absent: not known. */
  count: number | undefined
  /** Colour of a count other than 0. */
  class?: 'bad' | 'warn'
}

function Tile({ title, count, class: name }: TileProps) {
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd class={count ? name : undefined}>
        <Num value={count} as={exactFigure} />
      </dd>
    </div>
  )
}

/** Heads are read before the commits: a lane may be past its head. */
const headOf = ({ head, sequence }: Lane): number => Math.max(head, sequence)

const LANES: readonly Column<Lane>[] = [
  { title: 'Actor', value: ({ actor }) => actor },
  { title: 'Lane', value: ({ lane }) => lane, class: 'num' },
  {
    title: 'Owner',
    value: ({ owner }) => owner,
    cell: ({ owner }) => (owner === null ? <span class="bad">nobody</span> : <code>{owner}</code>),
  },
  counts(
    'Behind',
    ({ lag }) => lag,
    ({ lag }) => <b class={lag === 0 ? 'good' : 'warn'}>{grouped(lag)}</b>,
  ),
  counts('Committed', ({ sequence }) => sequence),
  counts('Head', headOf),
  {
    title: 'Last commit',
    value: ({ age_ms: ageMs }) => ageMs,
    cell: ({ age_ms: ageMs }) => (ageMs === null ? 'never' : `${lagText(ageMs)} ago`),
    class: 'num',
  },
]

const QUEUES: readonly Column<Queue>[] = [
  {
    title: 'Job',
    value: ({ name }) => name,
    cell: ({ name }) => <a href={`/admin/queues/queue/${name}`}>{name}</a>,
  },
  counts('Waiting', ({ waiting }) => waiting),
  counts('Active', ({ active }) => active),
  counts('Delayed', ({ delayed }) => delayed),
  counts(
    'Failed',
    ({ failed }) => failed,
    ({ failed }) => (failed > 0 ? <b class="bad">{grouped(failed)}</b> : '0'),
  ),
  {
    title: 'Newest failure',
    value: ({ newest_failure: newest }) => newest?.failed_at,
    cell: failureOf,
    class: 'reason',
  },
]

function failureOf({ newest_failure: newest }: Queue): ComponentChildren {
  if (newest === null) return null
  return (
    <>
      <span class="quiet">{utcText(newest.failed_at)} </span>
      {newest.reason}
    </>
  )
}
