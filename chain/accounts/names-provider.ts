/**
 * Names of mints by a Solana node: the mint's own account, else Metaplex's account of it, else a provider of DAS. Only
 * the first of them that states a name or a symbol counts.
 *
 * Requests are paced, so that names never take the node from the readers of balances and mints.
 */
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import type { Log } from '../../domain/log.ts'
import { OWN_SCHEMA } from '../../domain/own-schema.ts'
import { cleanTexts, type TokenTexts } from '../../domain/text/token-text.ts'
import { openNode, type SolanaNode } from '../rpc/json-rpc.ts'
import { Pacing } from '../rpc/pacing.ts'
import { throwIfRefused, UnusableAnswer } from '../rpc/rpc-answer.ts'
import { METADATA_PROGRAM } from '../transaction/metadata-call.ts'
import { assetsRequest, readAssets } from './assets.ts'
import { metadataAddress } from './metadata-address.ts'
import {
  type RawAccount,
  readMetaplexNames,
  readMintStatement,
  readPointedNames,
} from './mint-names.ts'

const NAME_SOURCES = ['token_2022', 'metaplex', 'das'] as const
type NameSource = (typeof NAME_SOURCES)[number]
export type FoundNames = TokenTexts & { readonly source: NameSource }

export type NamesProvider = {
  /** Cleaned names by mint; a mint without any is absent. At most 100 mints. Rejects as SolanaNode.request. */
  find(mints: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, FoundNames>>
}

type NamesOptions = {
  rpcUrl: string
  log: Log
  /** A provider of DAS; absent: accounts only. */
  dasUrl?: string | undefined
  requestsPerSecond?: number
  timeoutMs?: number
}

/** Accounts that getMultipleAccounts returns at most. */
export const MINTS_A_REQUEST = 100
const REQUESTS_PER_SECOND = 2
const TIMEOUT_MS = 10_000
/** An extension has 64 KiB at most. A pointer may name an account of megabytes, of which the rest is not read. */
const ACCOUNT_BYTES_MAX = 70_000

const value = Type.Union([
  Type.Null(),
  Type.Object({ owner: Type.String(), data: Type.Tuple([Type.String(), Type.Literal('base64')]) }),
])
const answered = Type.Object({ result: Type.Object({ value: Type.Array(value) }) })
const ajv = new Ajv(OWN_SCHEMA)
const isAnswered = ajv.compile<Static<typeof answered>>(answered)

export function openNames(options: NamesOptions): NamesProvider {
  const { log, dasUrl, timeoutMs = TIMEOUT_MS, requestsPerSecond = REQUESTS_PER_SECOND } = options
  const pacing = new Pacing(requestsPerSecond)
  const node = openNode('name provider', { rpcUrl: options.rpcUrl, log, timeoutMs })
  const das = dasUrl && openNode('DAS provider', { rpcUrl: dasUrl, log, timeoutMs })
  return {
    async find(mints, signal) {
      if (mints.length > MINTS_A_REQUEST) {
        throw new RangeError(`${mints.length} mints: expected at most ${MINTS_A_REQUEST}`)
      }
      const search = new Search(mints, node, pacing, signal)
      await search.readMints()
      await search.readOthers()
      if (das) await search.readAssets(das)
      return search.found
    },
  }
}

/** One look-up: each step fills in what the ones before did not find. */
class Search {
  readonly found = new Map<string, FoundNames>()
  readonly #mints: readonly string[]
  readonly #node: SolanaNode
  readonly #pacing: Pacing
  readonly #signal: AbortSignal
  readonly #pointers = new Map<string, string>()

  constructor(mints: readonly string[], node: SolanaNode, pacing: Pacing, signal: AbortSignal) {
    this.#mints = mints
    this.#node = node
    this.#pacing = pacing
    this.#signal = signal
  }

  async readMints(): Promise<void> {
    const accounts = await this.#accountsOf(this.#mints)
    for (const mint of this.#mints) {
      const account = accounts.get(mint)
      if (account === undefined) continue
      const { names, pointsTo } = readMintStatement(mint, account)
      if (pointsTo !== undefined) this.#pointers.set(mint, pointsTo)
      this.#add(mint, 'token_2022', names)
    }
  }

  /** The account that a mint's pointer names, else Metaplex's. */
  async readOthers(): Promise<void> {
    const rest = this.#missing()
    const addresses = new Set(
      rest.flatMap((mint) => [this.#pointers.get(mint) ?? '', metadataAddress(mint)]),
    )
    addresses.delete('')
    const accounts = await this.#accountsOf([...addresses])
    for (const mint of rest) {
      const pointed = accounts.get(this.#pointers.get(mint) ?? '')
      const names = pointed && readPointedNames(mint, pointed)
      const isOfMint = pointed?.owner !== METADATA_PROGRAM
      if (names !== undefined) this.#add(mint, isOfMint ? 'token_2022' : 'metaplex', names)
      const account = accounts.get(metadataAddress(mint))
      if (account !== undefined) this.#add(mint, 'metaplex', readMetaplexNames(mint, account))
    }
  }

  async readAssets(das: SolanaNode): Promise<void> {
    const rest = this.#missing()
    if (rest.length === 0) return
    await this.#pacing.admit(this.#signal)
    const read = ([answer]: readonly unknown[]) => readAssets(rest, answer)
    const assets = await das.request([assetsRequest(rest)], read, this.#signal)
    for (const [mint, names] of assets) this.#add(mint, 'das', names)
  }

  #missing(): string[] {
    return this.#mints.filter((mint) => !this.found.has(mint))
  }

  #add(mint: string, source: NameSource, texts: TokenTexts | undefined): void {
    if (texts === undefined || this.found.has(mint)) return
    const names = cleanTexts(texts)
    if (names.name === undefined && names.symbol === undefined) return
    this.found.set(mint, { ...names, source })
  }

  /** Accounts that exist, by address. */
  async #accountsOf(addresses: readonly string[]): Promise<Map<string, RawAccount>> {
    const accounts = new Map<string, RawAccount>()
    for (let from = 0; from < addresses.length; from += MINTS_A_REQUEST) {
      const page = addresses.slice(from, from + MINTS_A_REQUEST)
      await this.#pacing.admit(this.#signal)
      const read = ([answer]: readonly unknown[]) => readAccounts(page, answer)
      for (const [key, account] of await this.#node.request(
        [accountsRequest(page)],
        read,
        this.#signal,
      )) {
        accounts.set(key, account)
      }
    }
    return accounts
  }
}

function accountsRequest(addresses: readonly string[]): object {
  const settings = {
    encoding: 'base64',
    commitment: 'confirmed',
    dataSlice: { offset: 0, length: ACCOUNT_BYTES_MAX },
  }
  return { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [addresses, settings] }
}

/** Throws UnusableAnswer, also where the list is not as long as the one of the request. */
function readAccounts(addresses: readonly string[], answer: unknown): [string, RawAccount][] {
  throwIfRefused(answer)
  if (!isAnswered(answer)) {
    throw new UnusableAnswer(`not a list of accounts: ${ajv.errorsText(isAnswered.errors)}`, false)
  }
  const values = answer.result.value
  if (values.length !== addresses.length) {
    throw new UnusableAnswer(`${values.length} accounts for ${addresses.length}`, false)
  }
  return addresses.flatMap((key, index): [string, RawAccount][] => {
    const account = values[index] ?? null
    if (account === null) return []
    return [[key, { owner: account.owner, bytes: Buffer.from(account.data[0], 'base64') }]]
  })
}
