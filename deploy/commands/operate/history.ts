/** `swaptide history status|seal|verify`: swaps that are packed into blocks. */

import { presentHistory } from '../../../api/admin/v1/present.ts'
import { HOUR_MS } from '../../../domain/time/time-bucket.ts'
import { sealAndStore, storeVerified } from '../../../history/operating/runs.ts'
import { readHistoryState } from '../../../history/operating/state.ts'
import type { SealOrder } from '../../../history/sealing/sealer.ts'
import { verifyHistory } from '../../../history/sealing/verify-history.ts'
import { type Db, onConnection } from '../../../sql/db.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import {
  choiceWord,
  expectNone,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, jsonLine } from '../../cli/format.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'
import { describeHistory } from './history-text.ts'

export const described = usage({
  line: 'history status | seal [--to-slot S | --all] | verify',
  options: {
    'to-slot': { type: 'string', value: 'S', about: 'seal all swaps up to this slot (seal)' },
    all: { type: 'boolean', about: 'seal all swaps (seal)' },
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'status: what is sealed, how far, what the sealer waits for and what the newest verification found. seal: seals now what is older than SEAL_AFTER_HOURS, or what the ' +
      'options name; workers may run meanwhile. verify: reads every block and posting, and names those that are damaged; exit ' +
      'code 1 then.',
  ],
  examples: [
    'swaptide history status',
    'swaptide history seal --to-slot 402000000',
    'swaptide history verify',
  ],
})

const NAME = 'swaptide history'

type Action = (db: Db, context: CommandContext) => Promise<number>

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const action = parse(argv, context)
  const { databaseUrl } = await findInstallation(context.config)
  return await withDatabase(databaseUrl, { name: NAME }, (db) => action(db, context))
}

/** Checks the arguments before any connection is opened. */
function parse(argv: readonly string[], { config }: CommandContext): Action {
  const { values, positionals } = parseArguments(described, argv)
  const [word, ...others] = positionals
  const action = choiceWord('history', word, ['status', 'seal', 'verify'])
  expectNone(described.line, others)
  const { 'to-slot': toSlot, all = false, json: isJson = false } = values
  if (action !== 'seal' && (toSlot !== undefined || all)) {
    throw new UsageError('--to-slot and --all go with "swaptide history seal"')
  }
  if (action === 'status') return (db, context) => status(db, isJson, context)
  if (action === 'verify') return (db, context) => verify(db, isJson, context)
  if (toSlot !== undefined && all) throw new UsageError('--all seals every slot: use either')
  const last = integerOption('to-slot', toSlot, { min: 0, max: Number.MAX_SAFE_INTEGER })
  const order = orderOf(last, all, config.sealAfterHours)
  return (db, context) => seal(db, order, isJson, context)
}

function orderOf(toSlot: number | undefined, all: boolean, hours: number | undefined): SealOrder {
  const chosen = { toSlot: toSlot ?? Number.MAX_SAFE_INTEGER, partsOfChunks: true }
  if (toSlot !== undefined || all) return { ...chosen, beforeMs: undefined }
  if (hours === undefined) {
    throw new UsageError('seal needs --to-slot S or --all where SEAL_AFTER_HOURS is not set')
  }
  return { ...chosen, beforeMs: Date.now() - hours * HOUR_MS }
}

async function status(db: Db, isJson: boolean, { stdout }: CommandContext): Promise<number> {
  const state = await readHistoryState(db)
  stdout.write(isJson ? jsonLine(presentHistory(state)) : describeHistory(state))
  return EXIT_OK
}

async function seal(
  db: Db,
  order: SealOrder,
  isJson: boolean,
  { stdout, progress, signal, config }: CommandContext,
): Promise<number> {
  let [swaps, bytes] = [0, 0]
  const { runs, waits } = await sealAndStore(db, order, config.sealAfterHours, signal, (run) => {
    swaps += run.rows
    bytes += run.bytes
    progress.update(() => `up to slot ${run.high}: ${counted(swaps, 'swap')}`)
  })
  if (isJson) stdout.write(jsonLine({ segments: runs, swaps, bytes, waits: waits?.reason ?? null }))
  else {
    stdout.write(`sealed ${counted(swaps, 'swap')} in ${counted(runs, 'segment')}\n`)
    if (waits !== undefined) stdout.write(`the rest waits: ${waits.reason}\n`)
  }
  return waits === undefined ? EXIT_OK : EXIT_FAILED
}

async function verify(
  db: Db,
  isJson: boolean,
  { stdout, progress, signal }: CommandContext,
): Promise<number> {
  const damaged: { segment: number; damage: readonly string[] }[] = []
  let [segments, swaps] = [0, 0]
  await onConnection(db, (connection) =>
    inSnapshot(connection, async () => {
      for await (const { id, rows, lastSlot, damage } of verifyHistory(connection, signal)) {
        segments += 1
        swaps += rows
        if (damage.length > 0) damaged.push({ segment: id, damage })
        progress.update(() => `up to slot ${lastSlot}: ${counted(swaps, 'swap')}`)
      }
    }),
  )
  const isClean = damaged.length === 0
  const reason = damaged[0]?.damage[0]
  await storeVerified(db, { segments, damaged: damaged.length, reason })
  if (isJson) stdout.write(jsonLine({ segments, swaps, damaged, clean: isClean }))
  else {
    for (const { segment, damage } of damaged) {
      for (const each of damage) stdout.write(`segment ${segment}: ${each}\n`)
    }
    const result = isClean ? 'whole' : `${counted(damaged.length, 'segment')} damaged`
    stdout.write(`${counted(segments, 'segment')} of ${counted(swaps, 'swap')}: ${result}\n`)
  }
  return isClean ? EXIT_OK : EXIT_FAILED
}
