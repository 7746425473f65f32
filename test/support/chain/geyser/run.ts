/**
 * The Yellowstone source over a served chain: its script, what must come of it, and the other provider of its slots.
 */
import type { ExecutionContext } from 'ava'
import { readRpcBlock } from '../../../../chain/forms/rpc.ts'
import type { FetchSlots } from '../../../../chain/sources/blocks/slot-block.ts'
import { type GeyserOptions, geyserSource } from '../../../../chain/sources/geyser.ts'
import { printed, type ReadThrough, readThrough } from '../read-through.ts'
import { eventsOfChain, FIRST_SLOT, makeChain, type ServedChain } from '../served-chain.ts'
import { type Order, type Step, scriptOf } from './script.ts'
import { type GeyserServer, type GeyserServerOptions, startGeyserServer } from './server.ts'

const SLOTS = 80
export const BEFORE = String(FIRST_SLOT - 1)
export const LAST_SLOT = FIRST_SLOT + SLOTS - 1
export const chain = makeChain({ slots: SLOTS, transactions: 12 })
const scripts: Partial<Record<Order, Step[]>> = {}

/** Made once: it takes as long as reading it. */
export function script(order: Order): Step[] {
  scripts[order] ??= scriptOf(chain, order)
  return scripts[order]
}

export const expected = printed(eventsOfChain(chain))

/** Another provider of a chain. */
export const fetchOf = (served: ServedChain): FetchSlots =>
  async function* fetch(from, to) {
    for (let slot = from; slot <= to; slot++) {
      const answer = served.blocks.get(slot)
      const block = answer === undefined ? undefined : readRpcBlock(answer, slot)
      if (answer === undefined || block === undefined) yield { slot, block: undefined }
      else {
        const { blockhash, parentSlot, previousBlockhash: parentBlockhash } = answer
        yield { slot, block, link: { blockhash, parentSlot, parentBlockhash } }
      }
    }
  }

type Run = ReadThrough & { server: GeyserServer; fetched: [number, number][] }

type RunOptions = {
  server?: Omit<GeyserServerOptions, 'script'>
  source?: Partial<GeyserOptions>
  onBatch?: (server: GeyserServer) => Promise<void>
}

/** Reads the script from the first slot of the chain to the last. */
export async function run(
  t: ExecutionContext,
  steps: readonly Step[],
  { server: serverOptions = {}, source = {}, onBatch }: RunOptions = {},
): Promise<Run> {
  const server = await startGeyserServer({ script: steps, ...serverOptions })
  t.teardown(() => server.stop())
  const fetched: [number, number][] = []
  const geyser = geyserSource({
    endpoint: server.url,
    to: LAST_SLOT,
    fetchSlots: fetchOf(chain),
    onFetch: (from, to) => fetched.push([from, to]),
    ...source,
  })
  const read = await readThrough(geyser, BEFORE, async () => onBatch?.(server))
  return { ...read, server, fetched }
}
