/**
 * `swaptide backfill`: a range of slots from a Solana node, or from a portal, into SWAP.
 *
 * The table `coverage` is its memory: slots that it lists are not read again, so an interrupted run continues where it
 * ended, and a range that overlaps covered slots reads only the rest. `--again` reads what an older decoder has read, `--force`
 * whatever was read before.
 */

import { DECODER_VERSION } from '../../../chain/decoder/version.ts'
import type { ChainCounts } from '../../../chain/sources/batch.ts'
import { type Coverage, missingParts, type SlotRange, slotCount } from '../../../domain/coverage.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import { type BlockProvider, nodeProvider } from '../../chain/block-provider.ts'
import { Heartbeat, withHeartbeat } from '../../chain/heartbeat.ts'
import { openPortal, PORTAL_HEADER_OPTION, STREAMS_OPTION } from '../../chain/portal-options.ts'
import { findRange, RANGE_OPTIONS, readRange } from '../../chain/range-options.ts'
import { openRpc, RPC_OPTIONS, readVenues, VENUES_OPTION } from '../../chain/rpc-options.ts'
import { type ChainServers, connectChain, runChain } from '../../chain/run.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import { findInstallation } from '../../processes/installation.ts'

export const described = usage({
  line: 'backfill --from SLOT|TIME --to SLOT|TIME | --last SPAN [--rpc URL | --portal [URL]] [--venues NAMES] [--again | --force]',
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
      '"swaptide conflicts". An interrupted run with --force begins again at the first slot.',
  ],
  examples: [
    'swaptide backfill --from 398000000 --to 398009999',
    'swaptide backfill --from 398000000 --to 398009999 --rpc http://localhost:8899',
    'swaptide backfill --portal --from 398000000 --to 398009999',
    'swaptide backfill --portal --from 2026-09-01 --to 2026-09-07',
    'swaptide backfill --portal --last 7d',
  ],
})

export const ending = 'drains'

type Part = ReturnType<typeof missingParts>[number]

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [url, ...rest] = positionals
  expectNone(described.line, values.portal ? rest : positionals)
  const wanted = readRange(values)
  const venues = readVenues(values.venues)
  const provider = values.portal
    ? await openPortal(url, values, context)
    : nodeProvider(openRpc(values, context))
  const { from, to } = await findRange(wanted, provider, context.signal)
  const installation = await findInstallation(context.config)
  const servers = await connectChain(installation, context.log('warn'), 'swaptide backfill')
  try {
    const covered = await listCoverage(servers.db)
    const known = knownOf(covered, values)
    const parts = missingParts(known, { from, to }, venues)
    const heartbeat = heartbeatOf({ provider, servers, venues, range: { from, to } })
    const outcome = await withHeartbeat(heartbeat, context.signal, () =>
      new Backfill(provider, servers, context, heartbeat).run(parts),
    )
    context.stdout.write(`${sentence(outcome, slotCount({ from, to }))}\n`)
    if (outcome.hasEnded) return EXIT_OK
    context.stderr.write('interrupted: run the same command again to continue\n')
    return EXIT_FAILED
  } finally {
    await servers.close()
  }
}

