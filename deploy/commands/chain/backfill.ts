/**
 * `swaptide backfill`: a range of slots from a Solana node, a portal, or CAR files, into SWAP.
 *
 * The table `coverage` is its memory: slots that it lists are not read again, so an interrupted run continues where it
 * ended, and a range that overlaps covered slots reads only the rest. `--again` reads what an older decoder has read, `--force`
 * whatever was read before.
 */

import { DECODER_VERSION } from '../../../chain/decoder/version.ts'
import { type Coverage, missingParts, type SlotRange, slotCount } from '../../../domain/coverage.ts'
import { listSources } from '../../../sql/chain/sources.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import { Backfill, CHUNK_SLOTS, type Outcome } from '../../chain/backfill/backfill.ts'
import { CAR_OPTION, openCar } from '../../chain/backfill/car-options.ts'
import type { LiveLag } from '../../chain/backfill/give-way.ts'
import { marketOf } from '../../chain/backfill/market-past.ts'
import {
  findRange,
  RANGE_OPTIONS,
  readRange,
  SLOT_MAX,
} from '../../chain/backfill/range-options.ts'
import { seamBefore } from '../../chain/backfill/seam.ts'
import { nodeProvider, type RangeProvider } from '../../chain/block-provider.ts'
import { Heartbeat, withHeartbeat } from '../../chain/heartbeat.ts'
import {
  openPortal,
  PORTAL_HEADER_OPTION,
  STREAMS_DEFAULT,
  STREAMS_OPTION,
  VERIFY_OPTION,
} from '../../chain/portal-options.ts'
import { openRpc, RPC_OPTIONS, readVenues, VENUES_OPTION } from '../../chain/rpc-options.ts'
import { type ChainServers, connectChain } from '../../chain/run.ts'
import {
  expectNone,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped, leftOut } from '../../cli/format.ts'
import { listLanes } from '../../operations/lanes.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'backfill --from SLOT|TIME --to SLOT|TIME | --last SPAN [--rpc URL | --portal [URL] | --car DIR|URL] [--venues NAMES] [--oldest-first] [--again | --force]',
  options: {
    ...RANGE_OPTIONS,
    venues: VENUES_OPTION,
    ...RPC_OPTIONS,
    portal: {
      type: 'boolean',
      about: 'read an SQD Portal instead of a node; its URL may follow, absent: SOURCE_PORTAL_URL',
    },
    streams: STREAMS_OPTION,
    'portal-header-file': PORTAL_HEADER_OPTION,
    verify: VERIFY_OPTION,
    car: CAR_OPTION,
    'oldest-first': {
      type: 'boolean',
      about: 'read the range from its first slot on; absent: the newest slots first, by chunks',
    },
    chunk: {
      type: 'string',
      value: 'SLOTS',
      about:
        'slots of a chunk, which is read in the order of the chain; absent: 5000, of one market 250000',
    },
    pool: {
      type: 'string',
      value: 'ADDRESS',
      about: 'portal: only the past of one pool; it covers no slot',
    },
    mint: {
      type: 'string',
      value: 'ADDRESS',
      about: 'portal: only the past of one mint and of its known pools: see docs/sources.md',
    },
    again: {
      type: 'boolean',
      about: 'also read slots that an older version of the decoder has read',
    },
    force: {
      type: 'boolean',
      about: 'read every slot of the range, also those that were read before',
    },
  },
  notes: [
    'Reads every slot of the range, decodes the swaps of the venues and publishes them. Slots that "swaptide ' +
      'coverage" lists are left out, so an interrupted run continues where it ended: run the same command again.',
    'A slot that the node does not return is requested until it comes: no slot is passed over.',
    'With --again and --force, events that come out the same are duplicates, and those that differ are listed by ' +
      '"swaptide conflicts". An interrupted run with --force begins again.',
    'The newest slots come first, except from CAR files. While a source follows the chain, the backfill waits while lanes lag, and with --last ' +
      'it also reads the slots up to the first one of that source, so that no gap is left between them.',
  ],
  examples: [
    'swaptide backfill --from 398000000 --to 398009999',
    'swaptide backfill --from 398000000 --to 398009999 --rpc http://localhost:8899',
    'swaptide backfill --portal --from 398000000 --to 398009999',
    'swaptide backfill --portal --from 2026-09-01 --to 2026-09-07',
    'swaptide backfill --portal --last 7d',
    'swaptide backfill --car /archive --from 422496000 --to 422927999',
  ],
})

export const ending = 'drains'

