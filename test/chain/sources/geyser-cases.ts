/**
 * The case of the Yellowstone source: a chain of recorded transactions on a gRPC server, one whose next slot does not
 * come, and one with swaps that cannot be read.
 */
import type { ExecutionContext } from 'ava'
import { CHAIN_SOURCES } from '../../../chain/sources/table.ts'
import type { SourceNotice } from '../../../streams/sources/source.ts'
import type { SourceCase } from '../../streams/sources/cases.ts'
import { type Order, type Step, scriptOf } from '../../support/chain/geyser/script.ts'
import { startGeyserServer } from '../../support/chain/geyser/server.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  makeChain,
  type ServedChain,
  withUnreadableSwap,
} from '../../support/chain/served-chain.ts'

const SLOTS = 40
const CHAIN = { slots: SLOTS, transactions: 60 }
const LAST_SLOT = FIRST_SLOT + SLOTS - 1
/** Slots with a block that gets a swap without its vault. */
const BROKEN_SLOTS = [FIRST_SLOT, LAST_SLOT]

async function optionsFor(t: ExecutionContext, script: readonly Step[]) {
  const server = await startGeyserServer({ script })
  t.teardown(() => server.stop())
  return { endpoint: server.url, to: LAST_SLOT }
}

function brokenChain(): { chain: ServedChain; notices: [SourceNotice['kind'], string][] } {
  const chain = makeChain(CHAIN)
  const notices = BROKEN_SLOTS.map((slot): [SourceNotice['kind'], string] => [
    'refused',
    `${slot} venue_3 ${withUnreadableSwap(chain, slot)}`,
  ])
  return { chain, notices }
}

/** Made once: it takes as long as reading it. */
const script = (order: Order): readonly Step[] =>
  (scripts[order] ??= scriptOf(makeChain(CHAIN), order))
const scripts: Partial<Record<Order, readonly Step[]>> = {}
const beginning = (steps: readonly Step[]) =>
  steps.filter((step) => 'slot' in step && step.slot === FIRST_SLOT)

export const GEYSER_CASE: SourceCase = {
  events: eventsOfChain(makeChain(CHAIN)),
  units: SLOTS,
  knowsItsEnd: false,
  whole: async (t) => CHAIN_SOURCES.geyser(await optionsFor(t, script('recorded'))),
  waiting: async (t) => CHAIN_SOURCES.geyser(await optionsFor(t, beginning(script('held')))),
  broken: {
    open: async (t) =>
      CHAIN_SOURCES.geyser(await optionsFor(t, scriptOf(brokenChain().chain, 'recorded'))),
    notices: brokenChain().notices,
  },
}
