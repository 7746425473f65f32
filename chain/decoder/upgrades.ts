/**
 * Calls of the loaders of programs that replace, extend or close the program of a venue. Pure.
 *
 * Each of these instructions names the program and the account that holds its code, by its position. Written code that no
 * program runs yet is in a buffer, whose instructions are not read. Source: the instructions of the upgradeable loader and of
 * loader v4 in Solana's SDK.
 */
import type { BlockWarning } from '../../domain/decoder-warning.ts'
import { dexOfProgram } from '../../domain/venue.ts'
import { type ChainTransaction, payloadOf } from '../transaction/transaction.ts'

export const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111'
export const LOADER_V4 = 'LoaderV411111111111111111111111111111111111'

/** By the number that an instruction begins with: its name, and the position of the program. */
type Actions = Readonly<Record<number, readonly [name: string, program: number]>>

const ACTIONS: ReadonlyMap<string, Actions> = new Map<string, Actions>([
  [
    UPGRADEABLE_LOADER,
    {
      2: ['deploy', 2],
      3: ['upgrade', 1],
      5: ['close', 3],
      6: ['extend', 1],
      8: ['migrate', 1],
      9: ['extend', 1],
    },
  ],
  [LOADER_V4, { 2: ['extend', 0], 3: ['deploy', 0], 4: ['retract', 0] }],
])

export const LOADERS: ReadonlySet<string> = new Set(ACTIONS.keys())

/** First bytes of the instructions that are read, of any loader. */
export const UPGRADE_TAGS: readonly string[] = [
  ...new Set([...ACTIONS.values()].flatMap((actions) => Object.keys(actions).map(Number))),
].map((number) => Buffer.from(Uint32Array.of(number).buffer).toString('hex'))

const NUMBER_BYTES = 4

export function* upgradesOf(transaction: ChainTransaction): Generator<BlockWarning> {
  for (const instruction of transaction.instructions) {
    const actions = ACTIONS.get(transaction.key(instruction.program))
    if (actions === undefined) continue
    const payload = payloadOf(instruction)
    if (payload.length < NUMBER_BYTES) continue
    const number = Buffer.from(payload.buffer, payload.byteOffset).readUInt32LE(0)
    const [action, at] = actions[number] ?? []
    if (action === undefined || at === undefined) continue
    const dex = dexOfProgram(transaction.key(instruction.accounts[at] ?? -1))
    if (dex === undefined) continue
    yield { kind: 'upgrade', dex, subject: `${action} ${transaction.signature}` }
  }
}
