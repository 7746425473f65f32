/** A token line distinguishes present fields from absent ones, as text and as bytes. */
import test from 'ava'
import type { Token } from '../../../domain/events/token.ts'
import { decodeEventBatch, encodeEventBatch } from '../../../streams/codec/event-codec.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { MINT, NOW_MS, WALLET } from '../../support/events/sample-event.ts'

const TOKENS: [string, Token][] = [
  ['the mint only', { tokenAddress: MINT, slot: 0 }],
  ['zero decimals and no supply', { tokenAddress: MINT, slot: 7, decimals: 0, supply: 0 }],
  ['empty texts', { tokenAddress: MINT, slot: 0, symbol: '', name: '', sector: '' }],
  ['a supply beyond doubles', { tokenAddress: MINT, slot: 1, supply: 2n ** 63n - 1n }],
  ['all fields', { tokenAddress: MINT, slot: 9, creator: WALLET, decimals: 18, symbol: 'Ω🌊' }],
]

for (const [what, token] of TOKENS) {
  test(`round-trips a token line of ${what}`, (t) => {
    const event = { kind: 'token' as const, token }
    t.deepEqual(parseEvent(printEvent(event), NOW_MS), { event })
    const [decoded] = decodeEventBatch(encodeEventBatch([event]))
    t.deepEqual(decoded?.kind === 'token' ? decoded.token : undefined, token)
  })
}
