/** Programs of the measurement of a portal: its server and its reader, a process each, so that CPU and memory are the reader's. */
import { PortalClient } from '../../../chain/sources/portal/client.ts'
import { portalRangeSource, portalSource } from '../../../chain/sources/portal.ts'
import { FIRST_SLOT, PortalOfRecordedBlocks, type PortalServing } from '../../test-support.ts'
import { programOptions, sendToStarter, untilStopRequested } from '../program.ts'

/** `cpuMs`, `events`: of the blocks after the warm-up; `peakMiB`: of the process. */
export type PortalMessage =
  | { kind: 'ready'; url: string }
  | { kind: 'read'; cpuMs: number; events: number; peakMiB: number }
/** `streams` is absent to follow the chain. */
type Reading = { url: string; streams?: number; warmUpBlocks: number; blocks: number }
export type PortalRequest = PortalServing | Reading

const KIB_A_MIB = 1024

const request = programOptions<PortalRequest>()
if ('url' in request) await read(request)
else await serve(request)
process.disconnect?.()

async function serve(serving: PortalServing): Promise<void> {
  const server = new PortalOfRecordedBlocks(serving)
  sendToStarter<PortalMessage>({ kind: 'ready', url: await server.start() })
  await untilStopRequested()
  await server.stop()
}

async function read({ url, streams, warmUpBlocks, blocks }: Reading): Promise<void> {
  const client = new PortalClient({ url, requestsPerSecond: 1_000 })
  const eventsOf = async (from: number, to: number): Promise<number> => {
    const range = { client, from, to }
    const source =
      streams === undefined ? portalSource(range) : portalRangeSource({ ...range, streams })
    let events = 0
    for await (const batch of source.open(undefined, new AbortController().signal)) {
      events += batch.events.length
    }
    return events
  }
  const begin = FIRST_SLOT + warmUpBlocks
  // To its end: blocks that were read ahead belong to the part that wanted them.
  await eventsOf(FIRST_SLOT, begin - 1)
  const begun = process.cpuUsage()
  const events = await eventsOf(begin, begin + blocks - 1)
  const { user, system } = process.cpuUsage(begun)
  const peakMiB = process.resourceUsage().maxRSS / KIB_A_MIB
  sendToStarter<PortalMessage>({
    ...{ kind: 'read', cpuMs: (user + system) / 1_000 },
    ...{ events, peakMiB },
  })
}
