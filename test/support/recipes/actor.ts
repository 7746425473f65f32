/** Adds the actor "activity", which counts the swaps of each wallet. */
import { readText } from '../sources.ts'
import type { Edit } from './edit.ts'

const PROGRAM = `/**
 * The activity actor: FEED -> the swaps of each wallet. Wallets of a batch are counted again, so a message that is read
 * twice changes nothing.
 */
import { countAll, countWallets } from '../../history/swaps/activity.ts'
import { WireError } from '../../streams/codec/protobuf.ts'
import { decodeRankingTrades } from '../../streams/codec/ranking-decoder.ts'
import type { StoredMessage } from '../../streams/nats/jetstream.ts'
import { feedStreamSubject, walletLaneOfSubject } from '../../streams/nats/subject.ts'
import type { Actor, Batch, LaneContext, LaneMemory } from '../runtime/actor.ts'
import { decodeFeed } from '../runtime/feed/decode-feed.ts'
import { sharedNames } from '../runtime/ids/address-ids.ts'

export const activityActor: Actor = {
  name: 'activity',
  lanes: () => 1,
  source: (topology) => topology.feed,
  filter: (topology) => feedStreamSubject(topology.prefix),
  publishes: () => [],
  openLane: (context) => new ActivityLane(context),
  noteGap: ({ db }) => countAll(db),
}

class ActivityLane implements LaneMemory {
  private readonly context: LaneContext

  constructor(context: LaneContext) {
    this.context = context
  }

  async fold(messages: readonly StoredMessage[]): Promise<Batch> {
    const { db } = this.context
    const names = sharedNames(db)
    const { trades, deadLetters } = await decodeFeed(db, messages, ({ subject, payload }) =>
      decodeRankingTrades(payload, this.laneOf(subject), names),
    )
    const wallets = new Set(trades.flat().map(({ user }) => user.id))
    return {
      eventCount: trades.flat().length,
      deadLetters,
      publish: () => [],
      // The swaps of a dead letter are stored all the same.
      write: (connection) =>
        deadLetters.length > 0 ? countAll(connection) : countWallets(connection, wallets),
    }
  }

  foldIdle(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  /** Throws WireError for what no pool lane of ours publishes. */
  private laneOf(subject: string): number {
    const lane = walletLaneOfSubject(subject)
    if (lane < this.context.topology.laneCount) return lane
    throw new WireError(\`there is no lane of wallets \${lane}\`)
  }
}
`

const READS = `/** The swaps of wallets, as the table of swaps has them. */
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

type ActivityRow = { wallet: string; stored: number; folded: number }

const mergeWallets = query('swap-history/merge_active_wallets')
const mergeAll = query('swap-history/merge_all_wallets')
const listRows = query<ActivityRow>('swap-history/list_activity')

export async function countWallets(db: Queryable, wallets: ReadonlySet<number>): Promise<void> {
  if (wallets.size > 0) await mergeWallets(db, [[...wallets]])
}

export async function countAll(db: Queryable): Promise<void> {
  await mergeAll(db)
}

/** Wallets with their swaps as counted and as stored. */
export const listActivity = (db: Queryable): Promise<ActivityRow[]> => listRows(db)
`

const MIGRATION = `-- The swaps of each wallet, written by the activity actor. Wallets whose swaps were all retracted have 0.
create table wallet_activity (
  wallet_id integer primary key,
  swap_count bigint not null
);
`

const STATEMENTS = `-- name: swap-history/list_activity
-- Wallets with their swaps as stored and as counted. Result: wallet, stored, folded.
select
  wallet.address as wallet, coalesce(activity.swap_count, 0) as stored,
  coalesce(own.swaps, 0) as folded
from wallet
left join wallet_activity as activity on activity.wallet_id = wallet.id
left join (select wallet_id, count(*) as swaps from swap group by wallet_id) as own
  on own.wallet_id = wallet.id

-- name: swap-history/merge_active_wallets
-- Counts the stored swaps of wallets. $1 integer[]: wallet ids. Index: swap_wallet, wallet_activity_pkey.
insert into wallet_activity (wallet_id, swap_count)
select wanted.id, (select count(*) from swap where swap.wallet_id = wanted.id)
from unnest($1::integer[]) as wanted (id)
on conflict (wallet_id) do update set swap_count = excluded.swap_count

-- name: swap-history/merge_all_wallets
-- Counts the stored swaps of all wallets. Index: wallet_activity_pkey.
insert into wallet_activity (wallet_id, swap_count)
select wallet.id, count(swap.wallet_id)
from wallet
left join swap on swap.wallet_id = wallet.id
group by wallet.id
on conflict (wallet_id) do update set swap_count = excluded.swap_count
`

