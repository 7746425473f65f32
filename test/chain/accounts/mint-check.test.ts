// The reported powers over a mint, and their holders. Extensions as a node parses them.

import test from 'ava'
import {
  checkMint,
  MINT_CHECKS,
  type MintCheckName,
  transferFeeBps,
} from '../../../chain/accounts/mint-check.ts'

const HOLDER = 'G7EvNb4ErNUPu6LdFgEvGAcfuUi6vTtBzPF6zwiUjU2F'
const PLAIN = { mintAuthority: null, freezeAuthority: null, extensions: [], epoch: null }

const failing = (mint: Parameters<typeof checkMint>[0]): [MintCheckName, string | null][] =>
  checkMint(mint)
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => [name, detail])

const withExtension = (name: string, state: Record<string, unknown>) =>
  failing({ ...PLAIN, extensions: [{ name, state }] })

test('a mint whose authorities are given up passes every check', (t) => {
  const checks = checkMint(PLAIN)
  t.deepEqual(
    checks.map(({ name }) => name),
    [...MINT_CHECKS],
  )
  t.true(checks.every(({ passed, detail }) => passed && detail === null))
})

test('an authority that is held is named', (t) => {
  t.deepEqual(failing({ ...PLAIN, mintAuthority: HOLDER }), [['mint_authority_revoked', HOLDER]])
  t.deepEqual(failing({ ...PLAIN, freezeAuthority: HOLDER }), [
    ['freeze_authority_revoked', HOLDER],
  ])
})

test('each extension that gives power over holders fails its own check', (t) => {
  const cases: [string, Record<string, unknown>, [MintCheckName, string | null][]][] = [
    ['permanentDelegate', { delegate: HOLDER }, [['no_permanent_delegate', HOLDER]]],
    ['permanentDelegate', { delegate: null }, []],
    ['transferHook', { authority: null, programId: HOLDER }, [['no_transfer_hook', HOLDER]]],
    // No program yet, but an authority that may set one.
    ['transferHook', { authority: HOLDER, programId: null }, [['no_transfer_hook', HOLDER]]],
    ['transferHook', { authority: null, programId: null }, []],
    ['nonTransferable', {}, [['transferable', null]]],
    ['defaultAccountState', { accountState: 'frozen' }, [['accounts_start_unfrozen', 'frozen']]],
    ['defaultAccountState', { accountState: 'initialized' }, []],
    ['pausableConfig', { authority: HOLDER, paused: false }, [['not_pausable', HOLDER]]],
    ['pausableConfig', { authority: null, paused: true }, [['not_pausable', 'paused']]],
    ['pausableConfig', { authority: null, paused: false }, []],
    ['mintCloseAuthority', { closeAuthority: HOLDER }, [['not_closable', HOLDER]]],
    // Does not limit holders.
    ['metadataPointer', { authority: HOLDER, metadataAddress: HOLDER }, []],
    ['anExtensionOfTomorrow', { authority: HOLDER }, []],
  ]
  for (const [name, state, expected] of cases) {
    t.deepEqual(withExtension(name, state), expected, `${name} ${JSON.stringify(state)}`)
  }
})

test('judges a transfer fee by the greater of the present and the scheduled one, and while it may be raised', (t) => {
  const fee = (older: number, newer: number, authority: string | null) => ({
    olderTransferFee: { epoch: 1, maximumFee: 5, transferFeeBasisPoints: older },
    newerTransferFee: { epoch: 2, maximumFee: 5, transferFeeBasisPoints: newer },
    transferFeeConfigAuthority: authority,
  })
  const check = (state: Record<string, unknown>) => withExtension('transferFeeConfig', state)
  t.deepEqual(check(fee(0, 250, null)), [['no_transfer_fee', '250 bps']])
  t.deepEqual(check(fee(300, 0, HOLDER)), [['no_transfer_fee', '300 bps']])
  t.deepEqual(check(fee(0, 0, HOLDER)), [['no_transfer_fee', HOLDER]])
  t.deepEqual(check(fee(0, 0, null)), [])
  t.is(transferFeeBps(fee(300, 250, null), null), 300)
  // Scheduled for epoch 2: before, both count; from then on the older is past.
  t.is(transferFeeBps(fee(300, 250, null), 1), 300)
  t.is(transferFeeBps(fee(100, 250, null), 1), 250)
  t.is(transferFeeBps(fee(300, 250, null), 2), 250)
  t.is(transferFeeBps(fee(300, 0, null), 700), 0)
  t.is(transferFeeBps(undefined, 2), 0)
  t.is(
    transferFeeBps(
      { olderTransferFee: null, newerTransferFee: { transferFeeBasisPoints: '9' } },
      2,
    ),
    0,
  )
})
