/** Options of the commands that read an SQD Portal, whose URL is that of a dataset. */
import { COMMITMENTS } from '../../chain/sources/blocks/block-answer.ts'
import { PortalClient } from '../../chain/sources/portal/client.ts'
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

/** `url`: absent is SOURCE_PORTAL_URL; `streams`: of a source that reads ranges. Throws UsageError. */
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
  return portalProvider({
    client: new PortalClient({ url: portalUrl }),
    commitment: choiceOption('commitment', commitment, COMMITMENTS),
    streams: integerOption('streams', streams, limits) ?? 1,
    onDroppedLogs(slot, { length }) {
      progress.say(
        `slot ${slot}: the portal dropped the logs of ${counted(length, 'transaction')}; swaps are read from transfers, or counted as left out`,
      )
    },
  })
}
