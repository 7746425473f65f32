/**
 * The form of an SQD Portal: a block is a line of JSON with flat lists, whose rows name their transaction. Pure.
 *
 * Accounts are addresses, so a transaction's table of keys is made here: its own keys first, as the payer and the signers
 * lie there, then each further address as it appears. Logs come without the runtime's lines, which are made from the tree
 * of calls. Only committed transactions of the programs that were requested are there, each with all its instructions.
 */
import type { StatedName } from '../../domain/events/stated-name.ts'
import { decodeBase58, isAddress } from '../../domain/numbers/base58.ts'
import { isObject } from '../../domain/text/exact-json.ts'
import { TRUNCATED } from '../transaction/logs.ts'
import { METADATA_PROGRAM, namesIn } from '../transaction/metadata-call.ts'
import {
  amountOf,
  countOf,
  type Json,
  lazy,
  listOf,
  objectOf,
  textOf,
} from '../transaction/parts.ts'
import { isTokenProgram } from '../transaction/token-program.ts'
import type {
  ChainBlock,
  ChainInstruction,
  ChainTransaction,
  TokenBalance,
} from '../transaction/transaction.ts'

const MS_A_SECOND = 1_000
/** Base58 characters of the longest instruction. */
const CALL_TEXT_MAX = 16_384
/** Base58 characters of the shortest call of a token program that names a mint: its 8 bytes, and the lengths of three texts. */
const NAMING_TEXT_MIN = 28
const NO_BYTES = new Uint8Array(0)
/** Before it nodes gave no stack heights; the indexer guesses them where logs are dropped. */
const FIRST_SLOT_WITH_HEIGHTS = 177_000_000

export type PortalBlock = {
  readonly slot: number
  readonly block: ChainBlock
  readonly link: {
    readonly blockhash: string
    readonly parentSlot: number
    readonly parentBlockhash: string
  }
  /** Names of mints that any transaction of the block states. */
  readonly names: readonly StatedName[]
  /** Transactions with a venue's call at top level. */
  readonly callCount: number
  /** Ascending by `at`. */
  readonly lacking: readonly LackingTransaction[]
}

/**
 * - `logs`: the indexer dropped all of them
 * - `records`: it calls a venue at top level, and neither a log nor an inner instruction was recorded
 * - `parts`: a part of it cannot be read
 */
export type LackingTransaction = {
  readonly lacks: 'logs' | 'records' | 'parts'
  readonly signature: string
  /** Position in the block on the chain, and among `block.transactions`. */
  readonly index: number | undefined
  readonly at: number
}

/** A line that is no block in the form of a portal. */
export class UnreadableLine extends Error {
  override name = 'UnreadableLine'
}

/**
 * A line of a portal's answer. `venues`: programs whose calls write an invoke line, as all of the wanted ones do. Throws
 * UnreadableLine.
 */
export function readPortalLine(text: string, venues: ReadonlySet<string>): PortalBlock {
  const line = parse(text)
  const header = objectOf(line.header)
  const slot = countOf(header.number)
  const parentSlot = countOf(header.parentNumber)
  const blockhash = textOf(header.hash)
  const parentBlockhash = textOf(header.parentHash)
  if (slot === undefined) throw new UnreadableLine('its header has no number')
  if (parentSlot === undefined || parentSlot > slot || blockhash === '' || parentBlockhash === '') {
    throw new UnreadableLine(
      `the header of slot ${slot} lacks its hash, its parent or its parent's hash`,
    )
  }
  const seconds = countOf(header.timestamp)
  const all = groupRows(line, slot)
  const rows = all.filter((each) => !isNamingOnly(each))
  const reader = { slot, venues }
  const transactions = rows.map((each) => readTransaction(each, reader))
  return {
    slot,
    link: { blockhash, parentSlot, parentBlockhash },
    // 0 stands for no time.
    block: { slot, timestamp: seconds ? seconds * MS_A_SECOND : undefined, transactions },
    names: all.flatMap((each) => namesOf(each, slot)),
    callCount: rows.filter((each) => callsAtTop(each, venues)).length,
    lacking: rows.flatMap((each, at): LackingTransaction[] => {
      const lacks = transactions[at] === undefined ? 'parts' : lackOf(each, venues)
      if (lacks === undefined) return []
      const { signatures, transactionIndex } = each.entry
      const signature = textOf(listOf(signatures)[0])
      return [{ lacks, signature, index: countOf(transactionIndex), at }]
    }),
  }
}

