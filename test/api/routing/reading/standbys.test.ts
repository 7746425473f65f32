/** Reads from a real standby that lags, dies and returns. */
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../../api/main.ts'
import { connect } from '../../../../sql/db.ts'
import { databaseSeen } from '../../../../workers/recovery.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { onNode, postgresCluster } from '../../../support/cluster/postgres.ts'
import { sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { testDatabase } from '../../../support/servers/database.ts'
import { until } from '../../../support/workers/pipeline.ts'

const AGE_MS_MAX = 400

async function replicated(t: ExecutionContext) {
  const cluster = await postgresCluster(t)
  const [standby] = cluster.standbys
  if (standby === undefined) throw new Error('the cluster has no standby')
  const { db, databaseUrl, drop } = await testDatabase(cluster.primary.url)
  const name = new URL(databaseUrl).pathname.slice(1)
  const { key } = await createKey(db, {
    ...{ tier: 'enterprise', environment: 'test', account: 'test', by: 'test' },
  } as never)
  await standby.catchUp()
  const standbyUrl = cluster.inDatabase(standby, name)
  const api = await startApi({
    ...{ databaseUrl, port: 0, log: SILENT, deadlineMs: 20_000 },
    standbys: { readUrls: [standbyUrl], ageMsMax: AGE_MS_MAX },
  })
  t.teardown(async () => {
    await api.stop()
    await drop()
  })
  const get = async (path: string) => {
    const beganMs = performance.now()
    const response = await fetch(api.url + path, { headers: { 'X-API-Key': key } })
    const text = await response.text()
    const age = response.headers.get('X-Data-Age-Ms')
    return { status: response.status, text, beganMs, ageMs: age === null ? undefined : Number(age) }
  }
  const readsStandby = async (path: string) => ((await get(path)).ageMs ?? 0) > 0
  return { ...cluster, standby, standbyUrl, db, get, readsStandby }
}

/** A swap that is found by its signature only. */
const numbered = (number: number) =>
  sampleSwap({ signature: signatureOf(number), slot: 1_000 + number })

test('no answer is older than the bound while a standby applies nothing', async (t) => {
  const { standby, db, get, readsStandby } = await replicated(t)
  const path = (number: number) => `/swaps/${numbered(number).signature}`
  await insertSwaps(db, [numbered(0)])
  await standby.catchUp()
  // A loaded machine may be late with the next answer, which then is the primary's: the one that proves it counts.
  let first = await get(path(0))
  await until('the standby is read', 60_000, async () => {
    first = await get(path(0))
    return (first.ageMs ?? 0) > 0
  })
  t.is(first.status, 200)
  t.true((first.ageMs ?? 0) <= AGE_MS_MAX)

  for (const number of [1, 2, 3]) {
    await standby.pauseReplay()
    await insertSwaps(db, [numbered(number)])
    const storedMs = performance.now()
    const answers: Awaited<ReturnType<typeof get>>[] = []
    await until('the primary has answered for a while', 60_000, async () => {
      answers.push(await get(path(number)))
      return performance.now() > storedMs + 3 * AGE_MS_MAX && answers.at(-1)?.ageMs === 0
    })
    const old = answers.filter(
      (answer) => answer.status !== 200 && answer.beganMs - storedMs > AGE_MS_MAX,
    )
    t.deepEqual(old, [])
    t.true(answers.every((answer) => (answer.ageMs ?? 0) <= AGE_MS_MAX))
    t.true(answers.every((answer) => answer.status < 500))
    await standby.resumeReplay()
    await until('the standby is read again', 60_000, () => readsStandby(path(number)))
    t.is((await get(path(number))).status, 200)
  }
})

test('reads from the primary a slot that the standby has yet to apply', async (t) => {
  const { standby, db, get, readsStandby } = await replicated(t)
  await insertSwaps(db, [numbered(0)])
  await standby.catchUp()
  for (const number of [1, 2, 3]) {
    const { slot, pairAddress: pair, user } = numbered(number)
    await until('the standby is read', 60_000, () => readsStandby('/swaps'))
    await standby.pauseReplay()
    await insertSwaps(db, [numbered(number)])
    for (const path of [
      `/swaps?as_of_slot=${slot}`,
      `/wallets/${user}/trades?as_of_slot=${slot}`,
      `/v2/quote?pair_address=${pair}&amount_in=10000&slot=${slot}`,
    ]) {
      const { status, text, ageMs } = await get(path)
      t.is(status, 200, text)
      t.is(ageMs, 0)
    }
    await standby.resumeReplay()
  }
})

test('a killed standby costs no answer, and is read again after its return', async (t) => {
  const { standby, db, get, readsStandby } = await replicated(t)
  const path = `/swaps/${numbered(0).signature}`
  await insertSwaps(db, [numbered(0)])
  await standby.catchUp()
  for (let round = 0; round < 3; round += 1) {
    await until('the standby is read', 60_000, () => readsStandby(path))
    const statuses: number[] = []
    const ages: (number | undefined)[] = []
    let isOver = false
    const clients = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const { status, ageMs } = await get(path)
        statuses.push(status)
        ages.push(ageMs)
      }
    })
    await standby.server.stop('SIGKILL')
    await until('the primary answers', 60_000, () => ages.at(-1) === 0)
    await standby.server.start()
    await until('the standby is read again', 60_000, () => (ages.at(-1) ?? 0) > 0)
    isOver = true
    await Promise.all(clients)
    t.deepEqual([...new Set(statuses)], [200])
  }
})

test('reads from the primary what a standby cannot read, and leaves out a promoted one', async (t) => {
  const { standby, standbyUrl, primary, get, readsStandby, db } = await replicated(t)
  await until('the standby is read', 60_000, () => readsStandby('/api/v1/pairs'))
  // Tables without a log.
  for (const path of [
    '/trending',
    '/screener?timeframe=1h',
    '/api/v1/top-movers?timeframe=1h',
    '/trending',
  ]) {
    const { status, text } = await get(path)
    t.is(status, 200, text)
  }
  t.is((await get('/trending')).ageMs, 0)
  await until('the standby is read again', 60_000, () => readsStandby('/api/v1/pairs'))

  const onStandby = connect(standbyUrl, { max: 1 })
  t.teardown(() => onStandby.end())
  t.is((await databaseSeen(onStandby)).timeline, 1)
  await standby.promote()
  t.is((await databaseSeen(onStandby)).timeline, 2, 'before a checkpoint records it')
  await until('the primary is read', 60_000, async () => (await get('/api/v1/pairs')).ageMs === 0)
  await insertSwaps(db, [numbered(5)])
  t.is((await get(`/swaps/${numbered(5).signature}`)).status, 200)
  t.is((await onNode(primary, 'select pg_is_in_recovery() as is_standby'))[0]?.is_standby, false)
})
