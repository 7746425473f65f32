/**
 * Writes the golden bytes of the format that this version writes, once: a format whose file exists is never written
 * again, because installations hold its bytes. `npx node test/support/history/write-golden.ts`
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { encodeBlock } from '../../../history/codec/block.ts'
import { FORMAT } from '../../../history/codec/envelope.ts'
import { orderPostings } from '../../../history/codec/postings/order.ts'
import { largePostings, poolPostings } from '../../../history/codec/postings/pool.ts'
import type { Posting } from '../../../history/codec/postings/row-list.ts'
import { signaturePostings } from '../../../history/codec/postings/signature.ts'
import { walletPostings } from '../../../history/codec/postings/wallet.ts'
import type { SealedSwap } from '../../../history/codec/row.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { type Golden, goldenLine, goldenPath, writtenRow } from './golden.ts'
import { extremeRows, ROW, signature } from './row-cases.ts'
import { segmentOf } from './sealed-rows.ts'

const recorded = (file: string, count: number): SealedSwap[] => {
  const text = readFileSync(new URL(`../../data/${file}`, import.meta.url), 'utf8')
  const events = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const parsed = parseEvent(line, Date.UTC(2026, 0, 1))
      return 'event' in parsed && parsed.event.kind === 'swap' ? [parsed.event] : []
    })
  return segmentOf(events).rows.slice(0, count)
}

/** Prices before and after, two pools of two venues, signatures that two rows share. */
const concentrated = Array.from({ length: 12 }, (_, index): SealedSwap => {
  const before = index < 2 ? null : 0.2 + index / 1_000
  return {
    ...ROW,
    ...{ slot: ROW.slot + index, dex: index % 2 === 0 ? 4 : 9, pool_id: 20 + (index % 2) },
    ...{
      pool_price: 0.202 + index / 1_000,
      price_before: before,
      wallet_tags: index % 3 === 0 ? 5 : null,
    },
    ...{ price_after: before === null ? null : 0.202 + index / 1_000, is_buy: index % 3 === 0 },
    signature: signature(Math.floor(index / 2)),
  }
})

const BLOCKS: Record<string, SealedSwap[]> = {
  empty: [],
  'a single swap': [ROW],
  'extremes of every column': extremeRows(),
  'concentrated liquidity': concentrated,
  'fees outside the legs': concentrated.map((row, index) => ({
    ...{ ...row, dex: 2, outside_protocol_bps: 5 },
    outside_creator_bps: index % 4 === 3 ? null : 95 - 5 * (index % 2),
  })),
  'recorded curve': recorded('venue_1_2025-09.ndjson', 40),
  'recorded block': recorded('venue_3_block_285000037.ndjson', 40),
}

const HASH = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
const LISTS = new Map([
  [3, { slots: [400_000_000, 400_000_000, 400_053_999], rows: [5, 2, 16_777_215] }],
  [11, { slots: [400_000_001], rows: [9] }],
])
const HEAVY = {
  slots: Array.from({ length: 601 }, (_, n) => 400_000_000 + n),
  rows: [...Array(601).keys()],
}

function* postings(): Generator<{ posting: Posting; meaning: unknown }> {
  const halves = Int32Array.of(-1, 7, 5, -9, -1, 8)
  for (const posting of signaturePostings(halves, 0)) {
    yield {
      posting,
      meaning: {
        marks: [
          [0xffffff, [0, 2]],
          [0, [1]],
          [1, []],
        ],
      },
    }
  }
  const wallets = new Map([...LISTS, [12, HEAVY]])
  for (const posting of walletPostings(wallets, 0, 400_000_000)) {
    if (posting.kind === 'wallet') {
      yield { posting, meaning: { wallets: [...LISTS, [12, 'heavy'], [13, null]] } }
    } else {
      const from = 600 * posting.part
      yield {
        posting,
        meaning: {
          slots: HEAVY.slots.slice(from, from + 600),
          rows: HEAVY.rows.slice(from, from + 600),
        },
      }
    }
  }
  const slots = [
    { slot: 400_000_000, rows: [3, 1], blockhashes: [HASH] },
    { slot: 400_000_001, rows: [16_777_215], blockhashes: [HASH, '1'.repeat(32)] },
    { slot: 400_000_007, rows: [0], blockhashes: [] },
  ]
  for (const posting of orderPostings(slots, 400_000_000)) yield { posting, meaning: slots }
  const runs = [
    { slice: 0, firstRow: 4, rowCount: 2 },
    { slice: 5, firstRow: 16_777_214, rowCount: 1 },
  ]
  for (const posting of poolPostings(
    new Map([
      [7, runs],
      [263, runs.slice(0, 1)],
    ]),
  )) {
    yield {
      posting,
      meaning: {
        pools: [
          [7, runs],
          [263, runs.slice(0, 1)],
          [519, []],
        ],
      },
    }
  }
  const large = LISTS.get(3)!
  for (const posting of largePostings(new Map([[0, large]]))) yield { posting, meaning: large }
}

const path = goldenPath(FORMAT)
if (existsSync(path))
  throw new Error(`format ${FORMAT} has its golden bytes: raise FORMAT for others`)
const golden: Golden[] = [
  ...Object.entries(BLOCKS).map(([name, rows]) => ({
    ...{ name, kind: 'block', bytes: encodeBlock(rows), meaning: rows.map(writtenRow) },
  })),
  ...Array.from(postings(), ({ posting, meaning }) => ({
    ...{
      name: `${posting.kind} ${posting.part}`,
      kind: posting.kind,
      bytes: posting.bytes,
      meaning,
    },
  })),
]
writeFileSync(path, `${golden.map(goldenLine).join('\n')}\n`)