function parse(text: string): Json {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    throw new UnreadableLine('it is no JSON')
  }
  if (!isObject(line)) throw new UnreadableLine('it is no object')
  return line
}

/** Rows of one transaction. */
type Rows = {
  readonly entry: Json
  readonly instructions: Json[]
  readonly logs: Json[]
  readonly tokenBalances: Json[]
}

const LISTS = ['instructions', 'logs', 'tokenBalances'] as const

/** Throws UnreadableLine for a row without its transaction: a list was cut, or the answer is of another form. */
function groupRows(line: Json, slot: number): Rows[] {
  const byIndex = new Map<unknown, Rows>()
  for (const each of listOf(line.transactions)) {
    const entry = objectOf(each)
    byIndex.set(entry.transactionIndex, { entry, instructions: [], logs: [], tokenBalances: [] })
  }
  for (const name of LISTS) {
    for (const each of listOf(line[name])) {
      const row = objectOf(each)
      const rows = byIndex.get(row.transactionIndex)
      if (rows === undefined) {
        const owner = `transaction ${row.transactionIndex} of slot ${slot}`
        throw new UnreadableLine(`${name} has a row of ${owner}, which is not listed`)
      }
      rows[name].push(row)
    }
  }
  return [...byIndex.values()]
}

function lackOf(rows: Rows, venues: ReadonlySet<string>): 'logs' | 'records' | undefined {
  const { entry, instructions, logs } = rows
  if (logs.length > 0) return undefined
  // Where the runtime itself cut the logs, those before the cut are there.
  if (entry.hasDroppedLogMessages === true) return 'logs'
  const hasInner = instructions.some(
    ({ instructionAddress }) => listOf(instructionAddress).length > 1,
  )
  return hasInner || !callsAtTop(rows, venues) ? undefined : 'records'
}

const callsAtTop = ({ instructions }: Rows, venues: ReadonlySet<string>): boolean =>
  instructions.some(
    ({ instructionAddress, programId }) =>
      listOf(instructionAddress).length === 1 && venues.has(textOf(programId)),
  )

/** Whether a transaction came for the names that it states, without the rest of its instructions. */
const isNamingOnly = ({ instructions }: Rows): boolean =>
  instructions.length > 0 && instructions.every((row) => statedBy(row) !== undefined)

function namesOf({ instructions }: Rows, slot: number): StatedName[] {
  return instructions.flatMap((row) => {
    const stated = statedBy(row)
    const mint = textOf(listOf(row.accounts)[stated?.mintAt ?? 0])
    return stated === undefined || !isAddress(mint) ? [] : [{ mint, slot, ...stated.names }]
  })
}

function statedBy({ programId, data }: Json): ReturnType<typeof namesIn> {
  const program = textOf(programId)
  const text = textOf(data)
  if (program !== METADATA_PROGRAM) {
    // Most of them are transfers, which are shorter.
    if (text.length < NAMING_TEXT_MIN || !isTokenProgram(program)) return undefined
  }
  return namesIn(program, decodeBase58(text, CALL_TEXT_MAX) ?? NO_BYTES)
}

type Reader = { readonly slot: number; readonly venues: ReadonlySet<string> }

/** Undefined where a part cannot be read. */
function readTransaction(rows: Rows, { slot, venues }: Reader): ChainTransaction | undefined {
  const { entry } = rows
  const signature = textOf(listOf(entry.signatures)[0])
  const signerCount = countOf(entry.numRequiredSignatures)
  const index = countOf(entry.transactionIndex)
  const keys = new Keys(listOf(entry.accountKeys))
  if (signature === '' || signerCount === undefined || index === undefined) return undefined
  if (keys.count === 0 || rows.instructions.length === 0) return undefined
  if (!rows.instructions.every(isInstruction) || !rows.tokenBalances.every(isBalance))
    return undefined
  const areHeightsGuessed = slot < FIRST_SLOT_WITH_HEIGHTS && entry.hasDroppedLogMessages === true
  const instructions = rows.instructions.map((row) => readInstruction(row, keys, areHeightsGuessed))
  const logs = lazy(() => writeLogs(rows, venues))
  const tokenBalances = lazy(() => tokenBalancesOf(rows.tokenBalances, keys))
  return {
    signature,
    index,
    hasFailed: false,
    signerCount,
    keyCount: keys.count,
    key: (at) => keys.text(at),
    programs: new Set(instructions.map(({ program }) => program)),
    instructions,
    get logs() {
      return logs()
    },
    get tokenBalances() {
      return tokenBalances()
    },
    lacks: () => false,
  }
}

