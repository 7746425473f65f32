/** Warnings of the decoder as `swaptide status` and `swaptide coverage` show them. Pure. */
import { isActive, wordsOf } from '../../domain/decoder-warning.ts'
import { venueOf } from '../../domain/venue.ts'
import type { DecoderWarning } from '../../sql/decoder-warnings.ts'
import { counted } from '../cli/format.ts'

/** A line each; empty without one. */
export function describeWarnings(warnings: readonly DecoderWarning[]): string {
  if (warnings.length === 0) return ''
  const title = `${counted(warnings.length, 'decoder warning')} (docs/sources.md, Warnings of the decoder):\n`
  return title + warnings.map((warning) => `  ${lineOf(warning)}\n`).join('')
}

function lineOf(warning: DecoderWarning): string {
  const { dex, kind, subject, first_slot, last_slot, ended_slot, share } = warning
  const range =
    first_slot === last_slot ? `slot ${first_slot}` : `slots ${first_slot} to ${last_slot}`
  const end = isActive(warning) ? '' : `, within its band again at slot ${ended_slot}`
  const part = share === null ? '' : ` ${(share * 100).toFixed(1)} %`
  return `${venueOf(dex).name}: ${wordsOf(kind)}: ${subject}${part}, ${range}${end}`
}
