/** Warnings of the decoder in the database: stored with the slots that they are of, logged once, the same after a restart. */
import test, { type ExecutionContext } from 'ava'
import { CoverageRecorder } from '../../../deploy/chain/coverage.ts'
import { describeWarnings } from '../../../deploy/operations/sources.ts'
import type { BlockWarning } from '../../../domain/decoder-warning.ts'
import { listWarnings } from '../../../sql/chain/decoder-warnings.ts'
import type { Db } from '../../../sql/db.ts'
import type { SourceBatch } from '../../../streams/sources/source.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'

const KEY = { venues: 2046, decoderVersion: 3, source: 'rpc', commitment: 'confirmed' }
const UPGRADE: BlockWarning = { kind: 'upgrade', dex: 5, subject: 'upgrade 5x' }
const UNKNOWN: BlockWarning = { kind: 'unknown_instruction', dex: 4, subject: '0123456789abcdef' }

async function openDatabase(t: ExecutionContext): Promise<Db> {
  const database = await testDatabase()
  t.teardown(() => database.drop())
  return database.db
}

type Block = { warnings?: BlockWarning[]; swaps?: number; unreadable?: number; branch?: string }

function batch(
  slot: number,
  { warnings = [], swaps = 0, unreadable = 0, branch = 'a' }: Block,
): SourceBatch {
  const reads = swaps === 0 ? [] : [{ dex: 5 as const, swaps, unreadable, noSol: 0 }]
  return {
    ...{ cursor: String(slot), events: [], units: 1, newest: undefined, notices: [] },
    link: { slot, blockhash: `${slot}${branch}`, parentSlot: slot - 1, parentBlockhash: 'p' },
    reading: { warnings, reads },
  }
}

/** A run of a source over these blocks, as a process of its own would make it; its log. */
async function runOver(t: ExecutionContext, db: Db, batches: readonly SourceBatch[]) {
  const { log, lines } = recordingLog()
  const recorder = new CoverageRecorder(db, KEY, log, (error) => t.fail(String(error)))
  for (const [at, each] of batches.entries()) {
    recorder.note(each)
    recorder.acknowledge(each.cursor, at + 1)
  }
  await recorder.close()
  return lines
}

/** Level and text of a line of the log. */
const textOf = (line: string): string => line.replace(/ \{.*/, '')

const shown = async (db: Db) =>
  (await listWarnings(db)).map(
    ({ dex, kind, subject, first_slot, last_slot, reads, ended_slot }) => [
      ...[dex, kind, subject, first_slot, last_slot, reads, ended_slot],
    ],
  )

test('a warning is stored once with its first slot, and logged once across runs', async (t) => {
  const db = await openDatabase(t)
  const first = await runOver(t, db, [
    batch(500, { warnings: [UNKNOWN, UNKNOWN] }),
    batch(501, { warnings: [UPGRADE, UNKNOWN] }),
  ])
  t.deepEqual(first.map(textOf), [
    'warn program of a venue has an unknown discriminator',
    'error program of a venue was changed',
  ])
  t.like(JSON.parse(/\{.*/.exec(first[1] ?? '')?.[0] ?? ''), {
    venue: 'venue_5',
    kind: 'upgrade',
    subject: 'upgrade 5x',
    slot: 501,
  })
  const again = await runOver(t, db, [
    batch(400, { warnings: [UNKNOWN] }),
    batch(600, { warnings: [UNKNOWN] }),
  ])
  t.deepEqual(again, [])
  t.deepEqual(await shown(db), [
    [4, 'unknown_instruction', '0123456789abcdef', 400, 600, 5, null],
    [5, 'upgrade', 'upgrade 5x', 501, 501, 1, null],
  ])
  t.regex(
    describeWarnings(await listWarnings(db)),
    /^2 decoder warnings .*\n {2}venue_4: an instruction .*: 0123456789abcdef, slots 400 to 600\n/,
  )
})

test('a warning of a block that left the chain before it was recorded is not stored', async (t) => {
  const db = await openDatabase(t)
  const back: SourceBatch = {
    ...{ cursor: '500', events: [], units: 0 },
    newest: undefined,
    notices: [],
  }
  await runOver(t, db, [
    batch(500, {}),
    batch(501, { warnings: [UPGRADE] }),
    back,
    batch(501, { branch: 'b' }),
  ])
  t.deepEqual(await shown(db), [])
})

test('nothing is stored of slots whose events are not stored', async (t) => {
  const db = await openDatabase(t)
  const { log } = recordingLog()
  const recorder = new CoverageRecorder(db, KEY, log, (error) => t.fail(String(error)))
  recorder.note(batch(500, {}))
  recorder.note(batch(501, { warnings: [UPGRADE] }))
  recorder.acknowledge('500', 1)
  await recorder.close()
  t.deepEqual(await shown(db), [])
})

const run = (from: number, to: number, block: Block): SourceBatch[] =>
  Array.from({ length: to - from + 1 }, (_, at) => batch(from + at, block))

test('a reject rate outside the band is a warning, across runs, until a later window is inside', async (t) => {
  const db = await openDatabase(t)
  t.deepEqual(await runOver(t, db, run(10_000, 10_199, { swaps: 2 })), [])
  // 400 swaps, of which none was rejected; each further block rejects both: the ninth has 18 of 418.
  const left = await runOver(t, db, run(10_200, 10_299, { swaps: 2, unreadable: 2 }))
  t.deepEqual(left.map(textOf), ['error reject rate of a venue left its band'])
  t.deepEqual(await runOver(t, db, run(10_300, 10_399, { swaps: 2, unreadable: 2 })), [])
  const [warning] = await listWarnings(db)
  t.like(warning, { dex: 5, kind: 'reject_rate', subject: 'unreadable', ended_slot: null })
  t.true((warning?.share ?? 0) > 0.4)
  const ended = await runOver(t, db, run(10_400, 11_499, { swaps: 2 }))
  t.deepEqual(ended.map(textOf), ['info reject rate returned to its band'])
  t.not((await listWarnings(db))[0]?.ended_slot, null)
})

test('a quiet venue of which every swap is rejected is no warning', async (t) => {
  const db = await openDatabase(t)
  const quiet = run(20_000, 20_099, { swaps: 1, unreadable: 1 })
  t.deepEqual(await runOver(t, db, quiet), [])
  t.deepEqual(await shown(db), [])
})