const VERIFY = `/** Counts the swaps of wallets afresh, and compares with the stored counts. */
import { counted } from '../../domain/text/plural.ts'
import { listActivity } from '../../history/swaps/activity.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { type TableReport, UnorderedComparison } from './comparison.ts'

const countUncounted = query<{ unread: number | null }>('verify/count_uncounted_swaps')

/** Stored swaps that the activity actor has not read; undefined where it has never run. */
export async function uncountedSwaps(connection: Connection): Promise<number | undefined> {
  const [row] = await countUncounted(connection)
  return row?.unread ?? undefined
}

/** Reads in the snapshot of \`connection\`. No tables where the actor has never run. */
export async function verifyActivity(connection: Connection): Promise<TableReport[]> {
  const unread = await uncountedSwaps(connection)
  if (unread === undefined) return []
  const comparison = new UnorderedComparison('wallet_activity')
  if (unread > 0) comparison.differ(\`not counted yet: \${counted(unread, 'swap')}\`)
  for (const { wallet, stored, folded } of await listActivity(connection)) {
    comparison.row(wallet, String(stored), String(folded))
  }
  return [comparison.report()]
}
`

const VERIFY_STATEMENTS = `-- name: verify/count_uncounted_swaps
-- How many stored swaps the activity actor has not read yet; null where it has never run.
select case
  when exists (select from checkpoint where actor = 'activity' and stream_epoch is not null)
    then (select coalesce(sum(swap_count), 0) from pool)
      - (select coalesce(sum(swap_count), 0) from wallet_activity)
end::bigint as unread
`

const MODEL = `/** The naive model of the activity actor: every accepted swap counts for its wallet. */
import type { ExecutionContext } from 'ava'
import { acceptedSwaps } from '../../support/workers/ledger.ts'
import { type Pipeline, until } from '../../support/workers/pipeline.ts'

type Row = { wallet: string; swap_count: number }

/** Asserts that the actor counts every swap once, when it has read them all. */
export async function assertActivity(
  t: ExecutionContext,
  { db, ...pipeline }: Pipeline,
  hint: string,
): Promise<void> {
  const swaps = await acceptedSwaps({ db, ...pipeline })
  const read = async (): Promise<Row[]> => {
    const { rows } = await db.query<Row>(
      \`select address as wallet, swap_count from wallet_activity
       join wallet on wallet.id = wallet_id where swap_count > 0\`,
    )
    return rows
  }
  await until('every swap is counted', 60_000, async () => {
    const sum = (await read()).reduce((all, { swap_count }) => all + swap_count, 0)
    return sum === swaps.length
  })
  const stored = (await read()).map(({ wallet, swap_count }) => \`\${wallet} \${swap_count}\`)
  const expected = Map.groupBy(swaps, ({ user }) => user)
  const counted = Array.from(expected, ([user, own]) => \`\${user} \${own.length}\`)
  t.deepEqual(stored.sort(), counted.sort(), hint)
}
`

const DRAWN = `   |--> ranking actor    windows, distinct traders, rankings  --> TimescaleDB
`
const RANKING_PART = 'deploy/kubernetes/base/worker-ranking.yaml'
const KUSTOMIZATION = 'deploy/kubernetes/base/kustomization.yaml'
const recipe = 'actor'
const SCALED = 'deployment/worker-ranking --replicas='
const SCALED_TOO = 'deployment/worker-ranking deployment/worker-activity --replicas='
const UNIT = 'swaptide-worker@ranking'

/** The actor in commands of a document. */
const named = (path: string, lines: readonly [old: string, text: string][]): Edit[] =>
  lines.map(([old, text]) => ({ recipe, step: 5, path, old, text }))

