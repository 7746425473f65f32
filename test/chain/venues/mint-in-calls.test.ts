/** Venues with calls that name the pool and no mint, by recorded transactions: --mint reads their pools by address. */
import test from 'ava'
import { decodeBlock } from '../../../chain/decode.ts'
import { readBlockFile } from '../../../chain/forms/files/block-file.ts'
import type { ChainBlock } from '../../../chain/transaction/transaction.ts'
import { VENUES, venueOf } from '../../../domain/venue.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { singleTransactions } from '../../support/chain/real-chain.ts'

const BLOCK = 'block_285000037.json.gz'
/** Venues of which a swap of the chain is in the repository; another one may be added without. */
const RECORDED_VENUES = 10

function* blocks(): Generator<ChainBlock> {
  yield* readBlockFile(readChainFile(BLOCK), BLOCK)
  for (const [file, answer] of singleTransactions()) {
    yield* readBlockFile(Buffer.from(JSON.stringify(answer)), file)
  }
}

/** By venue, whether each of its swaps is of a call that names the pool and the mint. */
function* swapsOf(block: ChainBlock): Generator<readonly [dex: number, namesMint: boolean]> {
  const bySignature = new Map(
    Array.from(block.transactions, (each) => [each?.signature, each] as const),
  )
  for (const event of decodeBlock(block).events) {
    if (event.kind !== 'swap') continue
    const { dex, signature, pairAddress, tokenAddress } = event.swap
    const transaction = bySignature.get(signature)
    const names = transaction?.instructions
      .filter(({ program }) => transaction.key(program) === venueOf(dex).program)
      .map(({ accounts }) => new Set(Array.from(accounts, (at) => transaction.key(at))))
      .some((accounts) => accounts.has(pairAddress) && accounts.has(tokenAddress))
    yield [dex, names === true]
  }
}

test('venues with calls that name no mint are those that their rows state', (t) => {
  const found = new Map<number, boolean>()
  for (const block of blocks()) {
    for (const [dex, namesMint] of swapsOf(block)) {
      found.set(dex, (found.get(dex) ?? false) || !namesMint)
    }
  }
  const recorded = VENUES.filter(({ dex }) => found.has(dex))
  t.true(recorded.length >= RECORDED_VENUES)
  t.deepEqual(
    recorded.map(({ dex }) => [dex, found.get(dex)]),
    recorded.map(({ dex, hasCallsWithoutMint = false }) => [dex, hasCallsWithoutMint]),
  )
})
