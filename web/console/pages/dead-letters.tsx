/** Events that an actor refused: read, and sent again. */
import { useSignal } from '@preact/signals'
import { counted, grouped } from '../../../domain/text/plural.ts'
import { useLoaded } from '../../client/loaded.ts'
import type { DeadLetter, SentLetters } from '../answers.ts'
import { ActionButton } from '../parts/actions.tsx'
import { confirmed } from '../parts/confirmation.tsx'
import { say } from '../parts/notice.tsx'
import { type PageOf, POST, request, requestAnswer } from '../parts/request.ts'
import { type Column, LoadedTable, times, utcText } from '../parts/table.tsx'

const LETTERS = '/admin/v1/dead-letters'
const PAGE_ROWS = 100
/** The most that one request returns. */
const REQUEST_ROWS = 1_000

type Letters = PageOf<DeadLetter> & { waiting: number }

export function DeadLettersPage() {
  const state = useSignal('all')
  const wanted = useSignal(PAGE_ROWS)
  const letters = useLoaded(`letters ${state.value}`, (signal) =>
    readLetters(state.value, wanted.value, signal),
  )
  const { value, renew } = letters
  const retryAll = async (): Promise<void> => {
    if (!(await confirmed('Send all dead letters that wait again?', 'Send again'))) return
    const { sent, waiting } = await request<SentLetters>(`${LETTERS}/retry`, POST)
    const count = counted(sent.length, 'dead letter')
    say(`Sent again: ${count}. ${grouped(waiting)} left to send.`)
    renew()
  }
  return (
    <section class="panel">
      <div class="row">
        <label>
          Show{' '}
          <select
            id="state"
            value={state.value}
            onChange={(event) => {
              wanted.value = PAGE_ROWS
              state.value = event.currentTarget.value
            }}
          >
            <option value="all">all</option>
            <option value="waiting">those that wait</option>
          </select>
        </label>
        <ActionButton
          text="Retry all that wait"
          work={retryAll}
          isDisabled={value === undefined || value.waiting === 0}
        />
        <span class="quiet">
          {value !== undefined && `${grouped(value.waiting)} wait to be sent again`}
        </span>
      </div>
      <LoadedTable
        of={{ ...letters, value: value?.data }}
        columns={[...COLUMNS, { title: '', cell: (row) => retryOf(row, renew), class: 'actions' }]}
        keyOf={({ id }) => id}
        empty="No dead letters: every event was taken."
        sortedBy="Id"
        isDescending
      />
      {value !== undefined && value.next_cursor !== null && (
        <button
          type="button"
          class="button"
          onClick={() => {
            wanted.value += PAGE_ROWS
            renew()
          }}
        >
          Load more
        </button>
      )}
    </section>
  )
}

/** The newest dead letters, as many as are wanted where there are as many. */
async function readLetters(state: string, wanted: number, signal: AbortSignal): Promise<Letters> {
  const rows: DeadLetter[] = []
  for (let cursor = ''; ; ) {
    const limit = Math.min(wanted - rows.length, REQUEST_ROWS)
    const query = new URLSearchParams({ state, limit: String(limit) })
    if (cursor !== '') query.set('cursor', cursor)
    const page = await requestAnswer<Letters>(`${LETTERS}?${query}`, { signal })
    rows.push(...page.data)
    if (rows.length >= wanted || page.next_cursor === null) return { ...page, data: rows }
    cursor = page.next_cursor
  }
}

function retryOf(letter: DeadLetter, renew: () => void) {
  if (wordOf(letter) !== WAITS) return null
  const { id } = letter
  const retry = async (): Promise<void> => {
    await request(`${LETTERS}/${id}/retry`, POST)
    say(`Dead letter ${id} was sent again. An event that is refused again gets a new id.`)
    renew()
  }
  return <ActionButton text="Retry" work={retry} />
}

const WAITS = 'waits'

/** A dead letter of FEED does not wait: its events are counted from the tables. */
function wordOf({ actor, retried_at: retriedAt }: DeadLetter): string {
  if (actor !== 'pool') return 'counted'
  return retriedAt === null ? WAITS : `sent ${utcText(retriedAt)}`
}

const COLUMNS: readonly Column<DeadLetter>[] = [
  { title: 'Id', value: ({ id }) => id, class: 'num' },
  { title: 'Actor', value: ({ actor }) => actor },
  { title: 'Lane', value: ({ lane }) => lane, class: 'num' },
  { title: 'Reason', value: ({ reason }) => reason, class: 'reason' },
  {
    title: 'Message',
    value: ({ sequence }) => sequence,
    cell: ({ subject, sequence, part }) => (
      <code title={subject}>
        {sequence}.{part}
      </code>
    ),
    class: 'num',
  },
  { title: 'Bytes', value: ({ payload_bytes: bytes }) => bytes, class: 'num' },
  times('Refused (UTC)', ({ created_at: at }) => at),
  {
    title: 'State',
    value: (letter) => letter.retried_at ?? wordOf(letter),
    cell: (letter) => {
      const word = wordOf(letter)
      return <span class={word === WAITS ? 'warn' : 'quiet'}>{word}</span>
    },
  },
]
