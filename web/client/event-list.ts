/**
 * The newest events of a list: read once by REST, then continued by the feed from the cursor of that answer, so that each
 * event is in it once. A retraction removes its event. A page of an earlier slot has the list of then, which nothing continues.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { OperationId } from '../../clients/typescript/request.ts'
import { subscribe } from './feed.ts'
import { type Figures, type Read, useFigures } from './slot/figures.ts'

type EventListOptions<Row, Event> = {
  load: (read: Read) => Promise<{ data: Row[]; feed_cursor: string | null }>
  channel: 'swaps' | 'pool_events'
  filter: Readonly<Record<string, unknown>>
  /** Undefined: the event is not part of the list. */
  rowOf: (event: Event) => Row | undefined
  isSame: (one: Row, other: Row) => boolean
  rowsMax: number
}

/** `id`: the route of the list; `key`: names list and filter. Rows are the newest first. */
export function useEventList<Row, Event extends { kind: string }>(
  id: OperationId,
  key: string,
  options: EventListOptions<Row, Event>,
): Figures<Row[]> {
  const { load, channel, filter, rowOf, isSame, rowsMax } = options
  const rows = useSignal<Row[] | undefined>(undefined)
  const lost = useSignal(0)
  const listed = useFigures(id, key === '' ? '' : `${key} ${lost.value}`, load)
  const { value } = listed
  useEffect(() => {
    rows.value = value?.data.slice(0, rowsMax)
    if (value === undefined || value.feed_cursor === null) return
    return subscribe({
      channel,
      filter,
      cursor: value.feed_cursor,
      onFrame: (events) => {
        rows.value = applied(events as Event[], rows.value ?? [], { rowOf, isSame, rowsMax })
      },
      onLost: () => {
        lost.value += 1
      },
    })
  }, [value])
  return { ...listed, value: rows.value }
}

type Applying<Row, Event> = Pick<EventListOptions<Row, Event>, 'rowOf' | 'isSame' | 'rowsMax'>

function applied<Row, Event extends { kind: string }>(
  events: readonly Event[],
  rows: readonly Row[],
  { rowOf, isSame, rowsMax }: Applying<Row, Event>,
): Row[] {
  let result = [...rows]
  for (const event of events) {
    const row = rowOf(event)
    if (row === undefined) continue
    if (event.kind === 'retract') result = result.filter((other) => !isSame(other, row))
    else result.unshift(row)
  }
  return result.slice(0, rowsMax)
}
