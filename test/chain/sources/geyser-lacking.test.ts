/** Yellowstone streams that lack a part for good: a kind of update, or lists of results that were not recorded. */
import test from 'ava'
import { geyserSource } from '../../../chain/sources/geyser.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import {
  BEFORE,
  chain,
  expected,
  fetchOf,
  LAST_SLOT,
  run,
  script,
} from '../../support/chain/geyser/run.ts'
import type { Step } from '../../support/chain/geyser/script.ts'
import { startGeyserServer } from '../../support/chain/geyser/server.ts'
import { printed, readThrough } from '../../support/chain/read-through.ts'
import { eventsOfChain, FIRST_SLOT } from '../../support/chain/served-chain.ts'

const isStatus = (step: Step): boolean => step.kind === 'slot'
const isFinal = (step: Step): boolean =>
  step.kind === 'slot' && /CONFIRMED|FINALIZED/.test(String(step.update.status))

for (const [lacking, isLacking, after, message] of [
  ['statuses at the commitment', isFinal, undefined, /: no slot has it$/],
  ['statuses at the commitment', isFinal, BEFORE, /: no slot has it$/],
  ['all but statuses', (step: Step) => !isStatus(step), undefined, /slot with it is \d+$/],
] as const) {
  const begun = after === undefined ? 'without' : 'with'
  test(`fails for a while when a stream lacks ${lacking}, ${begun} a cursor`, async (t) => {
    const steps = script('recorded').filter((step) => !isLacking(step))
    const server = await startGeyserServer({ script: steps, blockMs: 10 })
    t.teardown(() => server.stop())
    const times = { silentMs: 60_000, stalledMs: 1_500 }
    const source = geyserSource({ endpoint: server.url, times, fetchSlots: fetchOf(chain) })
    const reading = (async () => {
      for await (const _ of source.open(after, new AbortController().signal)) t.fail()
    })()
    const error = await t.throwsAsync(reading, { instanceOf: SourceError, message })
    t.true(error?.isRetryable)
    t.regex(error?.message ?? '', /no slot at the commitment came for 1\.5 s although updates come/)
  })
}

test('fetches from the first slot of a stream that brings none whole', async (t) => {
  for (const order of ['recorded', 'held'] as const) {
    const steps = script(order).filter(({ kind }) => kind !== 'meta')
    const server = await startGeyserServer({ script: steps })
    t.teardown(() => server.stop())
    const last = LAST_SLOT - 20
    const options = { endpoint: server.url, to: last, fetchSlots: fetchOf(chain) }
    const { events } = await readThrough(geyserSource(options), undefined)
    const [first] = events
    const from = first?.kind === 'swap' ? first.swap.slot : 0
    t.true(from > 0 && from < FIRST_SLOT + 20)
    // The last range that is fetched may reach beyond it.
    t.true(printed(events).startsWith(printed(eventsOfChain(chain, from, last))), order)
  }
})

test('fetches a slot whose results were not recorded whole', async (t) => {
  const signatures = new Set(
    eventsOfChain(chain).map((event) => (event.kind === 'swap' ? event.swap.signature : '')),
  )
  const isWanted = (step: Step): boolean =>
    step.kind === 'transaction' &&
    signatures.has(encodeBase58(step.transaction.update.signature as Uint8Array))
  const at = script('held').findIndex(isWanted)
  for (const parts of [
    { innerInstructions: [], innerInstructionsNone: true },
    { logMessages: [], logMessagesNone: true },
  ]) {
    const step = script('held')[at]
    if (step?.kind !== 'transaction') throw new Error('expected a transaction')
    const { update } = step.transaction
    const meta = { ...(update.meta as object), ...parts }
    const transaction = { ...step.transaction, update: { ...update, meta } }
    const steps = script('held').toSpliced(at, 1, { ...step, transaction })
    const { events, fetched } = await run(t, steps)
    t.deepEqual(fetched, [[step.slot, step.slot]])
    t.true(printed(events) === expected)
    const alone = run(t, steps, { source: { fetchSlots: undefined } })
    await t.throwsAsync(alone, { message: /slots \d+ to \d+ did not come whole: name an RPC/ })
  }
})
