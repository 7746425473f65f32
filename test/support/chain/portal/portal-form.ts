/**
 * Blocks of a node in the form of an SQD Portal, by the published rules of its indexer: transactions of the wanted programs
 * that did not fail, with all instructions and the logs of the programs' calls. Independent of the reader of that form.
 */
import { decodeBase58 } from '../../../../domain/numbers/base58.ts'
import type { Json, ServedBlock } from '../served-chain.ts'
import type { PortalFilter } from './portal-request.ts'

type Instruction = Record<'data', string> & {
  programIdIndex: number
  accounts: number[]
  stackHeight?: number
}
type Meta = {
  err: unknown
  innerInstructions: { index: number; instructions: Instruction[] }[]
  logMessages: string[] | null
  preTokenBalances: Balance[]
  postTokenBalances: Balance[]
  loadedAddresses?: { writable: string[]; readonly: string[] }
}
type Balance = {
  accountIndex: number
  mint: string
  owner?: string
  uiTokenAmount: Record<'amount', string> & { decimals: number }
}
type NodeTransaction = {
  transaction: {
    signatures: string[]
    message: {
      accountKeys: string[]
      header: { numRequiredSignatures: number }
      instructions: Instruction[]
    }
  }
  meta: Meta
  version?: 'legacy' | number
}

type Row = Json & { transactionIndex: number }
type Lists = { transactions: Row[]; instructions: Row[]; logs: Row[]; tokenBalances: Row[] }

type PortalHeader = {
  number: number
  hash: string
  parentNumber: number
  parentHash: string
  timestamp: number | null
}

export const headerOf = (slot: number, block: ServedBlock): PortalHeader => ({
  number: slot,
  hash: block.blockhash,
  parentNumber: block.parentSlot,
  parentHash: block.previousBlockhash,
  timestamp: block.blockTime,
})

/** By signature: as the indexer drops logs that it cannot read, and as a node that recorded neither logs nor inner calls. */
type LineOptions = {
  /** Only calls that name one of these accounts. */
  mentions?: ReadonlySet<string> | undefined
  /** Calls that come without the rest of their transaction. */
  single?: readonly PortalFilter[] | undefined
  dropsLogs?: ((signature: string) => boolean) | undefined
  dropsRecords?: ((signature: string) => boolean) | undefined
}

export function portalLine(
  slot: number,
  block: ServedBlock,
  programs: ReadonlySet<string>,
  { dropsLogs = () => false, dropsRecords = () => false, mentions, single = [] }: LineOptions = {},
): Json {
  const lists: Lists = { transactions: [], instructions: [], logs: [], tokenBalances: [] }
  for (const [index, each] of block.transactions.entries()) {
    const entry = each as unknown as NodeTransaction
    if (entry.meta.err !== null) continue
    const isBare = dropsRecords(entry.transaction.signatures[0] as string)
    const wanted = { programs, mentions, single, dropsLogs }
    addTransaction(lists, isBare ? bare(entry) : entry, index, wanted)
  }
  const full = Object.entries(lists).filter(([, list]) => list.length > 0)
  return { header: headerOf(slot, block), ...Object.fromEntries(full) }
}

const bare = (entry: NodeTransaction): NodeTransaction => ({
  ...entry,
  meta: { ...entry.meta, innerInstructions: [], logMessages: [] },
})

type Wanted = {
  programs: ReadonlySet<string>
  mentions: ReadonlySet<string> | undefined
  single: readonly PortalFilter[]
  dropsLogs: (signature: string) => boolean
}

type Placed = { readonly instruction: Instruction; readonly path: readonly number[] }

function addTransaction(
  lists: Lists,
  { transaction, meta, version }: NodeTransaction,
  transactionIndex: number,
  { programs, mentions, single, dropsLogs }: Wanted,
): void {
  const { message, signatures } = transaction
  const { writable = [], readonly: rest = [] } = meta.loadedAddresses ?? {}
  const keys = [...message.accountKeys, ...writable, ...rest]
  const placed = placedInstructions(message.instructions, meta)
  const programOf = ({ instruction }: Placed): string => keys[instruction.programIdIndex] as string
  const isWanted = (each: Placed): boolean =>
    programs.has(programOf(each)) &&
    (mentions === undefined ||
      each.instruction.accounts.some((key) => mentions.has(keys[key] as string)))
  const isWhole = placed.some(isWanted)
  const isSent = (each: Placed): boolean =>
    isWhole || single.some((filter) => matches(filter, programOf(each), each.instruction))
  if (!placed.some(isSent)) return
  const areDropped = dropsLogs(signatures[0] as string)
  const cut = cutFrom(meta.logMessages ?? [], placed.length)
  const row = { transactionIndex }
  lists.transactions.push({
    ...row,
    version: version ?? 'legacy',
    accountKeys: message.accountKeys,
    numRequiredSignatures: message.header.numRequiredSignatures,
    signatures,
    hasDroppedLogMessages: areDropped || cut !== undefined,
  })
  for (const [at, each] of placed.entries()) {
    if (!isSent(each)) continue
    lists.instructions.push({
      ...row,
      instructionAddress: each.path,
      programId: programOf(each),
      accounts: each.instruction.accounts.map((key) => keys[key]),
      data: each.instruction.data,
      hasDroppedLogMessages: areDropped || (cut !== undefined && at >= cut),
    })
  }
  if (!isWhole) return
  if (!areDropped) {
    for (const { at, ...log } of logRows(meta.logMessages ?? [])) {
      const owner = placed[at] as Placed
      if (programs.has(programOf(owner))) {
        lists.logs.push({ ...row, ...log, instructionAddress: owner.path })
      }
    }
  }
  for (const balance of balanceRows(meta, keys)) lists.tokenBalances.push({ ...row, ...balance })
}

