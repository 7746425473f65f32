/**
 * `swaptide ingest FILE.car` and `swaptide backfill --car` with real servers: what a CAR file holds comes in once, coverage
 * names the file as the source of its slots, and damage, kills and gaps are seen.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { carBlockOf, carOf } from '../../../support/chain/car/car-form.ts'
import { slotRangesFile, writeCar } from '../../../support/chain/car/car-writer.ts'
import { RangeServer } from '../../../support/chain/car/range-server.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  type Json,
  makeChain,
  type ServedBlock,
} from '../../../support/chain/served-chain.ts'
import { WrittenChain } from '../../../support/chain/written-chain.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { openPipeline, readSwap, untilCaughtUp } from '../../../support/workers/pipeline.ts'

const SLOTS = 60
const EPOCH = Math.floor(FIRST_SLOT / 432_000)
const RANGE = ['--from', String(FIRST_SLOT), '--to', String(FIRST_SLOT + SLOTS - 1)]
const CHAIN = makeChain({ slots: SLOTS, transactions: 30 })
const CAR = carOf(CHAIN)

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()
const EXPECTED = lines(eventsOfChain(CHAIN))
const SWAPS = eventsOfChain(CHAIN).filter(({ kind }) => kind === 'swap').length

async function folderOf(t: ExecutionContext, files: Record<string, Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-car-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return folder
}

async function open(t: ExecutionContext) {
  const pipeline = await openPipeline(t)
  return { pipeline, settings: settingsOf(pipeline) }
}

/** The first block of a file is linked only by its parent's slot. */
const COVERED = [
  { from: FIRST_SLOT, to: FIRST_SLOT, source: 'car-by-slot' },
  { from: FIRST_SLOT + 1, to: CHAIN.to, source: 'car' },
]

async function coverageOf({ db }: Awaited<ReturnType<typeof open>>['pipeline']) {
  const covered = await listCoverage(db)
  const swaps = covered.reduce((sum, each) => sum + each.swaps, 0)
  return { swaps, runs: covered.map(({ from, to, source }) => ({ from, to, source })) }
}

test('ingest reads a file, a packed one and standard input, and records their slots', async (t) => {
  const { pipeline, settings } = await open(t)
  const folder = await folderOf(t, {
    'epoch.car': CAR.bytes,
    'epoch.car.zst': zstdCompressSync(CAR.bytes),
  })
  const first = await runHere(['ingest', '--no-wait', join(folder, 'epoch.car')], settings)
  t.is(first.code, 0, first.stderr)
  t.regex(
    first.stderr,
    new RegExp(`epoch.car: ${SLOTS} slots, \\d+ of them skipped; left out: \\d+`),
  )
  t.deepEqual(lines(await readSwap(pipeline)), EXPECTED)
  t.deepEqual(await coverageOf(pipeline), { swaps: SWAPS, runs: COVERED })
  const packed = await runHere(['ingest', '--no-wait', join(folder, 'epoch.car.zst')], settings)
  t.is(packed.code, 0, packed.stderr)
  const child = startCommand(['ingest', '--no-wait', '--format', 'car', '-'], settings)
  const piped = finished(child, CAR.bytes as unknown as string)
  t.is((await piped).code, 0, (await piped).stderr)
  t.deepEqual(lines(await readSwap(pipeline)), EXPECTED)
  t.deepEqual(await coverageOf(pipeline), { swaps: SWAPS, runs: COVERED })
})

test('a damaged or cut file is reported with its byte and slot, and everything before it is stored', async (t) => {
  const { pipeline, settings } = await open(t)
  const damaged = Buffer.from(CAR.bytes)
  const row = CAR.rows.get(CHAIN.to) ?? { start: 0, length: 0 }
  damaged[row.start + 200] = (damaged[row.start + 200] as number) ^ 1
  const cut = CAR.bytes.subarray(0, row.start + 300)
  const folder = await folderOf(t, {
    'damaged.car': damaged,
    'cut.car': cut,
    'whole.car': CAR.bytes,
  })
  const before = [...CHAIN.blocks.keys()].at(-2)
  for (const name of ['damaged.car', 'cut.car']) {
    const { code, stderr } = await runHere(['ingest', '--no-wait', join(folder, name)], settings)
    t.is(code, 1)
    t.regex(stderr, new RegExp(`${name}: byte \\d+, after slot ${before}: `))
  }
  const stored = lines(await readSwap(pipeline))
  t.deepEqual(stored, lines(eventsOfChain(CHAIN, FIRST_SLOT, before)))
  t.is((await coverageOf(pipeline)).runs.at(-1)?.to, before)
  const whole = await runHere(['ingest', '--no-wait', join(folder, 'whole.car')], settings)
  t.is(whole.code, 0, whole.stderr)
  t.deepEqual(lines(await readSwap(pipeline)), EXPECTED)
})

