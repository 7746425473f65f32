/**
 * An SQD Portal over real HTTP: it serves a chain up to its newest slot by the rules of its published source, checks each
 * request as strictly, counts them, and misbehaves as a test demands.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Json, ServedBlock, ServedChain } from '../served-chain.ts'
import { headerOf, portalLine } from './portal-form.ts'
import { type PortalFilter, type PortalRequest, refusalOf } from './portal-request.ts'

/**
 * - `cut_line`, `cut_frame`: the answer breaks off inside a line, or inside its packed bytes
 * - `short`: it ends after its first block, on the boundary of a line
 * - `empty`: status 200 without a block
 * - `missing_block`: the second block of the answer is left out
 * - `no_head`: the newest block is null, as briefly after a restart
 * - a number: that status
 */
export type PortalFault =
  | 'cut_line'
  | 'cut_frame'
  | 'short'
  | 'empty'
  | 'missing_block'
  | 'no_head'
  | number

type PortalRequested = {
  path: string
  body: PortalRequest | undefined
  attempt: number
  headers: IncomingHttpHeaders
}

export type PortalServerOptions = {
  newest?: number
  /** Slots that no fork can replace any more. */
  finalized?: number
  /** Blocks of one answer at most. */
  pageBlocks?: number
  disturb?: (requested: PortalRequested) => PortalFault | undefined
  dropsLogs?: (signature: string) => boolean
  dropsRecords?: (signature: string) => boolean
  /** Milliseconds that a request beyond the newest block waits. */
  waitMs?: number
  /** Packs the answer by this encoding whatever the client accepts. */
  encoding?: 'zstd' | 'gzip' | 'identity'
  /** Lists the blocks of a fork newest first. */
  listsNewestFirst?: boolean
  /** Status for a time after all blocks: 404 in the published source, 204 in the specification. */
  statusOfLateTimes?: 404 | 204
  /** Where a status of 3xx leads. */
  redirectsTo?: string
  /** Text of a refused request. */
  refusal?: (headers: IncomingHttpHeaders) => string
  /** Lists no block of a fork. */
  listsNone?: boolean
}

const DATASET = '/datasets/solana-mainnet'
const PAGE_BLOCKS = 50
/** Blocks of the chain that a fork's answer lists. */
const PREVIOUS_BLOCKS = 20
const WAIT_MS = 50

export async function startPortal(
  chain: ServedChain,
  options: PortalServerOptions = {},
): Promise<PortalServer> {
  const portal = new PortalServer(chain, options)
  await portal.listen()
  return portal
}

type Listed = readonly (readonly [slot: number, block: ServedBlock])[]

