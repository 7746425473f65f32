/**
 * Writes one transaction with its result, as `getBlock` lists it with encoding json: calls, their events, and balances.
 *
 * Calls are written in execution order. Balances follow the transfers: an account states what it held before its first
 * transfer, and the balances before and after the transaction are what remains of that. Wallets are as rich as they need.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import { EVENT_TAG } from '../decoder/call.ts'
import type { TransactionForm } from './form.ts'
import { addressOf, signatureOf } from './keys.ts'
import { bytesOfHex, u64 } from './payload.ts'

export type Json = Record<string, unknown>

/** A token account as balances list it. */
export type TokenAccount = {
  readonly key: string
  readonly mint: string
  readonly owner: string
  readonly decimals: number
  /** The token program that owns it. */
  readonly program: string
  /** Base units before its first transfer of the transaction; absent: whatever its transfers need. */
  readonly before?: bigint
  /** Made by this transaction. */
  readonly isNew?: boolean
  /** Opened and closed within the transaction, so that no balance lists it. */
  readonly isTemporary?: boolean
}

type Transfer = {
  readonly from: TokenAccount
  readonly to: TokenAccount
  readonly authority: string
  /** Base units that leave the source. */
  readonly baseUnits: bigint
  /** Base units of them that Token-2022 withholds at the destination. */
  readonly fee?: bigint
  /** Whether the instruction names the fee. */
  readonly namesFee?: boolean
}

type Instruction = {
  program: string
  accounts: readonly string[]
  bytes: Uint8Array
  height: number
}
type Held = { account: TokenAccount; moved: bigint; lowest: bigint; before: bigint | undefined }

const EVENT_AUTHORITY = addressOf('event authority')
const LAMPORTS_A_SIGNATURE = 5_000
const RENT_LAMPORTS = 2_039_280
const WALLET_LAMPORTS = 5_000_000_000
const VERSIONS = { legacy: 'legacy', 0: 0, 1: 1 } as const

/** First bytes of the token programs' instructions. */
const TRANSFER = 3
const TRANSFER_CHECKED = 12
const TRANSFER_FEE_EXTENSION = 26
const TRANSFER_CHECKED_WITH_FEE = 1

export class TransactionWriter {
  readonly #form: TransactionForm
  readonly #signers: string[]
  readonly #groups: { outer: Instruction; inner: Instruction[] }[] = []
  readonly #logs: string[] = []
  readonly #accounts = new Map<string, Held>()
  readonly #lamports = new Map<string, bigint>()
  #height = 0
  /** The log line from which on the node has cut the logs. */
  #cutAt: number | undefined

  constructor(form: TransactionForm, signers: readonly string[]) {
    this.#form = form
    this.#signers = [...new Set(signers)]
  }

