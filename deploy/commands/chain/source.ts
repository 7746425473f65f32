/**
 * `swaptide source`: follows the chain, by a Solana node (`rpc`), by a Yellowstone stream (`geyser`) or by a portal (`portal`), or
 * checks a node or a stream (`check`). It resumes after the last slot that it has recorded in `coverage`, so what happened while it did not run
 * is read first.
 */

import { DECODER_VERSION } from '../../../chain/decoder/version.ts'
import type { SourceProgress } from '../../../streams/sources/run-source.ts'
import { type BlockProvider, nodeProvider } from '../../chain/block-provider.ts'
import type { CoverageKey } from '../../chain/coverage.ts'
import { GEYSER_OPTIONS } from '../../chain/geyser-options.ts'
import type { Heartbeat } from '../../chain/heartbeat.ts'
import { connectSource } from '../../chain/observe.ts'
import { openPortal, PORTAL_HEADER_OPTION } from '../../chain/portal-options.ts'
import { PublishedBlocks } from '../../chain/published-blocks.ts'
import { FOLLOWING, findResumption, NEWEST } from '../../chain/resume-slot.ts'
import { openRpc, RPC_OPTIONS, readVenues, VENUES_OPTION } from '../../chain/rpc-options.ts'
import { type ChainServers, runChain } from '../../chain/run.ts'
import {
  choiceWord,
  expectNone,
  integerOption,
  parseArguments,
  usage,
} from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import { EXIT_IF_UNAVAILABLE } from '../../processes/wait-for-servers.ts'
import { checkProvider } from './source-check.ts'
import { followStream } from './source-geyser.ts'

export const described = usage({
  line: 'source rpc | geyser | portal [URL] | check [--endpoint URL] [--rpc URL] [--portal [URL]] [--from SLOT | newest]',
  options: {
    from: {
      type: 'string',
      value: 'SLOT',
      about: 'first slot, or newest; absent: the slot after the last run, else newest',
    },
    venues: VENUES_OPTION,
    ...GEYSER_OPTIONS,
    ...RPC_OPTIONS,
    portal: { type: 'boolean', about: 'check: a portal, whose URL may follow' },
    'portal-header-file': PORTAL_HEADER_OPTION,
    seconds: {
      type: 'string',
      value: 'N',
      about: 'check: seconds that a stream is watched at most',
      default: '20',
    },
    'exit-if-unavailable': EXIT_IF_UNAVAILABLE,
  },
  notes: [
    'Follows the chain until it is stopped. After an interruption it first reads the slots that came meanwhile; ' +
      '--from newest leaves them out, and "swaptide coverage" lists the gap.',
    'A slot that the node does not return is requested until it comes: no slot is passed over.',
    '"geyser" fetches by RPC the slots that the stream does not prove complete, those before its first one too. ' +
      'Without an RPC node such a slot ends it, unless gaps are accepted: "swaptide coverage" then lists them.',
    '"check" examines a node (--rpc), a stream (--endpoint), a portal (--portal) or those that the environment names: a line per finding, with pass, ' +
      'warn or fail and what to do. Exit code 1 where one fails. It needs no servers of Swaptide.',
  ],
  examples: [
    'SOURCE_RPC_URL=https://rpc.example.com/KEY swaptide source rpc',
    'swaptide source rpc --rpc http://127.0.0.1:8899 --commitment finalized',
    'swaptide source geyser --endpoint https://geyser.example --x-token-file token',
    'SOURCE_RPC_URL=https://rpc.example.com/KEY swaptide source check',
    'swaptide source check --portal',
  ],
})

export const ending = 'drains'

const SLOT_MAX = 1e12

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [kind, ...words] = positionals
  const source = choiceWord('source', kind, [...FOLLOWING, 'check'] as const)
  const [url, ...rest] = words
  const takesUrl = source === 'portal' || (source === 'check' && values.portal === true)
  expectNone(described.line, takesUrl ? rest : words)
  if (source === 'check') return await checkProvider(values, url, context)
  const venues = readVenues(values.venues)
  const wanted =
    values.from === NEWEST ? NEWEST : integerOption('from', values.from, { min: 0, max: SLOT_MAX })
  if (source === 'geyser') return followStream({ ...values, venues, from: wanted }, context)
  const provider =
    source === 'portal'
      ? await openPortal(url, values, context)
      : nodeProvider(openRpc(values, context))
  const servers = await connectSource(context, values['exit-if-unavailable'])
  if (servers === undefined) return EXIT_OK
  try {
    const { commitment, host, client } = provider
    const key = { venues, decoderVersion: DECODER_VERSION, source, commitment }
    const observed = { key, endpoint: host, client }
    return await servers.observe(observed, (heartbeat) =>
      followChain({ provider, wanted, key, heartbeat }, context, servers),
    )
  } catch (error) {
    if (context.signal.aborted) return EXIT_OK
    throw error
  } finally {
    await servers.close()
  }
}

type ChainFollow = {
  provider: BlockProvider
  wanted: number | typeof NEWEST | undefined
  key: CoverageKey
  heartbeat: Heartbeat
}

async function followChain(
  { provider, wanted, key, heartbeat }: ChainFollow,
  context: CommandContext,
  servers: ChainServers,
): Promise<number> {
  const { venues } = key
  const newest = await provider.newestSlot(context.signal)
  const resumed = await findResumption(servers.db, venues, newest)
  const from = firstSlot(wanted, resumed?.slot, newest)
  const isNext = from === resumed?.slot && resumed.isNext
  const blocks = await PublishedBlocks.load(servers.db, from, isNext)
  context.progress.say(startOf(provider, from, newest))
  const { links } = blocks
  const chain = provider.follow({ from, venues, ...(links === undefined ? {} : { links }) })
  const onProgress = (progress: Readonly<SourceProgress>): void =>
    context.progress.update(() => describe(progress, chain.newestSlot))
  const { signal, progress } = context
  await runChain(chain, { key, blocks, heartbeat, signal, progress, onProgress }, servers)
  const { slots, swaps } = chain.counts
  const read = `${counted(slots, 'slot')}, ${counted(swaps, 'swap')}`
  context.stdout.write(`${[read, ...(provider.report?.parts() ?? [])].join('; ')}\n`)
  return EXIT_OK
}

function firstSlot(
  wanted: number | typeof NEWEST | undefined,
  resumed: number | undefined,
  newest: number,
): number {
  if (typeof wanted === 'number') return wanted
  return wanted === NEWEST ? newest : (resumed ?? newest)
}

function startOf({ host, commitment }: BlockProvider, from: number, newest: number): string {
  const lag = newest - from
  const lagText = lag > 0 ? `, ${counted(lag, 'slot')} before the newest one` : ''
  return `following ${host} (${commitment}) from slot ${from}${lagText}`
}

/** `slot 398202821, lag 2 slots, 1.3 s; 1,234 slots, 0 refused` */
function describe(
  { newest, units, refused }: Readonly<SourceProgress>,
  newestSlot: number,
): string {
  const read = `${counted(units, 'slot')}, ${grouped(refused)} refused`
  if (newest === undefined) return read
  const lagSlots = Math.max(0, newestSlot - newest.slot)
  const lagMs = Math.max(0, Date.now() - newest.timestampMs)
  return `slot ${newest.slot}, lag ${counted(lagSlots, 'slot')}, ${duration(lagMs)}; ${read}`
}
