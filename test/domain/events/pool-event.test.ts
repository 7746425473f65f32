/** Identity of pool events, and which kinds change the reference of the next swap. */
import test from 'ava'
import {
  changesLiquidity,
  POOL_EVENT_KINDS,
  type PoolEvent,
  poolEventIdentity,
} from '../../../domain/events/pool-event.ts'
import { MINT, NOW_MS, POOL, SIGNATURE, WALLET } from '../../support/events/sample-event.ts'

const EVENT: PoolEvent = {
  event: 'created',
  signature: SIGNATURE,
  slot: 400,
  timestamp: NOW_MS,
  pairAddress: POOL,
  tokenAddress: MINT,
  dex: 1,
  blockTxIndex: 0,
  ixIndex: 0,
}

test('identity goes by signature, kind, pair and ix_index', (t) => {
  const changes: Partial<PoolEvent>[] = [
    { signature: 'other' },
    { event: 'migrated' },
    { pairAddress: 'other' },
    { ixIndex: 1 },
  ]
  for (const change of changes) {
    t.not(poolEventIdentity({ ...EVENT, ...change }), poolEventIdentity(EVENT))
  }
})

test('identity leaves out all else', (t) => {
  const changes: Partial<PoolEvent>[] = [
    { slot: 1 },
    { timestamp: 1 },
    { tokenAddress: 'other' },
    { dex: 2 },
    { blockTxIndex: 1 },
    { creator: WALLET },
    { fromPair: POOL },
    { solAmount: 1 },
    { tokenAmount: 1 },
  ]
  for (const change of changes) {
    t.is(poolEventIdentity({ ...EVENT, ...change }), poolEventIdentity(EVENT))
  }
})

test('only added and removed liquidity change liquidity', (t) => {
  t.deepEqual(
    POOL_EVENT_KINDS.filter((event) => changesLiquidity({ ...EVENT, event })),
    ['liquidity_added', 'liquidity_removed'],
  )
})
