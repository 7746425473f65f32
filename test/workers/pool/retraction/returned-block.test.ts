/**
 * A block that returns after it was retracted: it stays out, and the repair that docs/sources.md names lets it in.
 */
import test from 'ava'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { verify } from '../../../../workers/verify/verify.ts'
import { poolOf, SWAP, swapEvent } from '../../../support/events/sample-event.ts'
import { readText } from '../../../support/sources.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const SLOT = 70_000
const [RETURNED, OTHER] = [poolOf(1_001), poolOf(1_002)]
const ACTORS = ['pool', 'ledger']

const blockOf = (slot: number, blockhash: string | undefined) =>
  Array.from({ length: 9 }, (_, n) =>
    swapEvent({
      pairAddress: poolOf(n),
      slot,
      blockhash,
      timestamp: SWAP.timestamp + 400 * (slot - SLOT),
      signature: encodeBase58(new Uint8Array(64).fill(1 + n + (slot === SLOT ? 0 : 50))),
      solAmount: blockhash === OTHER ? 30_000 : 20_000,
    }),
  )

async function hashesOf({ db, recording }: Pipeline) {
  const { tables, clean } = await verify(db, { log: recording.log })
  return { clean, hashes: tables.map(({ name, rows, stored }) => `${name} ${rows} ${stored}`) }
}

const retract = (blockhash: string) => ({
  kind: 'retract' as const,
  retraction: { slot: SLOT, blockhash },
})

test('a block that returns stays out until an operator deletes its retraction', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const worker = await runWorker(t, pipeline, { actors: ACTORS })
  await publishAll(pipeline, [...blockOf(SLOT, RETURNED), ...blockOf(SLOT + 1, poolOf(1_003))])
  await untilLedgerCaughtUp(pipeline)
  const before = await hashesOf(pipeline)
  t.true(before.clean)
  // The chain switches to the other block of the slot, and back.
  for (const [gone, came] of [
    [RETURNED, OTHER],
    [OTHER, RETURNED],
  ] as const) {
    await publishAll(pipeline, [retract(gone)])
    await publishAll(pipeline, blockOf(SLOT, came))
    await untilLedgerCaughtUp(pipeline)
  }
  const out = await hashesOf(pipeline)
  t.true(out.clean)
  const { rowCount } = await db.query('select from swap where slot = $1', [SLOT])
  t.is(rowCount, 0, 'the limit')

  await worker.stop()
  for (const statement of documentedRepair(SLOT)) await db.query(statement)
  await runWorker(t, pipeline, { actors: ACTORS })
  // `decode` prints lines that name no block.
  await publishAll(pipeline, blockOf(SLOT, undefined))
  await untilLedgerCaughtUp(pipeline)
  t.deepEqual(await hashesOf(pipeline), before)
})

/** The statements of the page, for a slot. */
function documentedRepair(slot: number): string[] {
  const statements = readText('docs/sources.md').match(/^delete from retraction\w* .+;$/gm) ?? []
  if (statements.length === 0) throw new Error('docs/sources.md names no statements')
  return statements.map((text) => text.replace(/\d+/, String(slot)))
}
