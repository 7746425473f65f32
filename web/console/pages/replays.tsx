/** Replays of stored events: started, watched, stopped. */
import { grouped } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import { Panel } from '../../layout/panel.tsx'
import type { Replay } from '../answers.ts'
import { ActionButton, ActionForm, type Fields } from '../parts/actions.tsx'
import { confirmed } from '../parts/confirmation.tsx'
import { say } from '../parts/notice.tsx'
import { DELETE, POST, request } from '../parts/request.ts'
import { type Column, counts, LoadedTable, times } from '../parts/table.tsx'

const REPLAYS = '/admin/v1/replays'
const RENEWED_MS = 2_000
const ENDED: ReadonlySet<Replay['state']> = new Set(['done', 'stopped', 'failed'])

export function ReplaysPage() {
  const replays = useLoaded('replays', (signal) => request<Replay[]>(REPLAYS, { signal }), {
    everyMs: RENEWED_MS,
  })
  const start = async (fields: Fields): Promise<void> => {
    const given = Object.entries(fields).map(([name, text]) => [name, text.trim()])
    const query = new URLSearchParams(given.filter(([, text]) => text !== ''))
    const started = await request<Replay>(`${REPLAYS}?${query}`, POST)
    say(`The replay to ${started.to_subject} is requested.`)
    replays.renew()
  }
  const actions: Column<Replay> = {
    title: '',
    cell: (replay) => <Action of={replay} renew={replays.renew} />,
    class: 'actions',
  }
  return (
    <>
      <Panel title="New replay">
        <NewReplay start={start} />
        <p class="quiet">
          Subjects: feed.&lt;venue&gt;.&lt;lane of the wallet&gt;.&lt;lane of the pool&gt;,
          committed events, and swap.&lt;venue&gt;.&lt;lane of the pool&gt;, ingested ones; * is any
          part, &gt; the rest. From and to: ISO 8601, Unix ms, or a sequence of the stream. Speed:
          times the pace of the events, or max.
        </p>
      </Panel>
      <Panel title="Replays">
        <LoadedTable
          of={replays}
          columns={[...COLUMNS, actions]}
          keyOf={({ id }) => id}
          empty="No replay yet."
          sortedBy="Requested (UTC)"
          isDescending
        />
      </Panel>
    </>
  )
}

function NewReplay({ start }: { start: (fields: Fields) => Promise<void> }) {
  return (
    <ActionForm submitText="Start" submit={start} staysFilled>
      <label class="wide">
        Subject{' '}
        <input
          name="subject"
          maxlength={200}
          placeholder="all committed events"
          spellcheck={false}
        />
      </label>
      <label>
        From <input name="from" maxlength={40} placeholder="the beginning" spellcheck={false} />
      </label>
      <label>
        To <input name="to" maxlength={40} placeholder="now" spellcheck={false} />
      </label>
      <label>
        Speed <input name="speed" required maxlength={20} defaultValue="max" />
      </label>
      <label class="wide">
        To subject <input name="to_subject" required maxlength={200} spellcheck={false} />
      </label>
    </ActionForm>
  )
}

function Action({ of: { id, state }, renew }: { of: Replay; renew: () => void }) {
  const end = async (): Promise<void> => {
    await request(`${REPLAYS}/${id}`, DELETE)
    renew()
  }
  const stop = async (): Promise<void> => {
    if (!(await confirmed('Stop this replay?', 'Stop'))) return
    await end()
    say('The replay stops within a second.')
  }
  if (ENDED.has(state)) return <ActionButton text="Forget" work={end} />
  return <ActionButton text="Stop" work={stop} isDangerous />
}

const STATE_CLASSES: Readonly<Partial<Record<Replay['state'], string>>> = {
  running: 'good',
  paused: 'warn',
  failed: 'bad',
}

const COLUMNS: readonly Column<Replay>[] = [
  times('Requested (UTC)', ({ asked_at: at }) => at),
  {
    title: 'Subject',
    value: ({ subject }) => subject,
    cell: ({ subject, from, to }) => (
      <>
        <code>{subject}</code>
        <span class="quiet">
          {from === null && to === null ? '' : ` ${from ?? ''} .. ${to ?? ''}`}
        </span>
      </>
    ),
  },
  {
    title: 'To subject',
    value: ({ to_subject: subject }) => subject,
    cell: ({ to_subject: subject }) => <code>{subject}</code>,
  },
  {
    title: 'Speed',
    value: ({ speed }) => speed ?? Number.POSITIVE_INFINITY,
    cell: ({ speed }) => speed ?? 'max',
    class: 'num',
  },
  {
    title: 'State',
    value: ({ state }) => state,
    cell: ({ state }) => <span class={STATE_CLASSES[state] ?? 'quiet'}>{state}</span>,
  },
  counts('Events', ({ events }) => events),
  { title: 'Place', value: progressOf },
  {
    title: 'Failure',
    value: ({ failure }) => failure,
    cell: ({ failure }) => failure,
    class: 'reason',
  },
]

function progressOf({ phase, slot, sequence, end_sequence: last }: Replay): string {
  if (phase === 'tables') return `tables, slot ${grouped(slot ?? 0)}`
  if (phase !== 'stream') return phase
  const end = last === null ? '' : ` of ${grouped(last)}`
  return `stream, message ${grouped(sequence ?? 0)}${end}`
}
