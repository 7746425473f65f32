/**
 * A source that is opened inside a slot: a block that was replaced meanwhile, or whose slot has none any more, is retracted
 * before the slot is yielded from its first event; one that is still there is continued.
 */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import type { Source, SourceBatch } from '../../../streams/sources/source.ts'
import { CASES } from '../../streams/sources/cases.ts'
import { printed } from '../../support/chain/read-through.ts'
import { poolOf } from '../../support/events/sample-event.ts'

const NEVER = new AbortController().signal
const OTHER = poolOf(1)
/** Events of the slot that were yielded before. */
const YIELDED = 2

async function readAll(source: Source, after?: string): Promise<SourceBatch[]> {
  const batches: SourceBatch[] = []
  for await (const batch of source.open(after, NEVER)) batches.push(batch)
  return batches
}

const eventsOf = (batches: readonly SourceBatch[]): Event[] =>
  batches.flatMap(({ events }) => [...events])

for (const name of ['backfill', 'rpc', 'geyser'] as const) {
  test(`${name} opened inside a slot retracts the part of a replaced block`, async (t) => {
    const { whole } = CASES[name]
    const batches = await readAll(await whole(t))
    const inMiddle = batches.slice(10)
    const full = inMiddle.find(({ link, events }) => link !== undefined && events.length > YIELDED)
    const skipped = inMiddle.find(({ link }) => link === undefined)
    t.truthy(full?.link)
    t.truthy(skipped)
    const open = async (blockhash: string, batch: SourceBatch | undefined) =>
      readAll(await whole(t), `${batch?.cursor}:${YIELDED}:${blockhash}`)
    const restFrom = (batch: SourceBatch | undefined): Event[] =>
      eventsOf(batches.slice(batches.indexOf(batch!)))

    const same = await open(full?.link?.blockhash ?? '', full)
    t.is(printed(eventsOf(same)), printed(restFrom(full).slice(YIELDED)))

    for (const batch of [full, skipped]) {
      const [first, ...rest] = await open(OTHER, batch)
      const slot = Number(batch?.cursor)
      t.deepEqual(first?.events, [{ kind: 'retract', retraction: { slot, blockhash: OTHER } }])
      t.is(first?.cursor, String(slot - 1))
      t.deepEqual(
        first?.notices.map(({ kind, at }) => [kind, at]),
        [['fork', String(slot)]],
      )
      t.is(printed(eventsOf(rest)), printed(restFrom(batch)))
      const again = await readAll(await whole(t), first?.cursor)
      t.is(printed(eventsOf(again)), printed(restFrom(batch)), 'after the retraction is stored')
    }
  })
}