  /** A call of a program: everything that `body` writes happens inside it. */
  call(
    program: string,
    accounts: readonly string[],
    bytes: Uint8Array,
    body: () => void = () => {},
  ): void {
    this.#height++
    this.#logs.push(`Program ${program} invoke [${this.#height}]`)
    const instruction = { program, accounts, bytes, height: this.#height }
    if (this.#height === 1) this.#groups.push({ outer: instruction, inner: [] })
    else this.#groups.at(-1)?.inner.push(instruction)
    body()
    this.#logs.push(`Program ${program} consumed 4711 of 200000 compute units`)
    this.#logs.push(`Program ${program} success`)
    this.#height--
  }

  /** An event by self-CPI: the program calls itself with the tagged payload. */
  emit(program: string, payload: Uint8Array): void {
    const tagged = Buffer.concat([bytesOfHex(EVENT_TAG), payload])
    this.call(program, [EVENT_AUTHORITY], tagged)
  }

  logEvent(payload: Uint8Array): void {
    this.#cut()
    this.#logs.push(`Program data: ${Buffer.from(payload).toString('base64')}`)
  }

  logText(text: string): void {
    this.#cut()
    this.#logs.push(`Program log: ${text}`)
  }

  #cut(): void {
    if (this.#form.isLogCut) this.#cutAt ??= this.#logs.length
  }

  transfer({ from, to, authority, baseUnits, fee = 0n, namesFee = false }: Transfer): void {
    const decimals = Uint8Array.of(from.decimals)
    const { program, mint } = from
    if (namesFee) {
      const tag = Uint8Array.of(TRANSFER_FEE_EXTENSION, TRANSFER_CHECKED_WITH_FEE)
      const bytes = Buffer.concat([tag, u64(baseUnits), decimals, u64(fee)])
      this.call(program, [from.key, mint, to.key, authority], bytes)
    } else if (this.#form.checksTransfers || fee > 0n) {
      const bytes = Buffer.concat([Uint8Array.of(TRANSFER_CHECKED), u64(baseUnits), decimals])
      this.call(program, [from.key, mint, to.key, authority], bytes)
    } else {
      const bytes = Buffer.concat([Uint8Array.of(TRANSFER), u64(baseUnits)])
      this.call(program, [from.key, to.key, authority], bytes)
    }
    this.#move(from, -baseUnits)
    this.#move(to, baseUnits - fee)
  }

  /** Tokens that come into being: a mint's supply. */
  mintTo(to: TokenAccount, authority: string, baseUnits: bigint): void {
    const bytes = Buffer.concat([Uint8Array.of(7), u64(baseUnits)])
    this.call(to.program, [to.mint, to.key, authority], bytes)
    this.#move(to, baseUnits)
  }

  /** Lists an account whose balance does not change. */
  touch(account: TokenAccount): void {
    this.#move(account, 0n)
  }

  #move(account: TokenAccount, baseUnits: bigint): void {
    const held = this.#accounts.get(account.key) ?? {
      account,
      moved: 0n,
      lowest: 0n,
      before: account.isNew === true ? 0n : account.before,
    }
    held.moved += baseUnits
    if (held.moved < held.lowest) held.lowest = held.moved
    this.#accounts.set(account.key, held)
  }

  /** Lamports that an account gains, or loses (negative). */
  moveLamports(key: string, lamports: bigint): void {
    this.#lamports.set(key, (this.#lamports.get(key) ?? 0n) + lamports)
  }

