/** `swaptide up --live` follows the chain by a portal without a key, and reports from which slot on figures are complete. */
import test from 'ava'
import { listCoverage } from '../../../../sql/coverage.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { startPortal } from '../../../support/chain/portal/portal-server.ts'
import { FIRST_SLOT, makeChain } from '../../../support/chain/served-chain.ts'
import { homeSettings, startUp } from '../../../support/deploy/started-up.ts'
import { sampleSwap } from '../../../support/market/sample-swap.ts'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { testRedis } from '../../../support/servers/redis.ts'
import { openPipeline, until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 90_000

test('follows a portal, reports what it reads, and serves its market with its past', async (t) => {
  const chain = makeChain({ slots: 40, transactions: 20, skipShare: 0 })
  const portal = await startPortal(chain, { newest: FIRST_SLOT + 20, waitMs: 50 })
  t.teardown(() => portal.stop())
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const settings = {
    ...{ ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) },
    SOURCE_PORTAL_URL: portal.url,
  }
  const up = await startUp(t, settings, ['--live'])
  let printed = ''
  up.child.stderr?.on('data', (piece) => {
    printed += piece
  })
  const { host } = new URL(portal.url)
  const report = new RegExp(
    `reading slot \\d+ of ${host}, .* late; figures are complete from slot ${FIRST_SLOT + 20} on`,
  )
  await until('the live source is reported', BOUND_MS, async () => report.test(printed))
  portal.newest = chain.to
  const past = ['backfill', '--portal', '--from', String(FIRST_SLOT)]
  const { code, stderr } = await runHere([...past, '--to', String(FIRST_SLOT + 19)], settings)
  t.is(code, 0, stderr)
  await until('every slot is covered', BOUND_MS, async () => {
    const [whole, ...rest] = await listCoverage(pipeline.db)
    return rest.length === 0 && whole?.from === FIRST_SLOT && whole.to === chain.to
  })
  const answer = await fetch(`${up.url}/swaps?limit=1`, { headers: { 'X-API-Key': up.key } })
  t.is(answer.status, 200)
  up.child.kill('SIGTERM')
  t.is(await up.ended, 0)
})

test('refuses to follow the chain in a home of a simulated market', async (t) => {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  await insertSwaps(pipeline.db, [sampleSwap()])
  const settings = { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
  const { code, stderr } = await runHere(['up', '--live'], settings)
  t.is(code, 1)
  t.regex(
    stderr,
    /holds swaps that were not read from the chain.*set SWAPTIDE_HOME to a new folder/,
  )
})