function heartbeatOf({
  provider,
  servers: { db, log },
  venues,
  range,
}: {
  provider: BlockProvider
  servers: ChainServers
  venues: number
  range: SlotRange
}): Heartbeat {
  const { host, commitment, client, rangeSource: source } = provider
  const key = { venues, decoderVersion: DECODER_VERSION, source, commitment }
  return new Heartbeat(db, log, { key, endpoint: host, range, client })
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

type Outcome = {
  hasEnded: boolean
  slots: number
  skipped: number
  swaps: number
  duplicates: number
  rejects: ReadonlyMap<string, number>
  mismatches: number
  tookMs: number
}

/** Reads the parts of a range one after another. */
class Backfill {
  readonly #provider: BlockProvider
  readonly #servers: ChainServers
  readonly #context: CommandContext
  readonly #heartbeat: Heartbeat
  readonly #startedAt = performance.now()
  readonly #rejects = new Map<string, number>()
  #slots = 0
  #skipped = 0
  #swaps = 0
  #duplicates = 0
  #mismatches = 0

  constructor(
    provider: BlockProvider,
    servers: ChainServers,
    context: CommandContext,
    heartbeat: Heartbeat,
  ) {
    this.#provider = provider
    this.#servers = servers
    this.#context = context
    this.#heartbeat = heartbeat
  }

  async run(parts: readonly Part[]): Promise<Outcome> {
    const total = parts.reduce((sum, part) => sum + slotCount(part), 0)
    let hasEnded = true
    for (const part of parts) {
      hasEnded = await this.#read(part, total)
      if (!hasEnded) break
    }
    return {
      hasEnded,
      slots: this.#slots,
      skipped: this.#skipped,
      swaps: this.#swaps,
      duplicates: this.#duplicates,
      rejects: this.#rejects,
      mismatches: this.#mismatches,
      tookMs: this.#tookMs(),
    }
  }

  async #read({ from, to, venues }: Part, total: number): Promise<boolean> {
    const { progress, signal } = this.#context
    const { commitment, rangeSource } = this.#provider
    const source = this.#provider.readRange({ from, to, venues })
    const key = { venues, decoderVersion: DECODER_VERSION, source: rangeSource, commitment }
    const onProgress = (): void => progress.update(() => this.#describe(source.counts, total))
    const run = { key, heartbeat: this.#heartbeat, signal, progress, onProgress }
    const { hasEnded, stored, duplicates } = await runChain(source, run, this.#servers)
    this.#swaps += stored.swaps
    this.#duplicates += duplicates.swaps
    this.#add(source.counts)
    return hasEnded
  }

  #add({ slots, skippedSlots, rejects, mismatches }: Readonly<ChainCounts>): void {
    this.#slots += slots
    this.#skipped += skippedSlots
    for (const [reason, count] of rejects) {
      this.#rejects.set(reason, (this.#rejects.get(reason) ?? 0) + count)
    }
    for (const count of mismatches.values()) this.#mismatches += count
  }

  #tookMs(): number {
    return performance.now() - this.#startedAt
  }

  /** `45 %, 1,234 of 10,000 slots, 85 slots/s, 12,345 swaps, 2 min 3 s left, 3 requests throttled` */
  #describe({ slots, swaps }: Readonly<ChainCounts>, total: number): string {
    const done = this.#slots + slots
    const rate = done / Math.max(this.#tookMs() / 1_000, 1e-3)
    const left = rate === 0 ? '' : `, ${duration(((total - done) / rate) * 1_000)} left`
    const share = Math.floor((done / total) * 100)
    const pace = `${grouped(done)} of ${counted(total, 'slot')}, ${grouped(rate)} slots/s`
    const { throttled, failed } = this.#provider.client.counts
    const refused = throttled === 0 ? '' : `, ${counted(throttled, 'request')} throttled`
    const repeated = failed === 0 ? '' : `, ${grouped(failed)} repeated`
    return `${share} %, ${pace}, ${counted(swaps, 'swap')}${left}${refused}${repeated}`
  }
}

/** `900 slots, 45 of them skipped; 12,345 swaps published in 12 s, 20 already stored; left out: 4 no_sol_side` */
function sentence(outcome: Outcome, wanted: number): string {
  const { slots, skipped, swaps, duplicates, rejects, mismatches, tookMs, hasEnded } = outcome
  const covered = hasEnded && slots < wanted ? wanted - slots : 0
  const left = Array.from(rejects, ([reason, count]) => `${grouped(count)} ${reason}`)
  return [
    `${counted(slots, 'slot')}, ${grouped(skipped)} of them skipped`,
    `${counted(swaps, 'swap')} published in ${duration(tookMs)}` +
      (duplicates === 0 ? '' : `, ${grouped(duplicates)} already stored`),
    left.length === 0 ? 'none left out' : `left out: ${left.join(', ')}`,
    ...(mismatches === 0 ? [] : [counted(mismatches, 'vault mismatch')]),
    ...(covered === 0 ? [] : [`${counted(covered, 'slot')} covered before`]),
  ].join('; ')
}
