/** Sources of chain data, warnings of the decoder, and the slots that were read. */
import { useLoaded } from '../../../client/loaded.ts'
import { Panel, States } from '../../../layout/panel.tsx'
import type { ChainSources, Coverage, CoverageRange, DecoderWarning } from '../../answers.ts'
import { request } from '../../parts/request.ts'
import { type Column, counts, countText, Table, times, utcText } from '../../parts/table.tsx'
import { Lines, SOURCES, slotRange } from './columns.tsx'

const RENEWED_MS = 2_000

export function SourcesPage() {
  const loaded = useLoaded(
    'sources',
    (signal) => request<ChainSources>('/admin/v1/sources', { signal }),
    { everyMs: RENEWED_MS },
  )
  return <States of={loaded}>{(found) => <Panels of={found} />}</States>
}

function Panels({ of: { sources, warnings, coverage } }: { of: ChainSources }) {
  return (
    <>
      <Panel title="Sources">
        <div id="sources">
          <Table
            rows={sources}
            columns={SOURCES}
            keyOf={({ id }) => id}
            empty='No source of chain data runs: swaps come by "ingest" or from a simulated market.'
            sortedBy="Source"
          />
        </div>
      </Panel>
      <Panel title="Warnings of the decoder">
        <div id="warnings">
          <Table
            rows={warnings}
            columns={WARNINGS}
            keyOf={({ venue, kind, subject }) => `${venue} ${kind} ${subject}`}
            empty="No sign that the program of a venue has changed."
            sortedBy="First seen (UTC)"
            isDescending
          />
        </div>
      </Panel>
      <Panel title="Coverage" note={historyOf(coverage)}>
        <div id="coverage">
          <Table
            rows={coverage.ranges}
            columns={RANGES}
            keyOf={(range) => JSON.stringify(range)}
            empty="No slots were read from the chain."
            sortedBy="From slot"
            isDescending
          />
        </div>
      </Panel>
      <Panel title="Gaps">
        <div id="gaps">
          <Table
            rows={coverage.gaps}
            columns={slotRange()}
            keyOf={(gap) => JSON.stringify(gap)}
            empty="No gaps."
            sortedBy="From slot"
          />
        </div>
      </Panel>
    </>
  )
}

function historyOf({ complete_since: slot, complete_since_timestamp: time }: Coverage) {
  if (slot === undefined) return undefined
  const at = time == null ? '' : ` (${utcText(new Date(time).toISOString())} UTC)`
  return `Complete since slot ${countText(slot)}${at}.`
}

const WARNING_WORDS: Readonly<Record<DecoderWarning['kind'], string>> = {
  upgrade: 'program changed',
  unknown_instruction: 'unknown instruction',
  unknown_event: 'unknown event',
  reject_rate: 'reject rate',
}

const WARNINGS: readonly Column<DecoderWarning>[] = [
  { title: 'Venue', value: ({ venue }) => venue },
  { title: 'Warning', value: ({ kind }) => kind, cell: warningOf },
  { title: 'What', value: ({ subject }) => subject, cell: ({ subject }) => <code>{subject}</code> },
  { title: 'From slot', value: ({ first_slot: slot }) => slot, class: 'num' },
  { title: 'To slot', value: ({ last_slot: slot }) => slot, class: 'num' },
  counts('Reads', ({ reads }) => reads),
  times('First seen (UTC)', ({ first_seen_at: at }) => at),
]

function warningOf({ kind, share, ended_slot: endedSlot }: DecoderWarning) {
  const shown = <span class={endedSlot === null ? 'bad' : 'quiet'}>{WARNING_WORDS[kind]}</span>
  if (share === null) return shown
  const end = endedSlot === null ? '' : `, within its band again at slot ${endedSlot}`
  return <Lines first={shown} more={[`${(share * 100).toFixed(1)} % of swaps${end}`]} />
}

const RANGES: readonly Column<CoverageRange>[] = [
  ...slotRange<CoverageRange>(counts('Swaps', ({ swaps }) => swaps)),
  { title: 'Decoder', value: ({ decoder_version: version }) => version, class: 'num' },
  { title: 'Source', value: ({ source }) => source },
  { title: 'Commitment', value: ({ commitment }) => commitment },
]
