/** Renders rows as the responses of /admin/v1; times as ISO 8601. */
import type { DeadLetterRow } from '../../../domain/events/rejected-event.ts'
import { venueOf } from '../../../domain/venue.ts'
import { bytesPerSwap, type HistoryState } from '../../../history/operating/state.ts'
import type { DecoderWarning } from '../../../sql/chain/decoder-warnings.ts'
import type { QueueDepth } from '../../../streams/jobs/job.ts'
import type { ListedKey, RotatedKey } from '../../gateway/keys/keys.ts'
import type { KolRow } from '../../resources/leaderboard/kols.ts'
import { type CursorList, encodeCursor } from '../../routing/reading/cursor.ts'
import type { AuditLine } from '../audit.ts'
import type { LaneState } from '../operations.ts'
import type { SectorRow } from '../sectors.ts'
import type { PresentedHistory } from './history-schema.ts'
import type { AuditList, DeadLetterList } from './schema.ts'
import type { PresentedWarning } from './source-schema.ts'

/** Lists as their cursors know them. */
export const DEAD_LETTERS: CursorList = ['dead-letters']
export const KOLS: CursorList = ['kols']
export const SECTORS: CursorList = ['sectors']

const isoOf = (time: Date | null): string | null => time?.toISOString() ?? null

export function presentKeys(keys: readonly ListedKey[]) {
  return {
    success: true as const,
    data: keys.map((key) => ({
      ...key,
      created_at: key.created_at.toISOString(),
      grace_until: isoOf(key.grace_until),
      revoked_at: isoOf(key.revoked_at),
      last_used_at: isoOf(key.last_used_at),
    })),
  }
}

export function presentRotated(made: RotatedKey, rotated: number) {
  return {
    success: true as const,
    data: { ...made, rotated, grace_until: made.grace_until.toISOString() },
  }
}

export function presentAudit(lines: readonly AuditLine[]): AuditList {
  return {
    success: true,
    data: lines.map((line) => ({
      ...line,
      action: line.action as AuditList['data'][number]['action'],
      at: line.at.toISOString(),
    })),
  }
}

export function presentLanes(lanes: readonly LaneState[]) {
  return {
    success: true as const,
    data: lanes.map((lane) => ({ ...lane, committed_at: isoOf(lane.committed_at) })),
  }
}

export function presentQueues(queues: readonly QueueDepth[]) {
  return {
    success: true as const,
    data: queues.map(({ newest_failure: newest, ...queue }) => ({
      ...queue,
      newest_failure: newest && {
        reason: newest.reason,
        attempts: newest.attempts,
        failed_at: new Date(newest.failed_ms).toISOString(),
      },
    })),
  }
}

export function presentDeadLetters(
  letters: readonly DeadLetterRow[],
  limit: number,
  waiting: number,
): DeadLetterList {
  const last = letters.length < limit ? undefined : letters.at(-1)
  return {
    success: true,
    data: letters.map((letter) => ({
      ...letter,
      created_at: letter.created_at.toISOString(),
      retried_at: isoOf(letter.retried_at),
    })),
    waiting,
    next_cursor: last === undefined ? null : encodeCursor(DEAD_LETTERS, [last.id]),
  }
}

export function presentKols(kols: readonly KolRow[], limit: number) {
  const last = kols.length < limit ? undefined : kols.at(-1)
  return {
    success: true as const,
    data: [...kols],
    next_cursor: last === undefined ? null : encodeCursor(KOLS, [last.wallet]),
  }
}

export function presentSectors(sectors: readonly SectorRow[], limit: number) {
  const last = sectors.length < limit ? undefined : sectors.at(-1)
  return {
    success: true as const,
    data: [...sectors],
    next_cursor: last === undefined ? null : encodeCursor(SECTORS, [last.mint]),
  }
}

export function presentWarning({ dex, age_ms: _, ...warning }: DecoderWarning): PresentedWarning {
  const first_seen_at = warning.first_seen_at.toISOString()
  return { venue: venueOf(dex).name, ...warning, first_seen_at }
}

export function presentHistory(state: HistoryState): PresentedHistory {
  const { seal, verification, waits, holders, sealed_at, dropping, refusals, ...figures } = state
  return {
    ...figures,
    bytes_per_swap: bytesPerSwap(state),
    sealed_at: isoOf(sealed_at),
    seal: seal && {
      ...seal,
      since: seal.since.toISOString(),
      started_at: seal.started_at.toISOString(),
      ended_at: isoOf(seal.ended_at),
    },
    waits: waits.map((wait) => ({ ...wait, waited_at: wait.waited_at.toISOString() })),
    verification: verification && {
      ...verification,
      ended_at: verification.ended_at.toISOString(),
    },
    holders: [...holders],
    dropping: dropping && { ...dropping, dropped_at: isoOf(dropping.dropped_at) },
    refusals: refusals.map((each) => ({ ...each, refused_at: each.refused_at.toISOString() })),
  }
}