test('only a file that was read to its end has none left out', async (t) => {
  const { settings } = await open(t)
  const { bytes, rows } = carOf(makeChain({ slots: 4, transactions: 0, skipShare: 0 }))
  const end = Math.max(...Array.from(rows.values(), ({ start }) => start))
  const folder = await folderOf(t, { 'cut.car': bytes.subarray(0, end + 1), 'whole.car': bytes })
  const cut = await runHere(['ingest', '--no-wait', join(folder, 'cut.car')], settings)
  t.is(cut.code, 1)
  t.regex(cut.stderr, /cut\.car: [23] slots, \d of them skipped$/m)
  const whole = await runHere(['ingest', '--no-wait', join(folder, 'whole.car')], settings)
  t.regex(whole.stderr, /whole\.car: [34] slots, \d of them skipped; none left out$/m)
})

test('backfill reads a range from a folder, by the list of slots or without it, and a covered one not again', async (t) => {
  const { pipeline, settings } = await open(t)
  const name = `epoch-${EPOCH}`
  const folder = await folderOf(t, {
    [`${name}.car`]: CAR.bytes,
    [`${name}-slot-ranges.raw`]: slotRangesFile(CAR, EPOCH),
  })
  const middle = FIRST_SLOT + 30
  const late = ['--from', String(middle), '--to', String(CHAIN.to)]
  const second = await runHere(['backfill', '--car', folder, ...late], settings)
  t.is(second.code, 0, second.stderr)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(CHAIN, middle)))
  await rm(join(folder, `${name}-slot-ranges.raw`))
  const rest = await runHere(['backfill', '--car', folder, ...RANGE], settings)
  t.is(rest.code, 0, rest.stderr)
  t.regex(rest.stdout, /30 slots covered before/)
  t.deepEqual(lines(await readSwap(pipeline)), EXPECTED)
  const { runs, swaps } = await coverageOf(pipeline)
  t.is(swaps, SWAPS)
  t.deepEqual(runs, COVERED)
  const beyond = ['--from', String(CHAIN.to), '--to', String((EPOCH + 1) * 432_000 + 5)]
  const missing = await runHere(['backfill', '--car', folder, ...beyond], settings)
  t.is(missing.code, 1)
  t.regex(missing.stderr, new RegExp(`has no file of epoch ${EPOCH + 1}: expected`))
})

test('backfill over HTTP repeats what may pass, and ends with what does not', async (t) => {
  const { pipeline, settings } = await open(t)
  const car = `${EPOCH}/epoch-${EPOCH}.car`
  const ranges = `${EPOCH}/epoch-${EPOCH}-slot-ranges.raw`
  const files = new Map([
    [car, CAR.bytes],
    [ranges, slotRangesFile(CAR, EPOCH)],
  ])
  const server = await RangeServer.start(files)
  t.teardown(() => server.stop())
  const faults = ['whole', 'elsewhere', 'changed', 'packed', 403, 302] as const
  for (const fault of faults) {
    // A file has changed where its version is another one than that of the range before.
    server.disturb = ({ path, attempt }) => {
      if (path !== car) return undefined
      return fault === 'changed' && attempt % 2 === 0 ? 'short' : fault
    }
    server.requests.length = 0
    const { code, stderr } = await runHere(['backfill', '--car', server.url, ...RANGE], settings)
    t.is(code, 1, String(fault))
    t.regex(stderr, new RegExp(`${car} from byte \\d+ on from 127`), String(fault))
  }
  server.requests.length = 0
  const passing = ['reset', 'short', 503, 429, undefined] as const
  server.disturb = ({ attempt }) => passing[attempt % passing.length]
  const { code, stderr } = await runHere(['backfill', '--car', server.url, ...RANGE], settings)
  t.is(code, 0, stderr)
  // Each fault came once at least.
  t.true(server.requests.length > passing.length, `${server.requests.length} requests`)
  t.deepEqual(lines(await readSwap(pipeline)), EXPECTED)
  t.deepEqual((await coverageOf(pipeline)).swaps, SWAPS)
})

test('a backfill that is killed again and again stores each swap once', async (t) => {
  const { pipeline, settings } = await open(t)
  const files = new Map([[`${EPOCH}/epoch-${EPOCH}.car`, CAR.bytes]])
  const server = await RangeServer.start(files)
  t.teardown(() => server.stop())
  const argv = ['backfill', '--car', server.url, ...RANGE]
  for (let kill = 1; kill <= 3; kill++) {
    const child = startCommand(argv, settings)
    const ran = finished(child)
    server.requests.length = 0
    server.disturb = ({ path, attempt }) => {
      if (!path.endsWith('.car')) return undefined
      if (attempt === kill) child.kill('SIGKILL')
      return 'short'
    }
    await ran
  }
  server.disturb = undefined
  const last = await runHere(argv, settings)
  t.is(last.code, 0, last.stderr)
  t.deepEqual(lines(await readSwap(pipeline)), EXPECTED)
  t.is((await coverageOf(pipeline)).swaps, SWAPS)
})

