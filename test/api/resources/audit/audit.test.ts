// The audit over HTTP: known and unknown answers of a node about a mint, and unindexed mints.

import test from 'ava'
import { MINT_CHECKS } from '../../../../chain/accounts/mint-check.ts'
import { openMints } from '../../../../chain/accounts/providers.ts'
import {
  apiForFile,
  apiUnderTest,
  PATIENT_MS,
  SILENT,
} from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, sampleSwap, trader } from '../../../support/market/sample-swap.ts'
import {
  type BalanceNode,
  foundAnswer,
  mintValue,
  sendJson,
  startBalanceNode,
} from '../../../support/servers/balance-node.ts'
import { until } from '../../../support/workers/pipeline.ts'

const NOW_MS = 1_790_000_000_000
const TIMEOUT_MS = 300

let node: BalanceNode
const withoutNode = apiForFile({ now: () => NOW_MS })

test.serial.before(async () => {
  node = await startBalanceNode()
  await insertSwaps(withoutNode().db, [sampleSwap({ tokenAddress: mint(1) })])
})
test.after.always(() => node.stop())

test('without a node reports whether the mint is indexed, and that the rest is unknown', async (t) => {
  const { get } = withoutNode()
  const { status, body } = await get(`/tokens/${mint(1)}/audit`)
  t.is(status, 200)
  t.deepEqual(body as object, {
    mint: mint(1),
    indexed: true,
    onchain_status: 'not_configured',
    onchain: null,
    checks: MINT_CHECKS.map((name) => ({ name, passed: null, detail: null })),
    computed_at: NOW_MS,
  })
})

test('a valid mint that is not indexed is 200, a malformed one 400 in its envelope', async (t) => {
  const { get, call } = withoutNode()
  const unknown = await get(`/tokens/${mint(99)}/audit`)
  t.is(unknown.status, 200)
  t.is(unknown.body.indexed, false)
  for (const malformed of ['short', `${mint(1)}x`, mint(1).replace(/^./, '0')]) {
    const { status, body } = await get(`/tokens/${malformed}/audit`)
    t.is(status, 400, malformed)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
  }
  t.is((await call(`/tokens/${mint(1)}/audit`)).status, 401)
})

test('audits a mint by the answer of its node, indexed or not', async (t) => {
  const mints = openMints({ rpcUrl: node.rpcUrl, log: SILENT, timeoutMs: PATIENT_MS })
  const { get } = await apiUnderTest(t, { mints })
  const feeConfig = {
    newerTransferFee: { epoch: 2, maximumFee: 5, transferFeeBasisPoints: 100 },
    olderTransferFee: { epoch: 1, maximumFee: 5, transferFeeBasisPoints: 0 },
    transferFeeConfigAuthority: trader(2),
  }
  const extensions = [
    { extension: 'transferFeeConfig', state: feeConfig },
    { extension: 'metadataPointer', state: { authority: null, metadataAddress: mint(2) } },
  ]
  const fields = { mintAuthority: trader(1), supply: '18446744073709551615', extensions }
  node.setAccount(mint(2), mintValue(fields, { isToken2022: true }))
  const answer = await get(`/tokens/${mint(2)}/audit`)
  t.is(answer.status, 200)
  t.true(answer.text.includes('"supply":18446744073709551615'))
  t.like(answer.body, {
    indexed: false,
    onchain_status: 'mint',
    onchain: {
      program: 'spl-token-2022',
      decimals: 6,
      mint_authority: trader(1),
      freeze_authority: null,
      transfer_fee_bps: 100,
    },
  })
  const { checks, onchain } = answer.body as unknown as {
    checks: { name: string; passed: boolean; detail: string | null }[]
    onchain: { extensions: string[] }
  }
  t.deepEqual(onchain.extensions, ['transferFeeConfig', 'metadataPointer'])
  t.deepEqual(
    checks.filter(({ passed }) => !passed),
    [
      { name: 'mint_authority_revoked', passed: false, detail: trader(1) },
      { name: 'no_transfer_fee', passed: false, detail: '100 bps' },
    ],
  )
  node.setAccount(mint(3), mintValue({}, { type: 'account' }))
  t.is((await get(`/tokens/${mint(3)}/audit`)).body.onchain_status, 'no_mint')
  t.is((await get(`/tokens/${mint(4)}/audit`)).body.onchain_status, 'absent')
})

test('a removed fee no longer counts from its scheduled epoch on', async (t) => {
  const chain = await startBalanceNode()
  t.teardown(() => chain.stop())
  const mints = openMints({ rpcUrl: chain.rpcUrl, log: SILENT, timeoutMs: PATIENT_MS })
  const { get } = await apiUnderTest(t, { mints })
  const state = {
    newerTransferFee: { epoch: 700, maximumFee: 5, transferFeeBasisPoints: 0 },
    olderTransferFee: { epoch: 600, maximumFee: 5, transferFeeBasisPoints: 500 },
    transferFeeConfigAuthority: null,
  }
  const fields = { extensions: [{ extension: 'transferFeeConfig', state }] }
  for (const [n, slot, bps] of [
    [1, 700 * 432_000 - 1, 500],
    [2, 700 * 432_000, 0],
  ] as const) {
    const value = mintValue(fields, { isToken2022: true })
    chain.misbehave((response) => sendJson(response, foundAnswer(value, slot)))
    const { body } = await get(`/tokens/${mint(n)}/audit`)
    t.is((body.onchain as unknown as { transfer_fee_bps: number }).transfer_fee_bps, bps)
    const checks = body.checks as unknown as { name: string; passed: boolean }[]
    t.is(checks.find(({ name }) => name === 'no_transfer_fee')?.passed, bps === 0)
  }
})

test('a slow or malformed answer of a node is no error, and is requested again soon', async (t) => {
  const broken = await startBalanceNode()
  t.teardown(() => broken.stop())
  const mints = openMints({ rpcUrl: broken.rpcUrl, log: SILENT, timeoutMs: TIMEOUT_MS })
  const { get, db } = await apiUnderTest(t, { mints })
  await insertSwaps(db, [sampleSwap({ tokenAddress: mint(5) })])
  broken.misbehave(() => {})
  const slow = await get(`/tokens/${mint(5)}/audit`)
  t.is(slow.status, 200)
  t.like(slow.body, { indexed: true, onchain_status: 'unavailable', onchain: null })
  const age = /max-age=(\d+)/.exec(slow.headers.get('Cache-Control') ?? '')
  t.true(Number(age?.[1]) <= 5)
  broken.misbehave((response) => response.end('<html>'))
  t.is((await get(`/tokens/${mint(6)}/audit`)).body.onchain_status, 'unavailable')
  broken.misbehave(undefined)
  // A loaded machine may be late again; each time another mint without a cached answer.
  let received = slow
  let requests = 7
  await until('the node is heard', 60_000, async () => {
    received = await get(`/tokens/${mint(requests++)}/audit`)
    return received.body.onchain_status === 'absent'
  })
  t.true(Number(/max-age=(\d+)/.exec(received.headers.get('Cache-Control') ?? '')?.[1]) > 5)
})