export class PortalServer {
  readonly chain: ServedChain
  readonly requests: PortalRequested[] = []
  newest: number
  finalized: number
  disturb: PortalServerOptions['disturb']
  listsNewestFirst: boolean
  readonly #options: PortalServerOptions
  readonly #attempts = new Map<string, number>()
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy())
  })

  constructor(chain: ServedChain, options: PortalServerOptions) {
    this.chain = chain
    this.newest = options.newest ?? chain.to
    this.finalized = options.finalized ?? this.newest
    this.disturb = options.disturb
    this.listsNewestFirst = options.listsNewestFirst ?? false
    this.#options = options
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}${DATASET}`
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  #blocks(isWanted: (slot: number) => boolean): Listed {
    return Array.from(this.chain.blocks).filter(([slot]) => isWanted(slot))
  }

  #newestBlock(limit: number): number {
    return Math.max(...this.#blocks((slot) => slot <= limit).map(([slot]) => slot))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').slice(DATASET.length)
    const sent = await text(request)
    const body = sent === '' ? undefined : (JSON.parse(sent) as PortalRequest)
    const name = `${path}:${body?.fromBlock ?? ''}`
    const attempt = this.#attempts.get(name) ?? 0
    this.#attempts.set(name, attempt + 1)
    const requested = { path, body, attempt, headers: request.headers }
    this.requests.push(requested)
    const fault = this.disturb?.(requested)
    if (typeof fault === 'number') {
      response.writeHead(fault, {
        ...(fault === 429 || fault === 529 ? { 'retry-after': '1' } : {}),
        ...(fault >= 300 && fault < 400 ? { location: this.#options.redirectsTo ?? '/' } : {}),
      })
      const message = this.#options.refusal?.(request.headers) ?? 'not now'
      response.end(JSON.stringify({ error: { type: 'busy', code: fault, message } }))
    } else if (body === undefined) this.#answerGet(path, response, fault)
    else await this.#answerStream({ path, body, fault }, request, response)
  }

  #answerGet(path: string, response: ServerResponse, fault?: PortalFault): void {
    const [, seconds] = /^\/timestamps\/(\d+)\/block$/.exec(path) ?? []
    if (path === '/head' || path === '/finalized-head') {
      const slot = this.#newestBlock(path === '/head' ? this.newest : this.finalized)
      const hash = this.chain.blocks.get(slot)?.blockhash
      sendJson(response, fault === 'no_head' ? null : { number: slot, hash })
    } else if (path === '/metadata') {
      sendJson(response, {
        dataset: 'solana-mainnet',
        aliases: [],
        real_time: true,
        start_block: 0,
      })
    } else if (seconds !== undefined) {
      const known = this.#blocks((slot) => slot <= this.newest)
      const found = known.find(([, { blockTime }]) => (blockTime ?? 0) >= Number(seconds))
      if (found === undefined) response.writeHead(this.#options.statusOfLateTimes ?? 404).end()
      else sendJson(response, { block_number: found[0] })
    } else response.writeHead(404).end('no such path')
  }

  async #answerStream(
    { path, body, fault }: { path: string; body: PortalRequest; fault: PortalFault | undefined },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const refusal = refusalOf(body)
    const limit = path === '/stream' ? this.newest : this.finalized
    const before = this.#blocks((slot) => slot < body.fromBlock)
    const parent = before.at(-1)?.[1].blockhash
    if (refusal !== undefined) response.writeHead(400).end(refusal)
    else if (body.parentBlockHash !== undefined && body.parentBlockHash !== parent) {
      const known = this.#options.listsNone === true ? [] : before.slice(-PREVIOUS_BLOCKS)
      const listed = known.map(([number, { blockhash }]) => {
        return { number, hash: blockhash }
      })
      const previousBlocks = this.listsNewestFirst ? listed.toReversed() : listed
      response.writeHead(409, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ previousBlocks }))
    } else if (body.fromBlock > this.#newestBlock(limit)) {
      await sleep(this.#options.waitMs ?? WAIT_MS)
      response.writeHead(204).end()
    } else {
      const to = Math.min(body.toBlock ?? limit, limit)
      const blocks = this.#blocks((slot) => slot >= body.fromBlock && slot <= to)
      const page = blocks.slice(0, this.#options.pageBlocks ?? PAGE_BLOCKS)
      this.#sendLines(this.#lines(page, body, fault), request, response, fault)
    }
  }

  #lines(page: Listed, body: PortalRequest, fault: PortalFault | undefined): string[] {
    if (fault === 'empty') return []
    const { instructions = [], includeAllBlocks } = body
    const isWhole = ({ transactionInstructions = false }: PortalFilter) => transactionInstructions
    const programs = new Set(instructions.filter(isWhole).flatMap(({ programId }) => programId))
    const single = instructions.filter((filter) => !isWhole(filter))
    const named = instructions.flatMap(({ mentionsAccount = [] }) => mentionsAccount)
    const mentions = named.length === 0 ? undefined : new Set(named)
    const all = page.map(([slot, block]): Json => {
      if (programs.size === 0) return { header: headerOf(slot, block) }
      return portalLine(slot, block, programs, { ...this.#options, mentions, single })
    })
    // The first and the last block of what was looked at always come.
    const lines = all.filter(
      (line, at) =>
        includeAllBlocks === true || at === 0 || at === all.length - 1 || 'transactions' in line,
    )
    if (fault === 'short') lines.length = Math.min(1, lines.length)
    if (fault === 'missing_block') lines.splice(1, 1)
    return lines.map((line) => `${JSON.stringify(line)}\n`)
  }

  #sendLines(
    lines: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
    fault: PortalFault | undefined,
  ): void {
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const encoding = this.#options.encoding ?? (accepted.includes('zstd') ? 'zstd' : 'gzip')
    const whole = lines.join('')
    const shown = fault === 'cut_line' ? [whole.slice(0, Math.ceil(whole.length * 0.7))] : lines
    const packed = pack(shown, encoding)
    response.writeHead(200, {
      'content-type': 'application/jsonl',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      'x-sqd-head-number': this.#newestBlock(this.newest),
      'x-sqd-finalized-head-number': this.#newestBlock(this.finalized),
    })
    response.end(fault === 'cut_frame' ? packed.subarray(0, packed.length - 7) : packed)
  }
}

function sendJson(response: ServerResponse, json: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
}

/** A zstd answer is a frame for each result of a worker, here two blocks; a gzip answer is one member. */
function pack(lines: readonly string[], encoding: 'zstd' | 'gzip' | 'identity'): Buffer {
  if (encoding === 'identity') return Buffer.from(lines.join(''))
  if (encoding === 'gzip') return gzipSync(lines.join(''), { level: 1 })
  const frames: Buffer[] = []
  for (let at = 0; at < lines.length; at += 2) {
    frames.push(zstdCompressSync(lines.slice(at, at + 2).join('')))
  }
  return Buffer.concat(frames)
}