test('with a node the first block is linked by hash, and must be the one that the node has', async (t) => {
  const { pipeline, settings } = await open(t)
  const folder = await folderOf(t, { [`epoch-${EPOCH}.car`]: CAR.bytes })
  const node = await startRpcServer(CHAIN)
  t.teardown(() => node.stop())
  const argv = ['backfill', '--car', folder, '--rpc', node.url, ...RANGE]
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 0, stderr)
  t.deepEqual((await coverageOf(pipeline)).runs, [
    { from: FIRST_SLOT, to: CHAIN.to, source: 'car' },
  ])
  const other = await startRpcServer(makeChain({ slots: SLOTS, transactions: 30, seed: 9 }))
  t.teardown(() => other.stop())
  const again = ['backfill', '--force', '--car', folder, '--rpc', other.url, ...RANGE]
  const differing = await runHere(again, settings)
  t.is(differing.code, 1)
  t.regex(differing.stderr, new RegExp(`slot ${FIRST_SLOT}: .* has block "\\w+", the file "\\w+"`))
})

test('slots whose results were not recorded stay gaps', async (t) => {
  const { pipeline, settings } = await open(t)
  const gap = FIRST_SLOT + 1
  const bare = (meta: Json): Json => ({ ...meta, logMessages: [], innerInstructions: [] })
  const blocks = [...makeChain({ slots: 4, transactions: 'swaps', skipShare: 0 }).blocks].map(
    ([slot, block]: [number, ServedBlock]) =>
      carBlockOf(slot, block, (meta) => (slot === gap || slot === gap + 1 ? bare(meta) : meta)),
  )
  const folder = await folderOf(t, { [`epoch-${EPOCH}.car`]: writeCar(blocks).bytes })
  const range = ['--from', String(FIRST_SLOT), '--to', String(FIRST_SLOT + 3)]
  const { code, stderr, stdout } = await runHere(['backfill', '--car', folder, ...range], settings)
  t.is(code, 0, stderr)
  t.regex(stderr, new RegExp(`${gap} slot ${gap}: \\d+ of \\d+ transactions of venues`))
  t.false(stderr.includes(`slot ${gap + 1}:`))
  t.regex(stdout, /2 slots not recorded, which stay gaps/)
  t.deepEqual((await coverageOf(pipeline)).runs, [
    { from: FIRST_SLOT, to: FIRST_SLOT, source: 'car-by-slot' },
    { from: FIRST_SLOT + 3, to: FIRST_SLOT + 3, source: 'car' },
  ])
  const file = join(folder, `epoch-${EPOCH}.car`)
  const ingested = await runHere(['ingest', '--no-wait', file], settings)
  t.is(ingested.code, 1)
  t.regex(ingested.stdout, /2 slots not recorded, which stay gaps/)
})

test('the simulated chain gives the same tables from CAR files as from a node', async (t) => {
  const chain = new WrittenChain({ seed: 11, swaps: 1_500, swapsPerSlot: 40 })
  const node = await startRpcServer(chain)
  t.teardown(() => node.stop())
  const folder = await folderOf(t, {
    [`epoch-${Math.floor(chain.from / 432_000)}.car`]: carOf(chain, { frameBytes: 500 }).bytes,
  })
  const range = ['--from', String(chain.from), '--to', String(chain.to)]
  const hashes: string[] = []
  for (const source of [
    ['--rpc', node.url, '--rate', '10000'],
    ['--car', folder],
  ]) {
    const { pipeline, settings } = await open(t)
    const worker = startCommand(['worker'], settings)
    worker.stdout?.resume()
    worker.stderr?.resume()
    t.teardown(() => worker.kill('SIGKILL'))
    const read = await runHere(['backfill', ...range, ...source], settings)
    t.is(read.code, 0, read.stderr)
    await untilCaughtUp(pipeline, 300_000)
    const caughtUp = await runHere(['status', '--wait'], settings)
    t.is(caughtUp.code, 0, caughtUp.stderr)
    const verified = await runHere(['verify', '--json'], settings)
    t.is(verified.code, 0, verified.stdout)
    hashes.push(hashesOf(verified.stdout))
    worker.kill('SIGKILL')
  }
  t.true((hashes[0]?.length ?? 0) > 100)
  t.is(hashes[0], hashes[1])
})

/** All hashes of tables in a report. */
const hashesOf = (report: string): string => (report.match(/[0-9a-f]{32,}/g) ?? []).join('\n')

test('explains wrong options', async (t) => {
  const { settings } = await open(t)
  const cases: [argv: string[], message: RegExp][] = [
    [['backfill', '--car', 'ftp://x', ...RANGE], /--car: expected a folder, or a URL/],
    [['backfill', '--car', 'x', '--portal', ...RANGE], /--portal and --car name two sources/],
    [['ingest', '--format', 'car', '--mapping', 'm.json', 'x'], /"x" is a CAR file/],
  ]
  for (const [argv, message] of cases) {
    const { code, stderr } = await runHere(argv, settings)
    t.is(code, 2, argv.join(' '))
    t.regex(stderr, message)
  }
})