  /** The entry of the block. `error`: that of the transaction; absent: it succeeded. */
  finish(signature: string, error: unknown = null): Json {
    const keys = this.#layOutKeys()
    const index = new Map(keys.all.map((key, at) => [key, at]))
    const written = (each: Instruction): Json => ({
      programIdIndex: index.get(each.program),
      accounts: each.accounts.map((key) => index.get(key)),
      data: encodeBase58(each.bytes),
      ...(this.#form.hasHeights ? { stackHeight: each.height } : {}),
    })
    const signatures = this.#signers.map((key, at) =>
      at === 0 ? signature : signatureOf(`${signature} ${key}`),
    )
    return {
      transaction: {
        signatures,
        message: {
          header: {
            numRequiredSignatures: this.#signers.length,
            numReadonlySignedAccounts: 0,
            numReadonlyUnsignedAccounts: keys.readonlyCount,
          },
          accountKeys: keys.static,
          recentBlockhash: addressOf('recent blockhash'),
          instructions: this.#groups.map(({ outer }) => written(outer)),
          ...lookupsOf(keys),
        },
      },
      meta: this.#metaOf(keys, index, written, error),
      version: VERSIONS[this.#form.version],
    }
  }

  #metaOf(
    keys: Keys,
    index: ReadonlyMap<string, number>,
    written: (each: Instruction) => Json,
    error: unknown,
  ): Json {
    const fee = LAMPORTS_A_SIGNATURE * this.#signers.length
    const lamports = this.#lamportsOf(keys.all, BigInt(fee), error)
    const hasFailed = error !== null
    return {
      err: error,
      status: hasFailed ? { Err: error } : { Ok: null },
      fee,
      preBalances: lamports.map(({ before }) => before),
      postBalances: lamports.map(({ after }) => after),
      innerInstructions: this.#groups.flatMap(({ inner }, at) =>
        inner.length === 0 ? [] : [{ index: at, instructions: inner.map(written) }],
      ),
      logMessages: this.#loggedLines(hasFailed),
      preTokenBalances: this.#balances(index, 'before', hasFailed),
      postTokenBalances: this.#balances(index, 'after', hasFailed),
      rewards: [],
      loadedAddresses: { writable: keys.loadedWritable, readonly: keys.loadedReadonly },
      computeUnitsConsumed: 4711,
    }
  }

  /** Signers, the other keys with the programs last, then what lookup tables load. */
  #layOutKeys(): Keys {
    const called = new Set<string>()
    const named = new Set<string>()
    for (const { outer, inner } of this.#groups) {
      for (const { program, accounts } of [outer, ...inner]) {
        called.add(program)
        for (const key of accounts) named.add(key)
      }
    }
    for (const { account } of this.#accounts.values()) {
      if (account.isTemporary !== true) named.add(account.key)
    }
    const isSigner = new Set(this.#signers)
    const others = [...named].filter((key) => !isSigner.has(key) && !called.has(key))
    const programs = [...called].filter((key) => !isSigner.has(key))
    const isWritable = (key: string): boolean => this.#accounts.has(key)
    const writable = others.filter(isWritable)
    const readonly = others.filter((key) => !isWritable(key))
    const isLoaded = this.#form.hasLookups
    const staticAccounts = isLoaded ? [] : [...writable, ...readonly]
    const staticKeys = [...this.#signers, ...staticAccounts, ...programs]
    const [loadedWritable, loadedReadonly] = isLoaded ? [writable, readonly] : [[], []]
    return {
      static: staticKeys,
      readonlyCount: staticKeys.length - this.#signers.length - (isLoaded ? 0 : writable.length),
      loadedWritable,
      loadedReadonly,
      all: [...staticKeys, ...loadedWritable, ...loadedReadonly],
    }
  }

  #lamportsOf(
    keys: readonly string[],
    fee: bigint,
    error: unknown,
  ): { before: number; after: number }[] {
    return keys.map((key, at) => {
      const moved = error === null ? (this.#lamports.get(key) ?? 0n) : 0n
      const paid = at === 0 ? fee : 0n
      const needed = moved < 0n ? -moved : 0n
      const before = at < this.#signers.length ? BigInt(WALLET_LAMPORTS) + needed : needed
      const held = before + BigInt(RENT_LAMPORTS)
      return { before: Number(held), after: Number(held + moved - paid) }
    })
  }

  #loggedLines(hasFailed: boolean): readonly string[] {
    if (this.#cutAt !== undefined) return [...this.#logs.slice(0, this.#cutAt), 'Log truncated']
    if (!hasFailed) return this.#logs
    const [program] = this.#groups.map(({ outer }) => outer.program).slice(-1)
    return [...this.#logs.slice(0, -1), `Program ${program} failed: custom program error: 0x1771`]
  }

  #balances(
    index: ReadonlyMap<string, number>,
    when: 'before' | 'after',
    hasFailed: boolean,
  ): Json[] {
    const listed: Json[] = []
    for (const { account, moved, lowest, before } of this.#accounts.values()) {
      if (account.isTemporary === true) continue
      if (account.isNew === true && (when === 'before' || hasFailed)) continue
      const held = before ?? -lowest
      const baseUnits = when === 'before' || hasFailed ? held : held + moved
      listed.push(balanceOf(account, index.get(account.key) as number, baseUnits))
    }
    return listed
  }
}

type Keys = {
  static: readonly string[]
  readonlyCount: number
  loadedWritable: readonly string[]
  loadedReadonly: readonly string[]
  all: readonly string[]
}

function lookupsOf({ loadedWritable, loadedReadonly }: Keys): Json {
  if (loadedWritable.length + loadedReadonly.length === 0) return {}
  const positions = (keys: readonly string[], from: number) => keys.map((_, at) => from + at)
  const lookup = {
    accountKey: addressOf('lookup table'),
    writableIndexes: positions(loadedWritable, 0),
    readonlyIndexes: positions(loadedReadonly, loadedWritable.length),
  }
  return { addressTableLookups: [lookup] }
}

function balanceOf(account: TokenAccount, accountIndex: number, baseUnits: bigint): Json {
  const { mint, owner, decimals, program } = account
  const uiAmount = Number(baseUnits) / 10 ** decimals
  return {
    accountIndex,
    mint,
    owner,
    programId: program,
    uiTokenAmount: {
      amount: baseUnits.toString(),
      decimals,
      uiAmount: baseUnits === 0n ? null : uiAmount,
      uiAmountString: String(uiAmount),
    },
  }
}
