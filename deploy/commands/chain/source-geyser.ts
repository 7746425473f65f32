/**
 * `swaptide source geyser`: follows the chain by a Yellowstone stream, and fetches by RPC what the stream does not prove
 * complete. Its options are those of source.ts.
 */

import { DECODER_VERSION } from '../../../chain/decoder/version.ts'
import { COMMITMENTS } from '../../../chain/sources/blocks/block-answer.ts'
import { fetchSlotsBy } from '../../../chain/sources/rpc.ts'
import { CHAIN_SOURCES } from '../../../chain/sources/table.ts'
import { venuesOfBits } from '../../../domain/coverage.ts'
import type { SourceProgress } from '../../../streams/sources/run-source.ts'
import { readGeyserEndpoint } from '../../chain/geyser-options.ts'
import { connectSource } from '../../chain/observe.ts'
import { PublishedBlocks } from '../../chain/published-blocks.ts'
import { findResumption, NEWEST } from '../../chain/resume-slot.ts'
import { openRpc } from '../../chain/rpc-options.ts'
import { runChain } from '../../chain/run.ts'
import { choiceOption } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'

type StreamOptions = {
  endpoint?: string | undefined
  'x-token-file'?: string | undefined
  'accept-gaps'?: boolean | undefined
  'exit-if-unavailable'?: boolean | undefined
  rpc?: string | undefined
  commitment: string
  rate: string
  /** Bits of domain/coverage.ts. */
  venues: number
  from: number | typeof NEWEST | undefined
}

/** Returns the exit code. Throws UsageError. */
export async function followStream(
  { venues, from: wanted, ...values }: StreamOptions,
  context: CommandContext,
): Promise<number> {
  const { config, progress, signal } = context
  const { endpoint, token } = await readGeyserEndpoint(values, context)
  const commitment = choiceOption('commitment', values.commitment, COMMITMENTS)
  const hasRpc = (values.rpc ?? config.sourceRpcUrl) !== undefined
  const client = hasRpc ? openRpc(values, context) : undefined
  const fetchSlots = client === undefined ? undefined : fetchSlotsBy(client)
  const servers = await connectSource(context, values['exit-if-unavailable'])
  if (servers === undefined) return EXIT_OK
  try {
    const resumed = await findResumption(servers.db, venues, Number.MAX_SAFE_INTEGER)
    const from = wanted === NEWEST ? undefined : (wanted ?? resumed?.slot)
    const isNext = from !== undefined && from === resumed?.slot && resumed.isNext
    const blocks = await PublishedBlocks.load(servers.db, from, isNext)
    const { links } = blocks
    const counts = { fetched: 0 }
    const chain = CHAIN_SOURCES.geyser({
      ...{ endpoint, token, commitment, fetchSlots, from },
      acceptsGaps: values['accept-gaps'] === true,
      venues: new Set(venuesOfBits(venues)),
      ...(links === undefined ? {} : { links }),
      onFetch: (first, last) => {
        counts.fetched += last - first + 1
      },
    })
    progress.say(startOf(new URL(endpoint).host, commitment, from, hasRpc))
    const onProgress = (far: Readonly<SourceProgress>): void =>
      progress.update(() => describe(far, counts.fetched))
    const key = { venues, decoderVersion: DECODER_VERSION, source: 'geyser', commitment }
    const observed = { key, endpoint: new URL(endpoint).host, client }
    await servers.observe(observed, (heartbeat) =>
      runChain(chain, { key, blocks, heartbeat, signal, progress, onProgress }, servers),
    )
    const { slots, swaps } = chain.counts
    const fetched = `${grouped(counts.fetched)} of them fetched`
    context.stdout.write(`${counted(slots, 'slot')}, ${fetched}; ${counted(swaps, 'swap')}\n`)
    return EXIT_OK
  } finally {
    await servers.close()
  }
}

function startOf(
  host: string,
  commitment: string,
  from: number | undefined,
  hasRpc: boolean,
): string {
  const start = from === undefined ? 'from the newest slot' : `from slot ${from}`
  const advice = hasRpc ? '' : '; no RPC node is set: a slot that does not come whole is lost'
  return `following ${host} (${commitment}) ${start}${advice}`
}

/** `slot 398202821, lag 1.3 s; 1,234 slots, 12 fetched, 0 refused` */
function describe({ newest, units, refused }: Readonly<SourceProgress>, fetched: number): string {
  const read = `${counted(units, 'slot')}, ${grouped(fetched)} fetched, ${grouped(refused)} refused`
  if (newest === undefined) return read
  const lagMs = Math.max(0, Date.now() - newest.timestampMs)
  return `slot ${newest.slot}, lag ${duration(lagMs)}; ${read}`
}
