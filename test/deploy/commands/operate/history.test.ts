/** `swaptide history`: what operators see, seal and verify. */
import test from 'ava'
import { compareSwaps, type Swap } from '../../../../domain/events/swap.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { adversarialEvents } from '../../../simulation/adversary.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { openPipeline, type Pipeline } from '../../../support/workers/pipeline.ts'

const ALL = ['history', 'seal', '--all', '--json']

async function storeSwaps(pipeline: Pipeline): Promise<number> {
  const events = adversarialEvents({ prng: new Prng([7, 7]), run: 7 }, 400)
  const swaps = new Map<string, Swap>()
  for (const event of events) {
    if (event.kind !== 'swap') continue
    swaps.set(`${event.swap.signature} ${event.swap.pairAddress} ${event.swap.ixIndex}`, event.swap)
  }
  await insertSwaps(pipeline.db, [...swaps.values()].sort(compareSwaps))
  return swaps.size
}

test('swaps are sealed on command, shown and verified, and damage is named', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const settings = settingsOf(pipeline)
  const stored = await storeSwaps(pipeline)
  const none = await runHere(['history', 'status'], settings)
  t.is(none.stdout, 'no swap is sealed\n')
  const unset = await runHere(['history', 'seal'], settings)
  t.regex(unset.stderr, /needs --to-slot S or --all where SEAL_AFTER_HOURS is not set/)
  const sealed = await runHere(ALL, settings)
  t.is(sealed.code, 0, sealed.stderr)
  const { swaps } = JSON.parse(sealed.stdout) as { swaps: number }
  const { rows } = await db.query<{ hot: number }>('select count(*)::integer as hot from swap')
  t.is(swaps + rows[0]!.hot, stored)
  const status = await runHere(['history', 'status', '--json'], settings)
  t.is((JSON.parse(status.stdout) as { sealed_swaps: number }).sealed_swaps, swaps)
  const whole = await runHere(['history', 'verify'], settings)
  t.is(whole.code, 0, whole.stdout)
  await db.query(`
    update swap_block set bytes = set_byte(bytes, 40, 255 - get_byte(bytes, 40))
    where (segment_id, first_row) = (select segment_id, max(first_row) from swap_block group by segment_id limit 1)
  `)
  const damaged = await runHere(['history', 'verify'], settings)
  t.is(damaged.code, 1)
  t.regex(damaged.stdout, /block \d+ of segment \d+ is damaged: its checksum is/)
})

test('swaps older than SEAL_AFTER_HOURS are sealed, once no older version can run', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const settings = { ...settingsOf(pipeline), SEAL_AFTER_HOURS: '1' }
  await storeSwaps(pipeline)
  const removal = '0021_contract_whales_of_fifty_sol.sql'
  await db.query("update migration set name = 'waiting' where name = $1", [removal])
  const waiting = await runHere(['history', 'seal'], settings)
  t.is(waiting.code, 1)
  t.regex(waiting.stdout, /the rest waits: parts of an older version may run until/)
  await db.query("update migration set name = $1 where name = 'waiting'", [removal])
  const sealed = await runHere(['history', 'seal'], settings)
  t.is(sealed.code, 0, sealed.stdout + sealed.stderr)
  t.regex(sealed.stdout, /sealed [\d,]+ swaps in \d+ segments?/)
})
