/** Answer of /admin/v1/sources. */
import Type, { type Static } from 'typebox'
import { WARNING_KINDS } from '../../../domain/decoder-warning.ts'
import { SOURCE_RUNNING_S, SOURCE_STATES } from '../../../sql/chain/sources.ts'
import { coverageLists } from '../../resources/coverage/schema.ts'
import { count, nullable, venueName } from '../../routing/schema.ts'

const time = (description: string) => Type.String({ format: 'date-time', description })
const rate = (description: string) => Type.Number({ minimum: 0, description })

const source = Type.Object(
  {
    id: Type.String({ description: 'Id of the process of the source: a restart changes it' }),
    kind: Type.String({ description: 'rpc, geyser or backfill' }),
    state: Type.Enum([...SOURCE_STATES], {
      description: `running: with a heartbeat within ${SOURCE_RUNNING_S} s; failed: it ended with last_error; silent: neither`,
    }),
    endpoint: Type.String({ description: 'Host and port of the provider' }),
    commitment: Type.String({ description: 'confirmed or finalized' }),
    venues: Type.Array(venueName('Venue by name'), { description: 'Venues that are decoded' }),
    decoder_version: Type.Integer(),
    from_slot: nullable(count({ description: 'First slot of a backfill' })),
    to_slot: nullable(count({ description: 'Last slot of a backfill' })),
    cursor_slot: nullable(count({ description: 'Every event up to this slot is stored' })),
    newest_slot: nullable(count({ description: 'Newest slot that the provider has reported' })),
    lag_slots: nullable(count({ description: 'Slots between the two; null for a backfill' })),
    lag_ms: nullable(
      count({
        description: 'Milliseconds since the time of the newest block read; null for a backfill',
      }),
    ),
    slots_per_second: rate('Slots read, over the last minute'),
    swaps_per_second: rate('Swaps decoded, over the last minute'),
    slots: count({ description: 'Slots read since it started, skipped ones included' }),
    skipped_slots: count({ description: 'Slots without a block' }),
    swaps: count({ description: 'Swaps decoded' }),
    pool_events: count({ description: 'Pool events decoded' }),
    tokens: count({ description: 'Token lines decoded' }),
    rejects: Type.Array(
      Type.Object(
        { reason: Type.String(), count: count({ description: 'How many' }) },
        { title: 'SourceRejects' },
      ),
      {
        description: 'Swaps and pool events that yielded no event, by reason',
      },
    ),
    mismatches: Type.Array(
      Type.Object(
        { venue: venueName('Venue by name'), count: count({ description: 'How many' }) },
        { title: 'SourceMismatches' },
      ),
      {
        description:
          'Swaps whose events the balances of their vaults contradict, by venue; they follow the vaults or are refused',
      },
    ),
    retries: count({ description: 'Times that it was opened again after an error' }),
    requests: count({ description: 'Requests of JSON-RPC' }),
    throttled_requests: count({ description: 'Requests that the rate limit of the node refused' }),
    failed_requests: count({ description: 'Requests that were repeated for another reason' }),
    last_error: nullable(Type.String()),
    last_error_at: nullable(time('When it failed last')),
    started_at: time('When its process started'),
    seen_at: time('Last heartbeat'),
    age_ms: Type.Number({ description: 'Milliseconds since the last heartbeat' }),
    moved_age_ms: Type.Number({ description: 'Milliseconds since cursor_slot moved' }),
  },
  { $id: 'ChainSource' },
)

const warning = Type.Object(
  {
    venue: venueName('Venue by name'),
    kind: Type.Enum([...WARNING_KINDS], {
      description:
        'upgrade: its program was replaced, extended or closed; unknown_instruction, unknown_event: a discriminator that the decoder ' +
        'does not know; reject_rate: more rejected swaps than usual',
    }),
    subject: Type.String({
      description: 'Action and signature, the discriminator as hex, or which rejects',
    }),
    first_slot: count({ description: 'First slot with it' }),
    last_slot: count({ description: 'Last slot with it' }),
    reads: count({ description: 'How often it was read' }),
    share: nullable(Type.Number({ description: 'Newest share of a reject rate, 0 to 1' })),
    ended_slot: nullable(
      count({ description: 'Slot at which a reject rate was within its band again' }),
    ),
    first_seen_at: time('When a process read it first'),
  },
  { $id: 'DecoderWarning' },
)
export type PresentedWarning = Static<typeof warning>

export const sourceList = Type.Object({
  success: Type.Literal(true),
  data: Type.Object(
    {
      sources: Type.Array(source, { description: 'By kind and endpoint' }),
      coverage: coverageLists,
      warnings: Type.Array(warning, {
        description: 'Signs that the program of a venue has changed',
      }),
    },
    { title: 'ChainSources' },
  ),
})
export type SourceList = Static<typeof sourceList>
