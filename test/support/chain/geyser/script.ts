/**
 * A served chain as the updates of a Yellowstone server, in the order in which a real one sent statuses and block metas
 * (geyser/slots_398202741.ndjson of the data folder), or with each slot held until its commitment, as servers of today
 * do for the commitments confirmed and finalized.
 */
import { readChainFile } from '../chain-files.ts'
import { asGeyser } from '../forms.ts'
import type { Json, ServedBlock, ServedChain } from '../served-chain.ts'

/** A transaction as filters see it. */
type ScriptTransaction = {
  index: number
  update: Json
  keys: ReadonlySet<string>
  isVote: boolean
  hasFailed: boolean
}

export type Step =
  | { kind: 'slot'; slot: number; update: Json }
  | { kind: 'meta'; slot: number; update: Json }
  /** `without`: what of the two updates is lost. */
  | {
      kind: 'transaction'
      slot: number
      transaction: ScriptTransaction
      without?: 'transaction' | 'both'
    }
  /** The connection ends, and the next one begins so many steps later, or earlier. */
  | { kind: 'cut'; skipped: number }
  /** Bytes as they are, update or not. */
  | { kind: 'bytes'; bytes: Uint8Array }

/** `recorded`: a slot's updates come when it is processed; `held`: when it has the commitment of the subscription. */
export type Order = 'recorded' | 'held'

type Recorded = { block: number; status: string }

/** Blocks of the recording, the first one as 0: afterwards it repeats. */
const PERIOD = 49
const STATUSES = {
  CREATED_BANK: 'SLOT_CREATED_BANK',
  CONFIRMED: 'SLOT_CONFIRMED',
  FINALIZED: 'SLOT_FINALIZED',
} as const
const FINAL_AFTER = 31

function recording(): Recorded[] {
  const text = readChainFile('geyser/slots_398202741.ndjson').toString('utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): Record<string, Json> => JSON.parse(line))
  const first = Number(lines[0]?.slot?.slot)
  return lines.map(({ slot, block_meta: meta }) =>
    slot === undefined
      ? { block: Number(meta?.slot) - first, status: 'META' }
      : { block: Number(slot.slot) - first, status: String(slot.status) },
  )
}

/** The script of a whole chain. */
export function scriptOf(
  chain: ServedChain,
  order: Order,
  commitment: 'CONFIRMED' | 'FINALIZED' = 'CONFIRMED',
): Step[] {
  const blocks = [...chain.blocks]
  const seen = new Set<string>()
  const steps: Step[] = []
  const recorded = recording()
  for (let from = 0; from < blocks.length + FINAL_AFTER; from += PERIOD) {
    for (const { block, status } of recorded) {
      const [slot, served] = blocks[block + from] ?? []
      const key = `${block + from} ${status}`
      if (slot === undefined || served === undefined || seen.has(key)) continue
      seen.add(key)
      if (order === 'recorded') steps.push(...recordedSteps(slot, served, status))
      else steps.push(...heldSteps(slot, served, status, commitment))
    }
  }
  return steps
}

function recordedSteps(slot: number, block: ServedBlock, status: string): Step[] {
  if (status === 'META') return [...transactionSteps(slot, block), metaStep(slot, block)]
  return [slotStep(slot, block, status)]
}

/** With these commitments servers send nothing of what comes before a slot is processed. */
function heldSteps(
  slot: number,
  block: ServedBlock,
  status: string,
  commitment: 'CONFIRMED' | 'FINALIZED',
): Step[] {
  if (status === STATUSES[commitment]) {
    const steps = [...transactionSteps(slot, block), metaStep(slot, block)]
    return [...steps, slotStep(slot, block, status)]
  }
  const isHandedOn = /PROCESSED|CONFIRMED|FINALIZED/.test(status)
  return isHandedOn ? [slotStep(slot, block, status)] : []
}

function slotStep(slot: number, { parentSlot }: ServedBlock, status: string): Step {
  const hasParent = /PROCESSED|FINALIZED|CREATED_BANK/.test(status)
  return {
    kind: 'slot',
    slot,
    update: { slot, status, ...(hasParent ? { parent: parentSlot } : {}) },
  }
}

export function transactionSteps(slot: number, { transactions }: ServedBlock): Step[] {
  return transactions.map((answer, index) => ({
    kind: 'transaction',
    slot,
    transaction: scriptTransaction(answer, index),
  }))
}

export function metaStep(slot: number, block: ServedBlock): Step {
  const { blockhash, previousBlockhash, parentSlot, blockTime, transactions } = block
  return {
    kind: 'meta',
    slot,
    update: {
      slot,
      blockhash,
      parentSlot,
      parentBlockhash: previousBlockhash,
      ...(blockTime === null ? {} : { blockTime: { timestamp: blockTime } }),
      executedTransactionCount: transactions.length,
    },
  }
}

const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111'

function scriptTransaction(answer: Json, index: number): ScriptTransaction {
  const { message } = answer.transaction as { message: { accountKeys: string[] } }
  const meta = answer.meta as {
    err: unknown
    loadedAddresses?: { writable: string[]; readonly: string[] }
  }
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const keys = new Set([...message.accountKeys, ...writable, ...readonly])
  return {
    index,
    update: asGeyser(answer, index),
    keys,
    isVote: keys.has(VOTE_PROGRAM),
    hasFailed: meta.err !== null,
  }
}
