/**
 * Figures of documents that are constants of the code: a change of a constant fails here for each page that has it. A
 * row has the page, its words, the file, and the constant as it is written there.
 */
import test from 'ava'
import { readText } from '../support/sources.ts'

type Figure = readonly [page: string, words: string, file: string, code: string]

const SENDER = 'api/webhooks/sending/sender.ts'
const RETRACTED = 'workers/pool/retraction/retracted-blocks.ts'
const VENUE = 'domain/venue.ts'
const TAG = 'domain/wallet/wallet-tag.ts'
const SCORE = 'workers/ranking/series/score.ts'
const TIMING = 'api/feed/websocket/protocol/timing.ts'
const CONNECTION = 'api/feed/websocket/connection.ts'
const SESSION = 'api/feed/websocket/session.ts'
const BOUNDS = 'domain/stream-bounds.ts'
const FIGURES: readonly Figure[] = [
  ['docs/webhooks.md', '1 to 250, default 100', 'api/webhooks/webhook.ts', 'EVENTS_MAX = 250'],
  ['docs/webhooks.md', '1 to 250, default 100', 'api/webhooks/webhook.ts', 'EVENTS_DEFAULT = 100'],
  ['docs/webhooks.md', '200 to 299 within 15 s', SENDER, 'ATTEMPT_BOUND_MS = 15_000'],
  ['docs/webhooks.md', '16 KiB', 'api/webhooks/sending/post.ts', 'ANSWER_BYTES_MAX = 16 * 1024'],
  ['docs/webhooks.md', 'tried again after 5 s', SENDER, 'first: 5_000'],
  ['docs/webhooks.md', 'up to an hour', SENDER, 'greatest: HOUR_MS'],
  ['docs/webhooks.md', 'give or take a fifth', SENDER, 'JITTER = 0.2'],
  ['docs/webhooks.md', 'fails for 3 days', SENDER, 'giveUpAfter: 3 * DAY_MS'],
  ['docs/webhooks.md', 'For a day each delivery', 'api/webhooks/store.ts', 'GRACE_MS = DAY_MS'],
  ['docs/webhooks.md', '10,000', 'api/webhooks/sending/reader.ts', 'WAITING_MAX = 10_000'],
  ['docs/webhooks.md', 'at most 7 days', BOUNDS, 'FEED_DAYS = 7'],
  ['docs/webhooks.md', 'default of 8 GB', BOUNDS, 'FEED: 8 * GIB'],
  ['docs/operations/alerts.md', '410 or failed\nfor 3 days', SENDER, 'giveUpAfter: 3 * DAY_MS'],
  ['docs/operations.md', 'latest after 7 days', BOUNDS, 'FEED_DAYS = 7'],
  ['docs/operations.md', '4 GB and 8 GB by default', BOUNDS, 'SWAP: 4 * GIB, FEED: 8 * GIB'],
  [
    'docs/operations.md',
    'once it is half full',
    'workers/runtime/swap-retention.ts',
    'TRIM_FROM = 0.5',
  ],
  [
    'docs/operations.md',
    'a sample every 10 s',
    'api/admin/samples/sampling.ts',
    'EVERY_MS = 10_000',
  ],
  ['docs/operations.md', 'keeps 360', 'api/admin/samples/ring.ts', 'SAMPLES_MAX = 360'],
  ['docs/operations.md', '5 minutes at most', 'deploy/backup/covered.ts', 'BOUND_MS = 300_000'],
  ['docs/operations.md', '7 more days', 'api/gateway/keys/keys.ts', "GRACE = '7 days'"],
  ['docs/ingest.md', 'one of the two before it', RETRACTED, 'REVERSIBLE_DAYS = 2'],
  ['docs/ingest.md', 'up to four days before', 'sql/functions/append_only.sql', '- 4 * 86400000'],
  ['docs/semantics.md', '17.58 SOL', VENUE, 'MIGRATION_CORRECTION_LAMPORTS = 17_580_000_000'],
  [
    'docs/semantics.md',
    '2026-07-15T00',
    VENUE,
    'MIGRATION_CORRECTION_FROM_MS = Date.UTC(2026, 6, 15)',
  ],
  ['docs/semantics.md', '2026-05-30T00', VENUE, 'AGENT_MARKING_FROM_MS = Date.UTC(2026, 4, 30)'],
  ['docs/semantics.md', '`token_amount` below 10,000', VENUE, 'DUST_BASE_UNITS = 10_000'],
  ['docs/semantics.md', 'within 3 slots', TAG, 'sniper: { slotsMax: 3, slotScale: 4 }'],
  ['docs/semantics.md', 'at least 50 SOL', TAG, 'buyLamports: 50n * SOL'],
  ['docs/semantics.md', 'at least 250 SOL', TAG, 'openLamports: 250n * SOL'],
  ['docs/semantics.md', 'at least 10 positions', TAG, 'closedMin: 10'],
  ['docs/semantics.md', 'at least 55 %', TAG, 'winPercent: 55'],
  ['docs/semantics.md', 'at least 25 SOL', TAG, 'realizedLamports: 25n * SOL'],
  ['docs/semantics.md', '0.9 vol_velocity', SCORE, '0.9 * velocity'],
  ['docs/semantics.md', '1.1 unique_buyers', SCORE, '1.1 * buyers'],
  ['docs/semantics.md', '0.5 holder_growth', SCORE, '0.5 * (growth ?? 0)'],
  ['docs/semantics.md', 'has 2.5 for both', SCORE, 'FAST_RISER = 2.5'],
  ['docs/semantics.md', 'newest 15 minutes', 'sql/functions/sol_usd.sql', 'limit 15'],
  ['docs/semantics.md', 'or the two days before', RETRACTED, 'REVERSIBLE_DAYS = 2'],
  [
    'docs/ingest.md',
    '10 minutes ahead',
    'streams/ingest/rule.ts',
    'CLOCK_LEAD_MS_MAX = 10 * 60 * 1000',
  ],
  [
    'docs/rest.md',
    '64 KiB (400 beyond it)',
    'api/http/body-limit.ts',
    'BODY_BYTES_MAX = 64 * 1024',
  ],
  ['docs/rest.md', 'headers 16 KiB', 'api/http/http-server.ts', 'maxHeaderSize: 16 * 1024'],
  ['docs/rest.md', 'arrive within 10 s', 'api/http/http-server.ts', 'headersTimeout: 10_000'],
  ['docs/rest.md', 'within 15 s (408)', 'api/http/http-server.ts', 'requestTimeout: 15_000'],
  ['docs/rest.md', '(12,000)', 'api/main.ts', 'CLIENTS_MAX = 12_000'],
  ['docs/rest.md', 'up to 200 positions', 'api/resources/batches/schema.ts', 'POSITIONS_MAX = 200'],
  ['docs/rest.md', 'to 100 summaries', 'api/resources/batches/schema.ts', 'WALLETS_MAX = 100'],
  ['docs/graphql.md', 'depth 8', 'api/graphql/limits.ts', 'depth: 8'],
  ['docs/graphql.md', '15 aliases', 'api/graphql/limits.ts', 'aliases: 15'],
  ['docs/graphql.md', '1,000 tokens', 'api/graphql/limits.ts', 'tokens: 1_000'],
  ['docs/graphql.md', 'cost 100,000', 'api/graphql/limits.ts', 'cost: 100_000'],
  ['docs/feeds.md', 'takes no byte for 30 s', TIMING, 'stallMs: 30_000'],
  ['docs/feeds.md', 'cut 1 s after the goodbye', TIMING, 'cutMs: 1_000'],
  ['docs/feeds.md', 'heartbeat` every 15 s', TIMING, 'heartbeatMs: 15_000'],
  ['docs/feeds.md', 'pings every 20 s', TIMING, 'pingMs: 20_000'],
  ['docs/feeds.md', 'does not subscribe within 30 s', TIMING, 'subscribeMs: 30_000'],
  ['docs/feeds.md', 'waited for, up to 2 s', TIMING, 'aheadMs: 2_000'],
  ['docs/feeds.md', 'Above 1 MiB the server', CONNECTION, 'BLOCK_BYTES = 1024 * 1024'],
  ['docs/feeds.md', 'Once 256 KiB or less', CONNECTION, 'RESUME_BYTES = 256 * 1024'],
  ['docs/feeds.md', 'more than 8 MiB unsent', CONNECTION, 'GIVE_UP_BYTES = 8 * 1024 * 1024'],
  ['docs/feeds.md', 'Above 128 KiB', 'api/feed/grpc/outlet.ts', 'WAITING_BYTES_MAX = 128 * 1024'],
  ['docs/feeds.md', 'After 30 s in which nothing', 'api/feed/grpc/server.ts', 'slowMs: 30_000'],
  ['docs/feeds.md', '20 requests/s (100 at once)', SESSION, 'REQUESTS_AT_ONCE = 100'],
  ['docs/feeds.md', '50 pings/s (1,000 at once)', SESSION, 'perSecond: 50, atOnce: 1_000'],
  ['docs/feeds.md', '200 refused requests', SESSION, 'REFUSED_MAX = 200'],
  ['docs/feeds.md', 'the twentieth is fatal', SESSION, 'FAULTY_MAX = 20'],
  ['docs/feeds.md', 'holds 7 days', BOUNDS, 'FEED_DAYS = 7'],
  ['docs/feeds.md', 'streams within 45 s', 'api/feed/stream-slots.ts', 'LEASE_MS = 45_000'],
  [
    'docs/feeds.md',
    '| Pro | 50 | 200 |',
    'api/gateway/limits/tier.ts',
    'streams: 50, subscriptions: 200',
  ],
  ['docs/pages.md', 'good for 30 days', 'api/gateway/page-session.ts', '30 * 24 * 3600'],
  ['docs/pages.md', 'within an hour', 'api/gateway/sign-in-links.ts', 'LINK_SECONDS = 3_600'],
]

test('figures of documents are those of the code', (t) => {
  const wrong = FIGURES.flatMap(([page, words, file, code]) => [
    ...(readText(page).includes(words) ? [] : [`${page} lacks "${words}", see ${file}: ${code}`]),
    ...(readText(file).includes(code) ? [] : [`${file} lacks "${code}", see ${page}: ${words}`]),
  ])
  t.deepEqual(wrong, [])
})
