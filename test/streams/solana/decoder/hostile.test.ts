// Transactions that were damaged at random: the decoder returns, counts them, and never throws.

import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { decodeBlock } from '../../../../streams/solana/decoder/decode.ts'
import { readGeyserBlock } from '../../../../streams/solana/decoder/forms/geyser.ts'
import { readRpcBlock } from '../../../../streams/solana/decoder/forms/rpc.ts'
import { readChainFile } from '../../../support/chain/chain-files.ts'
import { asGeyser } from '../../../support/chain/forms.ts'
import { chainAnswer, chainLines, testWithChain } from '../../../support/chain/real-chain.ts'
import { askedSeed } from '../../../support/seed.ts'

type Json = Record<string, unknown>

/** Each run uses another seed. */
const RUNS = 4_000

/** Values that a broken or hostile source may put anywhere. */
const HOSTILE: readonly unknown[] = [
  null,
  undefined,
  '',
  'x'.repeat(5_000),
  '1'.repeat(5_000),
  -1,
  1e300,
  Number.NaN,
  [],
  {},
  [[null]],
  '18446744073709551615',
  '99999999999999999999999999',
  new Uint8Array(3),
  Uint8Array.from({ length: 300 }, (_, index) => index),
  true,
]

function transactions(): Json[] {
  const block = JSON.parse(gunzipSync(readChainFile('block_285000037.json.gz')).toString('utf8'))
  const files = new Set(
    chainLines('EXPECTED.ndjson').map((line) => (line.test as { file: string }).file),
  )
  const alone = [...files].filter((file) => file.startsWith('transactions/')).map(chainAnswer)
  const inBlock = (block.transactions as Json[]).filter((each) => {
    const meta = each.meta as Json
    return meta.err === null && JSON.stringify(meta.logMessages).includes('ray_log')
  })
  return [...alone, ...inBlock]
}

/** Puts a hostile value into the object at the path of numbers. */
function damage(root: unknown, path: readonly number[], value: unknown): void {
  let node = root
  for (const step of path) {
    if (typeof node !== 'object' || node === null) return
    const names = Object.keys(node)
    if (names.length === 0) return
    const name = names[step % names.length] as string
    const child = (node as Json)[name]
    if (typeof child !== 'object' || child === null || step % 11 === 0) {
      ;(node as Json)[name] = typeof child === 'string' && step % 2 === 0 ? cut(child, step) : value
      return
    }
    node = child
  }
}

const cut = (text: string, step: number): string => text.slice(0, step % (text.length + 1))

testWithChain('returns for damaged transactions of every form, and counts each', (t) => {
  const originals = transactions()
  const seed = askedSeed() ?? Date.now() % 2 ** 31
  fc.assert(
    fc.property(
      fc.nat(originals.length - 1),
      fc.boolean(),
      fc.array(fc.tuple(fc.array(fc.nat(10_000), { maxLength: 9 }), fc.nat(HOSTILE.length - 1)), {
        minLength: 1,
        maxLength: 6,
      }),
      (which, isGeyser, damages) => {
        const original = structuredClone(originals[which] as Json)
        const transaction = isGeyser ? asGeyser(original, 0) : original
        for (const [path, value] of damages) damage(transaction, path, HOSTILE[value])
        const block = isGeyser
          ? readGeyserBlock({
              slot: '1',
              blockTime: { timestamp: '1' },
              transactions: [transaction],
            })
          : readRpcBlock({ blockTime: 1, transactions: [transaction] }, 1)
        if (block === undefined) return false
        const { transactionCount } = decodeBlock(block)
        return transactionCount === 1
      },
    ),
    { numRuns: RUNS, seed },
  )
  t.pass()
})
