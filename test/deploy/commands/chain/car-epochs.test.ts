/** `swaptide backfill --car` over the end of an epoch: a range is read from two files, as if they were one. */
import test, { type ExecutionContext } from 'ava'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { carOf } from '../../../support/chain/car/car-form.ts'
import { type CarWriterOptions, slotRangesFile } from '../../../support/chain/car/car-writer.ts'
import { RangeServer } from '../../../support/chain/car/range-server.ts'
import { eventsOfChain, makeChain, type ServedChain } from '../../../support/chain/served-chain.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { openPipeline, readSwap } from '../../../support/workers/pipeline.ts'

const EPOCH_SLOTS = 432_000
const EPOCH = 660
const SEAM = EPOCH * EPOCH_SLOTS
const lines = (events: readonly Parameters<typeof printEvent>[0][]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()

/** Slots of both epochs; those next to the seam that are named have no block. */
function chainOver(skipped: readonly number[] = []): ServedChain {
  const chain = makeChain({ from: SEAM - 20, slots: 40, transactions: 10, skipShare: 0 })
  for (const slot of skipped) removeBlock(chain, slot)
  return chain
}

/** The next block follows the one before it. */
function removeBlock({ blocks }: ServedChain, slot: number): void {
  const removed = blocks.get(slot)
  if (removed === undefined) return
  blocks.delete(slot)
  const { parentSlot, previousBlockhash } = removed
  for (const [each, block] of blocks) {
    if (block.parentSlot === slot) blocks.set(each, { ...block, parentSlot, previousBlockhash })
  }
}

type Epochs = { first?: CarWriterOptions; hasRanges?: boolean }

async function open(
  t: ExecutionContext,
  chain: ServedChain,
  { first, hasRanges = false }: Epochs = {},
) {
  const files = new Map<string, Buffer>()
  for (const epoch of [EPOCH - 1, EPOCH]) {
    const own = [...chain.blocks].filter(([slot]) => Math.floor(slot / EPOCH_SLOTS) === epoch)
    const car = carOf({ ...chain, blocks: new Map(own) }, epoch === EPOCH ? {} : first)
    files.set(`${epoch}/epoch-${epoch}.car`, car.bytes)
    if (hasRanges) files.set(`${epoch}/epoch-${epoch}-slot-ranges.raw`, slotRangesFile(car, epoch))
  }
  const server = await RangeServer.start(files)
  t.teardown(() => server.stop())
  const pipeline = await openPipeline(t)
  const range = ['--from', String(chain.from), '--to', String(chain.to)]
  return {
    ...{ server, pipeline, settings: settingsOf(pipeline) },
    argv: ['backfill', '--car', server.url, ...range],
    runs: async () =>
      (await listCoverage(pipeline.db)).map(({ from, to, source }) => ({ from, to, source })),
  }
}

const wholeOf = ({ from, to }: ServedChain) => [
  { from, to: from, source: 'car-by-slot' },
  { from: from + 1, to, source: 'car' },
]

const SKIPPED = [
  ['no slot', []],
  ['the last slots of the first epoch', [SEAM - 3, SEAM - 2, SEAM - 1]],
  ['the first slots of the second epoch', [SEAM, SEAM + 1]],
  ['slots of both epochs', [SEAM - 2, SEAM - 1, SEAM, SEAM + 1]],
] as const

for (const [name, skipped] of SKIPPED) {
  test(`a range over two epochs is one run, where ${name} next to the seam was skipped`, async (t) => {
    const chain = chainOver(skipped)
    for (const hasRanges of [false, true]) {
      const { argv, settings, pipeline, runs } = await open(t, chain, { hasRanges })
      const { code, stdout, stderr } = await runHere(argv, settings)
      t.is(code, 0, stderr)
      t.true(stdout.startsWith(`40 slots, ${40 - chain.blocks.size} of them skipped`), stdout)
      t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
      t.deepEqual(await runs(), wholeOf(chain))
    }
  })
}

test('a backfill that is killed at the seam of two epochs loses and doubles nothing', async (t) => {
  const chain = chainOver([SEAM - 1])
  const { argv, settings, pipeline, runs, server } = await open(t, chain)
  for (const epoch of [EPOCH, EPOCH - 1]) {
    const child = startCommand(argv, settings)
    const ran = finished(child)
    server.disturb = ({ path }) => {
      if (path.startsWith(`${epoch}/`) && path.endsWith('.car')) child.kill('SIGKILL')
      return 'short'
    }
    await ran
  }
  server.disturb = undefined
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 0, stderr)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  const covered = await runs()
  t.is(covered.at(-1)?.to, chain.to)
  const slots = covered.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  t.is(slots, 40)
})

test('a first file that does not end with its root proves nothing of the slots up to the next epoch', async (t) => {
  const chain = chainOver()
  const { argv, settings, pipeline } = await open(t, chain, {
    first: { header: 'empty', subsets: 'none' },
  })
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 1)
  t.regex(stderr, new RegExp(`epoch-${EPOCH - 1}.car from .* ends after slot ${SEAM - 1}`))
  t.true((await listCoverage(pipeline.db)).every(({ to }) => to < SEAM))
})

test('a second file that begins after a block which neither holds is refused with its slot', async (t) => {
  const chain = chainOver()
  const { argv, settings, server } = await open(t, chain)
  const lacking = chainOver()
  lacking.blocks.delete(SEAM)
  const own = [...lacking.blocks].filter(([slot]) => slot >= SEAM)
  server.files.set(`${EPOCH}/epoch-${EPOCH}.car`, carOf({ ...lacking, blocks: new Map(own) }).bytes)
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 1)
  t.regex(stderr, new RegExp(`its parent, slot ${SEAM}, is missing`))
})
