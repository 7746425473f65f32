/** Requests that share a job. */
import test from 'ava'
import { JOB_NAMES, JOBS, jobIdentity } from '../../../streams/jobs/job.ts'

const DAY_MS = 86_400_000
const NOON = 20_000 * DAY_MS + DAY_MS / 2

test('askers of the same wallet share a job within its period', (t) => {
  const first = jobIdentity('chart-backfill', { wallet: 'A' }, NOON)
  t.is(first, `chart-backfill~A~${20_000 * DAY_MS}`)
  t.is(jobIdentity('chart-backfill', { wallet: 'A' }, NOON + DAY_MS / 2 - 1), first)
  t.not(jobIdentity('chart-backfill', { wallet: 'A' }, NOON + DAY_MS / 2), first)
  t.not(jobIdentity('chart-backfill', { wallet: 'B' }, NOON), first)
  t.not(jobIdentity('wallet-tags', { wallet: 'A' }, NOON), first)
})

test('a job for all wallets that are due is not one of a wallet', (t) => {
  const all = jobIdentity('wallet-tags', {}, NOON)
  t.is(all, `wallet-tags~all~${NOON}`)
  t.not(jobIdentity('wallet-tags', { wallet: 'A' }, NOON), all)
  const day = jobIdentity('leaderboard', { period: '1d' }, NOON)
  t.is(day, `leaderboard~1d~${NOON}`)
  t.is(jobIdentity('screener', { window: '1h' }, NOON), `screener~1h~${NOON}`)
  t.not(jobIdentity('leaderboard', {}, NOON), day)
})

test('every job has bounds, and no identity contains the separator of Redis keys', (t) => {
  for (const name of JOB_NAMES) {
    const { attempts, concurrency, backoffMs, periodMs } = JOBS[name]
    t.true(Math.min(attempts, concurrency, backoffMs, periodMs) > 0)
    t.notRegex(jobIdentity(name, {} as never, NOON), /:/)
  }
})
