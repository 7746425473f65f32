/** An installation with a market in all of its tables, its API, and exports of it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { parse as parseJson } from 'lossless-json'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../api/main.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { SILENT } from '../api/api-under-test.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../market/sample-swap.ts'
import { runHere, settingsOf } from '../programs/commands.ts'
import { temporaryFolder } from '../servers/servers.ts'
import { untilLedgerCaughtUp } from '../workers/ledger.ts'
import { openPipeline, type Pipeline } from '../workers/pipeline.ts'
import { runWorker } from '../workers/running-worker.ts'

export const REAL_SWAPS = new URL('../../data/venue_1_2025-09.ndjson', import.meta.url)
const BYTES_A_SWAP = 2_000
const LEAST_BYTES = 64 * 1024 * 1024
const INT64_MAX = 2n ** 63n - 1n
const HOUR_MS = 3_600_000
const FIRST_MS = Date.UTC(2026, 5, 2)
/** Simulated swaps of the test: more, by hand. */
export const swapsOfRun = (): number => Number(process.env.EXPORT_SWAPS ?? 20_000)

/** Longer than a busy machine takes for 1,000 swaps. */
const BOUND_MS_A_THOUSAND = 2_000

/** Two wallets whose sums pass int64, and one that sells more than it bought. */
function extremeSwaps(): Swap[] {
  return Array.from({ length: 24 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 390_000_000 + n,
      timestamp: FIRST_MS + n * HOUR_MS,
      user: trader(n % 3),
      tokenAddress: mint(n % 2),
      pairAddress: pair(n % 2),
      isBuy: n % 5 !== 3 && n !== 2,
      solAmount: n % 4 === 0 ? INT64_MAX : 9_007_199_254_740_993n,
      tokenAmount: n % 4 === 1 ? INT64_MAX : 2n ** 62n + BigInt(n),
      quoteDecimals: 9,
    }),
  )
}

/** Simulated swaps of all venues, extremes, and the files if they are there. */
export async function filledPipeline(
  t: ExecutionContext,
  swaps: number,
  files: readonly string[] = [],
): Promise<Pipeline> {
  const bytes = Math.max(LEAST_BYTES, swaps * BYTES_A_SWAP)
  const pipeline = await openPipeline(t, { swapMaxBytes: bytes, feedMaxBytes: bytes })
  const settings = settingsOf(pipeline)
  const worker = await runWorker(t, pipeline, {
    actors: ['pool', 'ledger'],
    ...{ swapMaxBytes: bytes, commitEveryMs: 50 },
  })
  const extremes = join(await temporaryFolder(t), 'extremes.ndjson')
  const lines = extremeSwaps().map((swap) => printEvent({ kind: 'swap', swap }))
  await writeFile(extremes, `${lines.join('\n')}\n`)
  const commands = [['ingest', extremes, ...files]]
  if (swaps > 0) commands.push(['simulate', '--swaps', String(swaps), '--seed', '31'])
  for (const argv of commands) {
    const { code, stderr } = await runHere(argv, settings)
    if (code !== 0) throw new Error(`swaptide ${argv.join(' ')}: ${stderr}`)
  }
  await untilLedgerCaughtUp(pipeline, 60_000 + (swaps / 1_000) * BOUND_MS_A_THOUSAND)
  await worker.stop()
  return pipeline
}

export type Json = Record<string, unknown>

/** Reads of the API over the installation; integers beyond 2^53 are bigints. */
export async function readerOf(
  t: ExecutionContext,
  { databaseUrl, db }: Pipeline,
): Promise<(path: string) => Promise<Json>> {
  const api = await startApi({
    ...{ databaseUrl, port: 0, log: SILENT },
    ...{ deadlineMs: 60_000, walkMs: 60_000 },
  })
  t.teardown(() => api.stop())
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  return async (path) => {
    const response = await fetch(api.url + path, { headers: { 'X-API-Key': key } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
    return parseJson(text, undefined, exactNumber) as Json
  }
}

/** A line of NDJSON in the same form. */
export const parseExact = (line: string): Json => parseJson(line, undefined, exactNumber) as Json

/** Integers that a double would round are bigints, all else numbers. */
function exactNumber(text: string): number | bigint {
  const near = Number(text)
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(near) ? BigInt(text) : near
}

type Manifest = {
  manifest_version: number
  created_ms: number
  options: Json
  program: Json
  snapshot: Json & { lanes: Json[] }
  files: {
    table: string
    name: string
    rows: number
    bytes: number
    sha256: string
    columns: { name: string; type: string; nullable: boolean; description: string }[]
  }[]
}

export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))
}

/** Every row of an exported NDJSON file. */
export async function linesOf(folder: string, table: string): Promise<string[]> {
  const text = await readFile(join(folder, `${table}.ndjson`), 'utf8')
  return text === '' ? [] : text.trimEnd().split('\n')
}
