/**
 * Checks of the powers that the authorities of a mint still have over its holders: one a power. Pure.
 *
 * A check passes when the power is given up or never was. Powers come from the mint's authorities and from
 * its Token-2022 extensions, as a node names and parses them.
 */
import type { MintAccount, MintExtension } from './mint-account.ts'

export const MINT_CHECKS = [
  'mint_authority_revoked',
  'freeze_authority_revoked',
  'no_permanent_delegate',
  'no_transfer_fee',
  'no_transfer_hook',
  'transferable',
  'accounts_start_unfrozen',
  'not_pausable',
  'not_closable',
] as const
export type MintCheckName = (typeof MINT_CHECKS)[number]

/** `detail`: the holder of the power, or its setting; null without one. */
export type MintCheck = { name: MintCheckName; passed: boolean; detail: string | null }

export function checkMint({
  mintAuthority,
  freezeAuthority,
  extensions,
  epoch,
}: Omit<MintAccount, 'program' | 'decimals' | 'supply'>): MintCheck[] {
  const stateOf = (name: string) => extensions.find((extension) => extension.name === name)?.state
  const held = (name: MintCheckName, holder: string | null): MintCheck => ({
    name,
    passed: holder === null,
    detail: holder,
  })
  const startsAs = textOf(stateOf('defaultAccountState'), 'accountState')
  const hook = stateOf('transferHook')
  return [
    held('mint_authority_revoked', mintAuthority),
    held('freeze_authority_revoked', freezeAuthority),
    held('no_permanent_delegate', textOf(stateOf('permanentDelegate'), 'delegate')),
    feeCheck(stateOf('transferFeeConfig'), epoch),
    held('no_transfer_hook', textOf(hook, 'programId') ?? textOf(hook, 'authority')),
    { name: 'transferable', passed: stateOf('nonTransferable') === undefined, detail: null },
    { name: 'accounts_start_unfrozen', passed: startsAs !== 'frozen', detail: startsAs },
    pauseCheck(stateOf('pausableConfig')),
    held('not_closable', textOf(stateOf('mintCloseAuthority'), 'closeAuthority')),
  ]
}

type State = MintExtension['state'] | undefined

/** A transfer fee in effect, and one that its authority may still introduce. */
function feeCheck(state: State, epoch: number | null): MintCheck {
  const name = 'no_transfer_fee'
  const points = transferFeeBps(state, epoch)
  if (points > 0) return { name, passed: false, detail: `${points} bps` }
  const authority = textOf(state, 'transferFeeConfigAuthority')
  return { name, passed: authority === null, detail: authority }
}

function pauseCheck(state: State): MintCheck {
  const name = 'not_pausable'
  if (state?.paused === true) return { name, passed: false, detail: 'paused' }
  const authority = textOf(state, 'authority')
  return { name, passed: authority === null, detail: authority }
}

/**
 * The greater of the fee of now and the one that is published, in basis points; 0 without. The older fee is past
 * from the epoch of the newer on; where the epoch is not known (null) it may still apply.
 */
export function transferFeeBps(state: State, epoch: number | null): number {
  const older = feeOf(state, 'olderTransferFee')
  const newer = feeOf(state, 'newerTransferFee')
  const isOlderPast = epoch !== null && newer.epoch !== undefined && epoch >= newer.epoch
  return isOlderPast ? newer.points : Math.max(older.points, newer.points)
}

function feeOf(state: State, name: string): { points: number; epoch: number | undefined } {
  const fee = state?.[name]
  if (typeof fee !== 'object' || fee === null) return { points: 0, epoch: undefined }
  const { transferFeeBasisPoints: points, epoch } = fee as Record<string, unknown>
  return {
    points: typeof points === 'number' ? points : 0,
    epoch: typeof epoch === 'number' ? epoch : undefined,
  }
}

function textOf(state: State, name: string): string | null {
  const text = state?.[name]
  return typeof text === 'string' && text !== '' ? text : null
}
