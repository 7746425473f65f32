/** The index that refuses what is stored, made where rows stand that were written without it. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import { testDatabase } from '../../support/servers/database.ts'

const MIGRATION = new URL('../../../sql/migrations/0015_swap_signature_key.sql', import.meta.url)

test('rows of one signature and pair are numbered, all others stay 0', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  // As the migrations before it left the table.
  await db.query('alter table swap_signature drop column copy')
  await db.query('create index swap_signature_hash on swap_signature (signature_hash)')
  await db.query(`insert into swap_signature (signature_hash, slot, block_tx_index, pair_hash)
    values (1, 20, 0, 5), (1, 10, 0, 5), (1, 10, 0, 5), (1, 10, 0, 6), (2, 10, 0, 5)`)
  await db.query(readFileSync(MIGRATION, 'utf8'))
  const { rows } = await db.query(
    `select signature_hash as hash, pair_hash as pair, slot, copy from swap_signature
     order by hash, pair, copy`,
  )
  t.deepEqual(rows, [
    { hash: 1, pair: 5, slot: 10, copy: 0 },
    { hash: 1, pair: 5, slot: 10, copy: 1 },
    { hash: 1, pair: 5, slot: 20, copy: 2 },
    { hash: 1, pair: 6, slot: 10, copy: 0 },
    { hash: 2, pair: 5, slot: 10, copy: 0 },
  ])
  await t.throwsAsync(
    db.query(`insert into swap_signature (signature_hash, slot, block_tx_index, pair_hash)
      values (2, 30, 0, 5)`),
    { code: '23505', message: /swap_signature_key/ },
  )
})
