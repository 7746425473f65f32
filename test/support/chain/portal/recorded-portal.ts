/**
 * A portal that serves the recorded block in every slot, each with signatures of its own, linked by hashes: a stream of lines packed
 * as a frame of zstd each, as fast as the reader takes them, or a block each so many milliseconds.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, zstdCompressSync } from 'node:zlib'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { VENUES } from '../../../../domain/venue.ts'
import { FIRST_SLOT, recordedBlock } from '../served-chain.ts'
import { portalLine } from './portal-form.ts'

const DATASET = '/datasets/solana-mainnet'
const FIRST_SECOND = 1_724_267_500
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** `blockMs`: milliseconds between two blocks; absent: all slots are there from the beginning. */
export type PortalServing = { slots: number; blockMs?: number }

/** The line of the recorded block in the parts between its signatures, after its header. */
function recordedParts(): string[] {
  const block = recordedBlock()
  const programs = new Set(VENUES.map(({ program }) => program))
  const { header: _, ...lists } = portalLine(FIRST_SLOT, block, programs)
  const line = JSON.stringify(lists)
  const { transactions } = lists as { transactions: { signatures: string[] }[] }
  let rest = line
  const parts: string[] = []
  for (const { signatures } of transactions) {
    for (const signature of signatures) {
      const at = rest.indexOf(signature)
      parts.push(rest.slice(0, at))
      rest = rest.slice(at + signature.length)
    }
  }
  return [...parts, rest]
}

const hashOf = (name: string, algorithm: 'sha256' | 'sha512'): string =>
  encodeBase58(createHash(algorithm).update(name).digest())
const blockhashOf = (slot: number): string => hashOf(`block ${slot}`, 'sha256')

export class PortalOfRecordedBlocks {
  readonly #parts = recordedParts()
  readonly #slots: number
  readonly #blockMs: number | undefined
  #begunAt = performance.now()
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy())
  })

  constructor({ slots, blockMs }: PortalServing) {
    this.#slots = slots
    this.#blockMs = blockMs
  }

  get #newest(): number {
    const last = FIRST_SLOT + this.#slots - 1
    if (this.#blockMs === undefined) return last
    return Math.min(
      last,
      FIRST_SLOT + Math.floor((performance.now() - this.#begunAt) / this.#blockMs),
    )
  }

  /** The URL of its dataset. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.#begunAt = performance.now()
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${DATASET}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request)
    if (request.method === 'GET') {
      const slot = this.#newest
      response.end(JSON.stringify({ number: slot, hash: blockhashOf(slot) }))
      return
    }
    const { fromBlock, toBlock = Number.MAX_SAFE_INTEGER } = JSON.parse(sent)
    if (fromBlock >= FIRST_SLOT + this.#slots) {
      response.writeHead(204).end()
      return
    }
    while (this.#newest < fromBlock) await sleep(this.#blockMs ?? 0)
    response.writeHead(200, {
      'content-type': 'application/jsonl',
      'content-encoding': 'zstd',
      'x-sqd-head-number': this.#newest,
    })
    const last = Math.min(toBlock, this.#newest)
    for (let slot = fromBlock; slot <= last && !response.destroyed; slot++) {
      if (!response.write(this.#frame(slot))) await once(response, 'drain')
    }
    response.end()
  }

  #frame(slot: number): Buffer {
    const header = {
      ...{ number: slot, hash: blockhashOf(slot) },
      ...{ parentNumber: slot - 1, parentHash: blockhashOf(slot - 1) },
      timestamp: FIRST_SECOND + Math.floor((slot - FIRST_SLOT) / 2.5),
    }
    const pieces = this.#parts.flatMap((part, at) => [part, hashOf(`${slot}:${at}`, 'sha512')])
    const lists = pieces.slice(0, -1).join('')
    return zstdCompressSync(`{"header":${JSON.stringify(header)},${lists.slice(1)}\n`, LEVEL)
  }
}