function matches(
  { programId, d1, d8 }: PortalFilter,
  program: string,
  { data }: Instruction,
): boolean {
  if (!programId.includes(program)) return false
  const hex = Buffer.from(decodeBase58(data, data.length) ?? []).toString('hex')
  const begins = (list: readonly string[] | undefined, bytes: number): boolean =>
    list === undefined || list.includes(`0x${hex.slice(0, 2 * bytes)}`)
  return begins(d1, 1) && begins(d8, 8)
}

/** In execution order, each at its place in the tree of calls, which the stack heights describe. */
function placedInstructions(outer: readonly Instruction[], meta: Meta): Placed[] {
  return outer.flatMap((instruction, index) => {
    const inner = meta.innerInstructions.find((group) => group.index === index)?.instructions ?? []
    let path = [index]
    const children = new Map<string, number>()
    return [
      { instruction, path },
      ...inner.map((each) => {
        const parent = path.slice(0, (each.stackHeight ?? 2) - 1)
        const child = children.get(parent.join()) ?? 0
        children.set(parent.join(), child + 1)
        path = [...parent, child]
        return { instruction: each, path }
      }),
    ]
  })
}

type LogRow = { at: number; logIndex: number; kind: string; message: string }

const INVOKE = /^Program \w+ invoke \[\d+\]$/
const END = /^Program \w+ (?:success|failed)/

/** Lines that programs wrote, each with the instruction that wrote it, counted in execution order. */
function logRows(lines: readonly string[]): LogRow[] {
  const rows: LogRow[] = []
  const stack: number[] = []
  let count = 0
  for (const [logIndex, line] of lines.entries()) {
    const at = stack.at(-1)
    if (INVOKE.test(line)) stack.push(count++)
    else if (END.test(line)) stack.pop()
    else if (at === undefined || / consumed \d+ of \d+ compute units$/.test(line)) continue
    else if (line.startsWith('Program log: ')) {
      rows.push({ at, logIndex, kind: 'log', message: line.slice('Program log: '.length) })
    } else if (line.startsWith('Program data: ')) {
      rows.push({ at, logIndex, kind: 'data', message: line.slice('Program data: '.length) })
    } else rows.push({ at, logIndex, kind: 'other', message: line })
  }
  return rows
}

/** The first instruction whose logs are not whole, where the node cut them; undefined where it did not. */
function cutFrom(lines: readonly string[], count: number): number | undefined {
  if (!lines.includes('Log truncated')) return undefined
  const stack: number[] = []
  let invoked = 0
  for (const line of lines) {
    if (INVOKE.test(line)) stack.push(invoked++)
    else if (END.test(line)) stack.pop()
    else if (line === 'Log truncated') break
  }
  return Math.min(stack.at(-1) ?? invoked, count)
}

function balanceRows(
  { preTokenBalances, postTokenBalances }: Meta,
  keys: readonly string[],
): Json[] {
  const pre = new Map(preTokenBalances.map((each) => [each.accountIndex, each]))
  const post = new Map(postTokenBalances.map((each) => [each.accountIndex, each]))
  const half = (prefix: string, each: Balance | undefined): Json => ({
    [`${prefix}Mint`]: each?.mint ?? null,
    [`${prefix}Decimals`]: each?.uiTokenAmount.decimals ?? null,
    [`${prefix}Owner`]: each?.owner ?? null,
    [`${prefix}Amount`]: each?.uiTokenAmount.amount ?? null,
  })
  return [...new Set([...pre.keys(), ...post.keys()])].map((index) => ({
    account: keys[index],
    ...half('pre', pre.get(index)),
    ...half('post', post.get(index)),
  }))
}
