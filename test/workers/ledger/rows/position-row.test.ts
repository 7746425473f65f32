// A row of a position does not order the swaps of its newest slot, also where the version before has written it.

import test, { type ExecutionContext } from 'ava'
import { isNewer, type PositionState } from '../../../../domain/ledger/position.ts'
import { connect, type Db } from '../../../../sql/db.ts'
import { flush, type Holding } from '../../../../workers/ledger/holding.ts'
import { asStored } from '../../../../workers/ledger/rows/position-row.ts'
import { loadHoldings } from '../../../../workers/ledger/store.ts'
import { ledgerBatch, noEffects } from '../../../../workers/ledger/write.ts'
import { buy, foldAll, sell, signatureOf } from '../../../domain/ledger/histories.ts'
import { testDatabase } from '../../../support/servers/database.ts'

const USER = buy(1, 1, 1).user
/** Above the most that blockTxIndex may be, so that any swap of the slot precedes it. */
const TX_INDEX_MAX = Number.MAX_SAFE_INTEGER

const holdingOf = (state: PositionState, walletId: number): Holding => ({
  walletId,
  tokenId: 1,
  state,
  isNew: true,
  isPending: false,
  cover: undefined,
  snapshots: [],
  recent: undefined,
})

async function store(db: Db, holdings: readonly Holding[]): Promise<void> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    const changes = holdings.map((holding) => flush(holding))
    await ledgerBatch({ ...noEffects(0), changes }).write(connection)
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

async function assertNamelessEnds(t: ExecutionContext, db: Db, count: number): Promise<void> {
  const { rows } = await db.query(
    `select last_block_tx_index, last_sides, last_signature, last_pair, slot_transactions, count(*)::integer as rows
     from position group by 1, 2, 3, 4, 5`,
  )
  t.deepEqual(rows, [
    {
      last_block_tx_index: TX_INDEX_MAX,
      last_sides: 0,
      last_signature: '',
      last_pair: '',
      slot_transactions: null,
      rows: count,
    },
  ])
}

test('rows end after every swap of their newest slot, however they are written', async (t) => {
  const database = await testDatabase()
  t.teardown(database.drop)
  const db = connect(database.databaseUrl, { max: 2, isPipelined: true })
  t.teardown(() => db.end())
  const swaps = [buy(1, 9, 9), buy(2, 5, 5, { signature: signatureOf(7) }), sell(2, 3, 4)]
  const state = () => foldAll(swaps)
  // Few changes are merged, many are copied.
  await store(db, [holdingOf(state(), 1)])
  await store(
    db,
    Array.from({ length: 200 }, (_, n) => holdingOf(state(), 2 + n)),
  )
  await assertNamelessEnds(t, db, 201)
  const [loaded] = await loadHoldings(db, [{ walletId: 150, tokenId: 1, user: USER }])
  const { hours, lots, ...read } = loaded!.state
  const { hours: _, lots: __, ...expected } = asStored(state())
  t.like(read, { ...expected, last: { ...read.last } })
  t.is(read.last?.slot, 2)
  t.false(isNewer(loaded!.state, buy(2, 1, 1, { blockTxIndex: TX_INDEX_MAX, ixIndex: 9_999 })))
  t.true(isNewer(loaded!.state, buy(3, 1, 1)))

  // Rows of the version before, whose ledger folds on from the swap that they name.
  await db.query(
    `update position set last_block_tx_index = 3, last_sides = 2, last_signature = $1, last_pair = 'pair',
       slot_transactions = '1 a'`,
    [signatureOf(7)],
  )
  await store(db, [{ ...holdingOf(state(), 1), isNew: false }])
  await db.query('delete from position where wallet_id > 1')
  await assertNamelessEnds(t, db, 1)
})
