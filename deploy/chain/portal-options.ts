/** Options of the commands that read an SQD Portal, whose URL is that of a dataset. */
import { COMMITMENTS } from '../../chain/sources/blocks/block-answer.ts'
import { PORTAL_REQUESTS_PER_SECOND, PortalClient } from '../../chain/sources/portal/client.ts'
import { choiceOption, integerOption, UsageError } from '../cli/arguments.ts'
import type { CommandContext } from '../cli/command.ts'
import { counted } from '../cli/format.ts'
import { expectation, isUrlOf } from '../config/parse.ts'
import { SETTINGS } from '../config/settings.ts'
import { type BlockProvider, portalProvider } from './block-provider.ts'

export const STREAMS_OPTION = {
  type: 'string',
  value: 'N',
  about: 'portal: ranges that are requested at once, 1 to 16',
  default: '4',
} as const
const STREAMS_MAX = 16

type PortalValues = { commitment: string; streams?: string }

/** `url`: absent is SOURCE_PORTAL_URL. Throws UsageError. */
export function openPortal(
  url: string | undefined,
  { commitment, streams }: PortalValues,
  { config, progress }: CommandContext,
): BlockProvider {
  const portalUrl = url ?? config.sourcePortalUrl
  const { kind } = SETTINGS.SOURCE_PORTAL_URL
  if (!isUrlOf(portalUrl, kind.schemes)) {
    throw new UsageError(`portal "${portalUrl}": ${expectation(kind)}`)
  }
  const limits = { min: 1, max: STREAMS_MAX }
  const client = new PortalClient({
    url: portalUrl,
    requestsPerSecond: PORTAL_REQUESTS_PER_SECOND,
  })
  return portalProvider({
    client,
    commitment: choiceOption('commitment', commitment, COMMITMENTS),
    streams: integerOption('streams', streams, limits) ?? 1,
    onDroppedLogs(slot, { length }) {
      progress.say(
        `slot ${slot}: the portal dropped the logs of ${counted(length, 'transaction')}; swaps are read from transfers, or counted as left out`,
      )
    },
  })
}