export const ACTOR: readonly Edit[] = [
  { recipe, step: 1, path: 'workers/activity/actor.ts', text: PROGRAM },
  {
    recipe,
    step: 2,
    path: 'workers/actors.ts',
    old: 'import { ledgerActor }',
    text: "import { activityActor } from './activity/actor.ts'\nimport { ledgerActor }",
  },
  {
    recipe,
    step: 2,
    path: 'workers/actors.ts',
    old: 'rankingActor]',
    text: 'rankingActor, activityActor]',
  },
  {
    recipe,
    step: 2,
    path: 'test/tidy-structure.test.ts',
    old: "    'ranking',\n    'sandwiches',\n",
    text: "    'ranking',\n    'activity',\n    'sandwiches',\n",
  },
  { recipe, step: 3, path: 'sql/migrations/0021_activity_of_wallets.sql', text: MIGRATION },
  { recipe, step: 3, path: 'sql/queries/swap-history-activity.sql', text: STATEMENTS },
  { recipe, step: 3, path: 'history/swaps/activity.ts', text: READS },
  { recipe, step: 4, path: 'workers/verify/activity.ts', text: VERIFY },
  {
    recipe,
    step: 4,
    path: 'sql/queries/verify.sql',
    old: '-- name: verify/count_unranked_swaps\n',
    text: `${VERIFY_STATEMENTS}\n-- name: verify/count_unranked_swaps\n`,
  },
  {
    recipe,
    step: 4,
    path: 'workers/verify/verify.ts',
    old: 'import { CandleVerification }',
    text: "import { uncountedSwaps, verifyActivity } from './activity.ts'\nimport { CandleVerification }",
  },
  {
    recipe,
    step: 4,
    path: 'workers/verify/verify.ts',
    old: '    if (isRead ||',
    text: '    const isCounted = ((await uncountedSwaps(connection)) ?? 0) <= 0\n    if ((isRead && isCounted) ||',
  },
  {
    recipe,
    step: 4,
    path: 'workers/verify/verify.ts',
    old: '      tables.push(...(await verifyRanking(connection, fromMs)))\n',
    text: '      tables.push(...(await verifyRanking(connection, fromMs)))\n      tables.push(...(await verifyActivity(connection)))\n',
  },
  { recipe, step: 4, path: 'test/simulation/models/activity-model.ts', text: MODEL },
  {
    recipe,
    step: 4,
    path: 'test/simulation/simulation.test.ts',
    old: '    await assertExact(t, pipeline, { hint })\n',
    text: '    await assertActivity(t, pipeline, hint)\n    await assertExact(t, pipeline, { hint })\n',
  },
  {
    recipe,
    step: 4,
    path: 'test/simulation/simulation.test.ts',
    old: "import { identityOfPoolEvent, identityOfSwap } from './model.ts'\n",
    text: "import { identityOfPoolEvent, identityOfSwap } from './model.ts'\nimport { assertActivity } from './models/activity-model.ts'\n",
  },
  {
    recipe,
    step: 5,
    path: 'deploy/kubernetes/base/worker-activity.yaml',
    text: readText(RANKING_PART)
      .replace('windows, traders, rankings', 'swaps of wallets')
      .replaceAll('ranking', 'activity'),
  },
  {
    recipe,
    step: 5,
    path: KUSTOMIZATION,
    old: '  - worker-ranking.yaml\n',
    text: '  - worker-ranking.yaml\n  - worker-activity.yaml\n',
  },
  {
    recipe,
    step: 5,
    path: 'deploy/systemd/swaptide-worker@activity.service.d/metrics.conf',
    text: '[Service]\nEnvironment=METRICS_PORT=9470\n',
  },
  ...named('deploy/kubernetes/README.md', [
    ['worker-ranking; do', 'worker-ranking worker-activity; do'],
    [`${SCALED}0`, `${SCALED_TOO}0`],
    [`${SCALED}2`, `${SCALED_TOO}2`],
  ]),
  ...named('docs/operations.md', [[`${SCALED}0`, `${SCALED_TOO}0`]]),
  ...named('deploy/systemd/README.md', [
    [`${UNIT}\n`, `${UNIT} swaptide-worker@activity\n`],
    [`${UNIT} swaptide-jobs`, `${UNIT} swaptide-worker@activity swaptide-jobs`],
  ]),
  {
    recipe,
    step: 6,
    path: 'docs/architecture.md',
    old: DRAWN,
    text: `${DRAWN}   |--> activity actor   swaps of each wallet                 --> TimescaleDB\n`,
  },
]
