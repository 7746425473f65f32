/** Keys and lines of their audit -> the answers of /admin/v1; times as ISO 8601. */
import type { AuditLine, ListedKey, RotatedKey } from '../gateway/keys.ts'
import type { AuditList } from './schema.ts'

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
