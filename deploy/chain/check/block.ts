/** Whether blocks of a node contain what the decoder reads. Pure. */
import type { Incomplete } from '../../../chain/decode.ts'
import { listOf, objectOf } from '../../../chain/transaction/parts.ts'
import { counted } from '../../cli/format.ts'
import { type Finding, fail, pass, warn } from './finding.ts'

type Json = ReturnType<typeof objectOf>

/** Fields of a transaction's result that the decoder reads, and what is lost without them. */
const PARTS = [
  ['innerInstructions', 'inner instructions', 'swaps by routers are not seen'],
  ['logMessages', 'logs', 'events that programs log are not seen'],
  ['preTokenBalances', 'balances before', 'amounts cannot be checked'],
  ['postTokenBalances', 'balances after', 'amounts cannot be checked'],
] as const

/** `blocks`: results of getBlock with all transactions; `incomplete`: those of which the decoder cannot use all. */
export function* blockFindings(
  blocks: readonly Json[],
  incomplete: readonly Incomplete[],
): Generator<Finding> {
  const results = blocks.flatMap(({ transactions }) =>
    listOf(transactions).map((each) => objectOf(objectOf(each).meta)),
  )
  if (results.length === 0) {
    yield warn('contents', 'the blocks have no transactions: nothing could be checked')
    return
  }
  const lacking = PARTS.filter(([field]) =>
    results.every((meta) => listOf(meta[field]).length === 0),
  )
  for (const [, name, loss] of lacking) {
    yield fail('contents', `no transaction has ${name}: ${loss}: use a node that records them`)
  }
  const [first] = incomplete
  if (lacking.length === 0 && first !== undefined) {
    const text = `${incomplete.length} of ${counted(results.length, 'transaction')} lack a part`
    const advice = 'a source would request their blocks for ever: use a node that records them'
    yield fail('contents', `${text}, ${first.signature} its ${first.part}: ${advice}`)
  } else if (lacking.length === 0) {
    const names = PARTS.map(([, name]) => name).join(', ')
    yield pass('contents', `${counted(results.length, 'transaction')} with ${names}`)
  }
  if (blocks.some(({ rewards }) => listOf(rewards).length > 0)) {
    yield warn(
      'rewards',
      'sent although they were not requested: the answers are larger than needed',
    )
  }
}