/** Keys of a transaction by address and by index. */
class Keys {
  readonly #texts: string[]
  readonly #indexes = new Map<string, number>()

  constructor(keys: readonly unknown[]) {
    this.#texts = keys.map(textOf)
    for (const [index, text] of this.#texts.entries()) this.#indexes.set(text, index)
  }

  get count(): number {
    return this.#texts.length
  }

  text(index: number): string {
    return this.#texts[index] ?? ''
  }

  /** The index of an address, which is added where it is new. */
  indexOf(key: string): number {
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    const index = this.#texts.push(key) - 1
    this.#indexes.set(key, index)
    return index
  }
}

function isInstruction({ instructionAddress, programId, accounts, data }: Json): boolean {
  return (
    Array.isArray(instructionAddress) &&
    instructionAddress.length > 0 &&
    instructionAddress.every((each) => countOf(each) !== undefined) &&
    textOf(programId) !== '' &&
    Array.isArray(accounts) &&
    typeof data === 'string'
  )
}

const isBalance = ({ account, preMint, postMint, preAmount, postAmount }: Json): boolean =>
  textOf(account) !== '' &&
  (isMissing(preMint) ? isMissing(preAmount) : amountOf(preAmount) !== undefined) &&
  (isMissing(postMint) ? isMissing(postAmount) : amountOf(postAmount) !== undefined) &&
  !(isMissing(preMint) && isMissing(postMint))

const isMissing = (value: unknown): boolean => value === null || value === undefined

function readInstruction(row: Json, keys: Keys, areHeightsGuessed: boolean): ChainInstruction {
  const path = listOf(row.instructionAddress)
  return {
    program: keys.indexOf(textOf(row.programId)),
    accounts: listOf(row.accounts).map((each) => keys.indexOf(textOf(each))),
    payload: textOf(row.data),
    height: areHeightsGuessed && path.length > 1 ? 0 : path.length,
    outer: Number(path[0]),
  }
}

function tokenBalancesOf(rows: readonly Json[], keys: Keys): ReadonlyMap<number, TokenBalance> {
  return new Map(
    rows.map((row): [number, TokenBalance] => [
      keys.indexOf(textOf(row.account)),
      {
        mint: textOf(row.postMint ?? row.preMint),
        owner: textOf(row.postOwner ?? row.preOwner),
        decimals: countOf(row.postDecimals ?? row.preDecimals) ?? 0,
        isNew: isMissing(row.preMint),
        before: amountOf(row.preAmount) ?? 0n,
        after: amountOf(row.postAmount) ?? 0n,
      },
    ]),
  )
}

const PREFIXES: Readonly<Record<string, string>> = {
  log: 'Program log: ',
  data: 'Program data: ',
  other: '',
}

/**
 * Lines as the runtime writes them. They end where the indexer dropped those of a venue's call, whose program always
 * writes one.
 */
function writeLogs({ instructions, logs }: Rows, venues: ReadonlySet<string>): readonly string[] {
  const lines: string[] = []
  const open: string[] = []
  const texts = textsByAddress(logs)
  for (const row of instructions) {
    const path = listOf(row.instructionAddress)
    while (open.length >= path.length) lines.push(`Program ${open.pop()} success`)
    const program = textOf(row.programId)
    lines.push(`Program ${program} invoke [${path.length}]`)
    open.push(program)
    const own = texts.get(path.join())
    if (own !== undefined) lines.push(...own)
    if (row.hasDroppedLogMessages === true && venues.has(program)) return [...lines, TRUNCATED]
  }
  while (open.length > 0) lines.push(`Program ${open.pop()} success`)
  return lines
}

function textsByAddress(logs: readonly Json[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  for (const { instructionAddress, kind, message } of logs) {
    const path = listOf(instructionAddress).join()
    const text = `${PREFIXES[textOf(kind)] ?? ''}${textOf(message)}`
    const own = texts.get(path)
    if (own === undefined) texts.set(path, [text])
    else own.push(text)
  }
  return texts
}