const CHUNK_SLOTS_MIN = 10
/** A day of the chain and more: few blocks of it are sent. */
const MARKET_CHUNK_SLOTS = 250_000

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [url, ...rest] = positionals
  expectNone(described.line, values.portal ? rest : positionals)
  const wanted = readRange(values)
  const venues = readVenues(values.venues)
  const provider = await providerOf(url, values, context)
  const market = marketOf(values)
  const limits = { min: CHUNK_SLOTS_MIN, max: SLOT_MAX }
  const chunkDefault = market === undefined ? CHUNK_SLOTS : MARKET_CHUNK_SLOTS
  const chunkSlots = integerOption('chunk', values.chunk, limits) ?? chunkDefault
  const { from, to } = await findRange(wanted, provider, context.signal)
  const installation = await findInstallation(context.config)
  const servers = await connectChain(installation, context.log('warn'), 'swaptide backfill')
  try {
    const covered = await listCoverage(servers.db)
    const known = market === undefined ? knownOf(covered, values) : []
    const parts = missingParts(known, { from, to }, venues)
    const heartbeat = heartbeatOf({ provider, servers, venues, range: { from, to } })
    const deps = { provider, servers, context, heartbeat, liveLag: liveLagOf(servers) }
    const isOldestFirst = values['oldest-first'] === true
    const backfill = new Backfill({ ...deps, isOldestFirst, chunkSlots })
    const hasEnded = await withHeartbeat(heartbeat, context.signal, async () => {
      if (market !== undefined) return await market.read(backfill, parts, servers.db)
      if (!(await backfill.read(parts))) return false
      if (!('last' in wanted)) return true
      const seam = await seamBefore(servers.db, { provider, to, venues }, context)
      return seam !== undefined && (await backfill.read(seam))
    })
    const outcome = backfill.outcome(hasEnded)
    const summary = [
      market === undefined
        ? sentence(outcome, slotCount({ from, to }))
        : market.sentence(outcome, venues),
      ...(provider.report?.parts() ?? []),
    ]
    context.stdout.write(`${summary.join('; ')}\n`)
    if (outcome.hasEnded) return provider.report?.hasDifference ? EXIT_FAILED : EXIT_OK
    context.stderr.write('interrupted: run the same command again to continue\n')
    return EXIT_FAILED
  } finally {
    await servers.close()
  }
}

type ProviderValues = Parameters<typeof openRpc>[0] &
  Parameters<typeof openPortal>[1] & { portal?: boolean | undefined; car?: string | undefined }

/** `url`: of a portal. Throws UsageError. */
async function providerOf(
  url: string | undefined,
  values: ProviderValues,
  context: CommandContext,
): Promise<RangeProvider> {
  if (values.portal && values.car !== undefined) {
    throw new UsageError('--portal and --car name two sources: choose one')
  }
  if (!values.portal) {
    for (const name of ['streams', 'verify', 'portal-header-file'] as const) {
      if (values[name] !== undefined) {
        throw new UsageError(`--${name} concerns a portal: add --portal`)
      }
    }
  }
  if (values.car !== undefined) return openCar(values.car, values, context)
  if (!values.portal) return nodeProvider(openRpc(values, context))
  const streams = values.streams ?? STREAMS_DEFAULT
  return openPortal(url, { ...values, streams }, context)
}

function heartbeatOf({
  provider,
  servers: { db, log },
  venues,
  range,
}: {
  provider: RangeProvider
  servers: ChainServers
  venues: number
  range: SlotRange
}): Heartbeat {
  const { host, commitment, client, rangeSource: source } = provider
  const key = { venues, decoderVersion: DECODER_VERSION, source, commitment }
  return new Heartbeat(db, log, { key, endpoint: host, range, client })
}

/** The most messages that a lane lags, where a source follows the chain meanwhile. */
function liveLagOf({ db, jetStream, topology }: ChainServers): Pick<LiveLag, 'look'> {
  return {
    async look() {
      const sources = await listSources(db)
      const isLive = sources.some(({ to_slot, state }) => to_slot === null && state === 'running')
      if (!isLive) return { isLive, lag: 0 }
      const lanes = await listLanes(db, jetStream, topology)
      return { isLive, lag: Math.max(0, ...lanes.map(({ lag }) => lag)) }
    },
  }
}

/** The runs of slots that are not read again. */
function knownOf(
  covered: readonly Coverage[],
  { again, force }: { again?: boolean | undefined; force?: boolean | undefined },
): readonly Coverage[] {
  if (force) return []
  return again ? covered.filter(isOfThisDecoder) : covered
}

const isOfThisDecoder = ({ decoderVersion }: Coverage): boolean => decoderVersion >= DECODER_VERSION

/** `900 slots, 45 of them skipped; 12,345 swaps published in 12 s, 20 already stored; left out: 4 no_sol_side` */
function sentence(outcome: Outcome, wanted: number): string {
  const { slots, skipped, gaps, swaps, duplicates, rejects, mismatches, tookMs } = outcome
  const { hasEnded, unread } = outcome
  const covered = hasEnded && slots < wanted ? wanted - slots : 0
  const left = Array.from(rejects, ([reason, count]) => `${grouped(count)} ${reason}`)
  return [
    `${counted(slots, 'slot')}, ${grouped(skipped)} of them skipped`,
    `${counted(swaps, 'swap')} published in ${duration(tookMs)}` +
      (duplicates === 0 ? '' : `, ${grouped(duplicates)} already stored`),
    ...leftOut(left, hasEnded),
    ...(mismatches === 0 ? [] : [counted(mismatches, 'vault mismatch')]),
    ...(gaps === 0 ? [] : [`${counted(gaps, 'slot')} not recorded, which stay gaps`]),
    ...(covered === 0 ? [] : [`${counted(covered, 'slot')} covered before`]),
    ...(hasEnded ? [] : [`${counted(unread, 'slot')} not read`]),
  ].join('; ')
}
