/**
 * Compares wallets with the chain: the balance provider's holdings of a wallet replace the stored ones.
 *
 * Law: a pass is written whole or not at all, and of two the one that began later wins, whichever ends first. A pass
 * that is still fresh is not repeated, so two requests cost one. Without a provider the job ends at once, and a
 * provider that fails leaves the stored holdings unchanged.
 */

import type { BalanceProvider } from '../../chain/accounts/providers.ts'
import type { TokenBalance } from '../../chain/accounts/token-account.ts'
import { NodeUnavailable } from '../../chain/rpc/json-rpc.ts'
import { latestMs } from '../../domain/time/time.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { isReconciliationDue, RECONCILED_FOR_MS } from '../../streams/jobs/job.ts'
import type { JobFunction } from './job-function.ts'

type Known = { id: number; reconciled_ms: number | null }

const findReconciliation = query<Known>('reconcile/find_reconciliation')
const listDue = query<{ wallet: string }>('reconcile/list_due')
const mergeReconciliation = query('reconcile/merge_reconciliation')
const deleteSpent = query('reconcile/delete_spent')
const mergeHeld = query('reconcile/merge_held')

/** Wallets of one scheduled run; the next run continues with the remaining ones. */
const RUN_WALLETS_MAX = 500

/** One wallet on request; by schedule all wallets that traded since their newest pass. */
export const reconcile: JobFunction<'reconcile'> = async ({ wallet }, deps, signal) => {
  const { db, balances, log } = deps
  if (balances === undefined) return
  if (wallet !== undefined) return await reconcileWallet(db, balances, wallet, signal)
  const nowMs = Date.now()
  const due = await listDue(db, [nowMs - RECONCILED_FOR_MS, RUN_WALLETS_MAX, latestMs(nowMs)])
  for (const row of due) {
    try {
      await reconcileWallet(db, balances, row.wallet, signal)
    } catch (error) {
      // An error that one wallet may cause does not hold up the others.
      if (!(error instanceof NodeUnavailable) || error.isOfProvider) throw error
      log.warn({ err: error, wallet: row.wallet }, 'failed to reconcile wallet')
    }
  }
}

async function reconcileWallet(
  db: Db,
  balances: BalanceProvider,
  wallet: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const [known] = await findReconciliation(db, [wallet])
  const beganMs = Date.now()
  if (known === undefined || !isReconciliationDue(known.reconciled_ms, beganMs)) return
  const held = await balances.heldBy(wallet, signal)
  await writePass(db, known.id, beganMs, held)
}

/** Whether it was written: false where a later pass is stored. */
export async function writePass(
  db: Db,
  walletId: number,
  beganMs: number,
  held: readonly TokenBalance[],
): Promise<boolean> {
  const connection = await db.connect()
  let isWhole = false
  try {
    await connection.query('begin')
    const pass = [walletId, beganMs, latestMs(Date.now())]
    const isNewest = (await mergeReconciliation(connection, pass)).length > 0
    if (isNewest) await writeHeld(connection, walletId, held)
    await connection.query('commit')
    isWhole = true
    return isNewest
  } finally {
    // Closing the connection rolls back an uncommitted transaction.
    connection.release(!isWhole)
  }
}

async function writeHeld(
  connection: Connection,
  walletId: number,
  held: readonly TokenBalance[],
): Promise<void> {
  const mints = held.map(({ mint }) => mint)
  await deleteSpent(connection, [walletId, mints])
  const quantities = held.map(({ quantity }) => `${quantity}`)
  const decimals = held.map((balance) => balance.decimals)
  await mergeHeld(connection, [walletId, mints, quantities, decimals])
}
