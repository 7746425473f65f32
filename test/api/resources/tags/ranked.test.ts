// Tags where wallets are ranked: those of any mint, each once.

import test from 'ava'
import { TAGS } from '../../../../domain/wallet/wallet-tag.ts'
import { walletTags } from '../../../../workers/jobs/wallet-tags.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { planAsRun } from '../../../support/api/plan.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { EXPECTED, insertKnownWallets } from './known-wallets.ts'

const under = apiForFile()

type Ranked = { leaderboard: { wallet: string; tags: string[] }[] }

test.serial('the leaderboard lists the tags of each wallet, each once', async (t) => {
  const { db, get } = under()
  await insertKnownWallets(db)
  await walletTags({}, { db, log: recordingLog().log }, AbortSignal.timeout(60_000))
  const { body } = await get('/v2/pnl/leaderboard/top?period=30d')
  const { leaderboard } = body as unknown as Ranked
  const expected = Object.entries(EXPECTED).map(([user, lines]) => {
    const tags = TAGS.filter((tag) => lines.some((line) => line.startsWith(`${tag} `))).toSorted()
    return [trader(Number(user)), tags] as const
  })
  t.deepEqual(
    Object.fromEntries(leaderboard.map(({ wallet, tags }) => [wallet, tags])),
    Object.fromEntries(expected),
  )
})

test.serial('reads one row for each wallet, however many mints it is known for', async (t) => {
  const wallets = Object.keys(EXPECTED).map((user) => trader(Number(user)))
  const nodes = await planAsRun(under().db, 'tags/list_kinds', [wallets])
  const read = nodes
    .filter((node) => /^wallet_(tag|profile)$/.test(node['Relation Name'] ?? ''))
    .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), 0)
  t.true(read > 0 && read <= wallets.length, `${read} rows`)
})
