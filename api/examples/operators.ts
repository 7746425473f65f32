/** Example values by name: responses about keys and to operators. Pure. */
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { VENUE_NAMES } from '../../domain/venue.ts'
import { laneOfSubject, subjectIn, venuePattern } from '../../streams/nats/subject.ts'
import { MONTHLY_NOTE, TIER_LIMITS, WINDOW_SECONDS } from '../gateway/limits/tier.ts'
import { makeKey } from '../routing/key-format.ts'
import { CREATION_MS, MIGRATED, NOW_MS, POOL_VENUE, SALE_MS } from './story.ts'

/** Id of the example replay. */
export const REPLAY = '0b6a3f52-6c1e-4c1b-9d55-3d0a7f0f5c11'
const LANES = 2

const isoOf = (ms: number): string => new Date(ms).toISOString()
const USED = 13
/** Example key that belongs to no account: its random part is all zeros. */
const KEY = makeKey('live', (count) => new Uint8Array(count))

export const OF_KEYS = {
  tier: 'developer',
  rps_cap: TIER_LIMITS.developer.rps,
  rps_window_secs: WINDOW_SECONDS,
  current_window_used: USED,
  current_window_remaining: (TIER_LIMITS.developer.windowRequests ?? 0) - USED,
  current_window_reset_secs: 12,
  monthly_used: 40_213,
  monthly_used_note: MONTHLY_NOTE,
  smart_money_access: true,
  whales_access: true,
  id: 7,
  key: KEY,
  hint: `0000...${KEY.slice(-4)}`,
  account: 'acme',
  created_at: isoOf(CREATION_MS),
  grace_until: isoOf(NOW_MS + 7 * 24 * HOUR_MS),
  revoked_at: null,
  last_used_at: isoOf(NOW_MS),
  '/admin/v1/keys grace_until': null,
  '/admin/v1/keys/{id}/rotate id': 8,
  rotated: 1,
}

/** Subject of the example dead letter, whose event has a negative amount. */
const SUBJECT = subjectIn(
  'SWAP',
  {
    kind: 'pool_event',
    poolEvent: {
      event: 'liquidity_added',
      signature: MIGRATED.signature,
      slot: MIGRATED.slot,
      timestamp: MIGRATED.timestamp,
      pairAddress: MIGRATED.pair_address,
      tokenAddress: MIGRATED.token_address,
      dex: MIGRATED.dex,
      blockTxIndex: MIGRATED.block_tx_index,
      ixIndex: MIGRATED.ix_index,
    },
  },
  LANES,
)

const NEWEST_SLOT = MIGRATED.slot + 700
const OF_SOURCE = {
  ...named('ChainSource.', {
    commitment: 'confirmed',
    venues: VENUE_NAMES,
    from_slot: null,
    to_slot: null,
    id: '5d0c2a6e-5b0e-4a55-9a0c-0f6f5f2f8a10',
    kind: 'geyser',
    state: 'running',
    endpoint: 'stream.example.com',
    cursor_slot: NEWEST_SLOT - 2,
    newest_slot: NEWEST_SLOT,
    lag_slots: 2,
    lag_ms: 1_300,
    slots_per_second: 2.5,
    swaps_per_second: 410.2,
    slots: 12_400,
    skipped_slots: 610,
    swaps: 2_031_000,
    pool_events: 18_200,
    tokens: 5_100,
    retries: 1,
    requests: 84,
    throttled_requests: 2,
    failed_requests: 0,
    last_error: 'Yellowstone stream of stream.example.com: no update for 30 s',
    last_error_at: isoOf(SALE_MS),
    started_at: isoOf(CREATION_MS),
    seen_at: isoOf(NOW_MS),
    age_ms: 2_100,
    moved_age_ms: 400,
  }),
  'rejects.reason': 'no_sol_side',
  'rejects.count': 61_200,
  'mismatches.venue': POOL_VENUE.name,
  'mismatches.count': 1,
}

const SAMPLED_AT = [NOW_MS - 10_000, NOW_MS]
const OF_SAMPLES = named('/admin/v1/samples ', {
  pool_lag_messages: [0, 3],
  ledger_lag_messages: [1, 4],
  ranking_lag_messages: [0, 0],
  feed_lag_ms: [412.5, 80.2],
  source_lag_ms: [1_300, 1_250],
  swaps_per_second: [null, 410.2],
  requests_per_second: [null, 12.4],
  commit_latency_ms: [null, 12.5],
  request_p50_ms: [null, 1.8],
  request_p99_ms: [null, 24.6],
  server_errors_per_minute: [null, 0],
  rejects_per_minute: [null, 6],
  failed_jobs: [1, 1],
  dead_letters: [1, 1],
})

export const OF_OPERATORS = {
  key_id: 7,
  target: 'key 7',
  actor: 'pool',
  '/admin/v1/audit actor': 'admin',
  '/admin/v1/audit id': 12,
  at: isoOf(NOW_MS),
  lane: laneOfSubject(SUBJECT),
  owner: 'worker-1-4711-0b1c2d3e',
  sequence: 184_467,
  head: 184_470,
  lag: 3,
  committed_at: isoOf(NOW_MS),
  age_ms: 42,
  latency_ms: 12.5,
  every_ms: 10_000,
  '/admin/v1/samples at': SAMPLED_AT.map(isoOf),
  ...OF_SAMPLES,
  '/admin/v1/queues waiting': 2,
  active: 1,
  delayed: 0,
  failed: 1,
  'newest_failure.reason': 'the balance provider did not answer in time',
  attempts: 5,
  failed_at: isoOf(SALE_MS),
  '/admin/v1/dead-letters id': 41,
  '/admin/v1/dead-letters created_at': isoOf(SALE_MS),
  part: 3,
  subject: SUBJECT,
  reason: 'sol_amount "-1": expected an integer of 0 to 9223372036854775807',
  payload_bytes: 412,
  retried_at: null,
  waiting: 1,
  sent: [1],
  '/admin/v1/dead-letters/retry sent': [41, 42],
  '/admin/v1/dead-letters/retry waiting': 0,
  is_new: true,
  is_counted: true,
  ...OF_SOURCE,
  ...named('/admin/v1/replays ', {
    id: REPLAY,
    state: 'running',
    subject: venuePattern(POOL_VENUE.name),
    to_subject: `replay.${POOL_VENUE.name}`,
    from: isoOf(CREATION_MS),
    to: isoOf(NOW_MS),
    speed: 10,
    events: 1_240,
    phase: 'stream',
    slot: null,
    sequence: 3_512,
    end_sequence: 9_020,
    asked_at: isoOf(NOW_MS),
    ended_at: null,
    failure: null,
  }),
}

/** Values whose names have a prefix for their context. */
function named(prefix: string, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]),
  )
}
