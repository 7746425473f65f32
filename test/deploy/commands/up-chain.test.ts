/** `swaptide up --demo chain`: the simulated market through blocks and their decoder, as a new user sees it. */
import test from 'ava'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { homeSettings, startUp } from '../../support/deploy/started-up.ts'
import { runCommandLine, settingsOf } from '../../support/programs/commands.ts'
import { testRedis } from '../../support/servers/redis.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'

const BOUND_MS = 90_000

type Row = Record<string, unknown>

test('up --demo chain serves swaps, named tokens, pools with liquidity and wallets', async (t) => {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const settings = { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
  const up = await startUp(t, settings, ['--demo', 'chain'])
  const read = async (path: string): Promise<Row> => {
    const answer = await fetch(`${up.url}${path}`, { headers: { 'X-API-Key': up.key } })
    return answer.status === 200 ? ((await answer.json()) as Row) : {}
  }
  const rowsOf = async (path: string) => ((await read(path)).data ?? []) as Row[]
  /** The first row of a list; a loaded machine may refuse a request now and then. */
  const firstOf = async (path: string): Promise<Row> => {
    let first: Row | undefined
    const isThere = async (): Promise<boolean> => {
      ;[first] = await rowsOf(path)
      return first !== undefined
    }
    t.true(await holdsWithin(BOUND_MS, isThere), path)
    return first ?? {}
  }

  const venues = new Set<unknown>()
  const isEveryVenueHere = async (): Promise<boolean> => {
    for (const { dex } of await rowsOf('/swaps?limit=1000')) venues.add(dex)
    return venues.size === 10
  }
  t.true(await holdsWithin(BOUND_MS, isEveryVenueHere), `venues ${[...venues]}`)

  const created = await firstOf('/pool-events?event=created&dex=2&limit=1')
  const mint = String(created.token_address)
  t.truthy(created.creator)
  t.true(
    await holdsWithin(BOUND_MS, async () => {
      const stats = JSON.stringify(await read(`/stats/token/${mint}`))
      return /"symbol":"\w+"/.test(stats)
    }),
  )
  const hasLiquidity = async (): Promise<boolean> => {
    const pairs = await rowsOf(`/api/v1/pairs?token_address=${mint}`)
    return pairs.some(({ liquidity_sol: liquidity }) => Number(liquidity) > 0)
  }
  t.true(await holdsWithin(BOUND_MS, hasLiquidity))
  const swap = await firstOf('/swaps?limit=1')
  const hasWallet = async (): Promise<boolean> =>
    Object.keys(await read(`/wallets/${swap.user}/stats`)).length > 0
  t.true(await holdsWithin(BOUND_MS, hasWallet))
})

test('up names the markets that there are', async (t) => {
  const { code, stderr } = await runCommandLine(['up', '--demo', 'stocks'])
  t.is(code, 2)
  t.regex(stderr, /unknown market "stocks": use events or chain/)
})

test('up refuses a past that its market cannot have', async (t) => {
  for (const [argv, error] of [
    [['--demo', 'chain', '--past', '7'], /--past 7: the market of blocks begins now/],
    [['--past', '-1'], /--past/],
    [['--past', '366'], /--past "366": /],
  ] as const) {
    const { code, stderr } = await runCommandLine(['up', ...argv])
    t.is(code, 2)
    t.regex(stderr, error)
  }
})
