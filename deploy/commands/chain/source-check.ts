/**
 * `swaptide source check`: whether a provider serves what a source needs, a line per finding. Its options are those of source.ts.
 */

import { COMMITMENTS } from '../../../chain/sources/blocks/block-answer.ts'
import type { Finding } from '../../chain/check/finding.ts'
import { printFinding } from '../../chain/check/finding.ts'
import { checkGeyser } from '../../chain/check/geyser.ts'
import { checkPortal } from '../../chain/check/portal.ts'
import { checkRpc } from '../../chain/check/rpc.ts'
import { readGeyserEndpoint } from '../../chain/geyser-options.ts'
import { openPortalClient } from '../../chain/portal-options.ts'
import { readRpcUrl, requestRate } from '../../chain/rpc-options.ts'
import { choiceOption, integerOption, UsageError } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'

type CheckOptions = {
  portal?: boolean | undefined
  'portal-header-file'?: string | undefined
  endpoint?: string | undefined
  'x-token-file'?: string | undefined
  rpc?: string | undefined
  commitment: string
  rate: string
  seconds: string
}

const SECONDS_MAX = 600
/** A check shows failures that a source repeats. */
const CHECK_ATTEMPTS = 2

/** Checks what the options name; without them what the environment names. Throws UsageError. */
export async function checkProvider(
  values: CheckOptions,
  portalUrl: string | undefined,
  context: CommandContext,
): Promise<number> {
  const { config, signal } = context
  const commitment = choiceOption('commitment', values.commitment, COMMITMENTS)
  const requestsPerSecond = requestRate(values.rate)
  const seconds = integerOption('seconds', values.seconds, { min: 1, max: SECONDS_MAX }) ?? 1
  const isNamed =
    values.endpoint !== undefined || values.rpc !== undefined || values.portal === true
  const wantsRpc = isNamed ? values.rpc !== undefined : config.sourceRpcUrl !== undefined
  const wantsStream = isNamed
    ? values.endpoint !== undefined
    : config.sourceGeyser.url !== undefined
  if (!wantsRpc && !wantsStream && values.portal !== true) {
    throw new UsageError(
      'nothing to check: name --rpc or --endpoint, or set SOURCE_RPC_URL or SOURCE_GEYSER_URL; --portal checks a portal',
    )
  }
  let hasFailure = false
  const report = (finding: Finding): void => {
    context.stdout.write(`${printFinding(finding)}\n`)
    hasFailure ||= finding.grade === 'fail'
  }
  if (wantsRpc) {
    const rpcUrl = readRpcUrl(values, context)
    const check = { rpcUrl, commitment, requestsPerSecond, signal }
    for await (const finding of checkRpc(check)) report(finding)
  }
  if (wantsStream) {
    const { endpoint, token } = await readGeyserEndpoint(values, context)
    const watchMs = seconds * 1_000
    for (const each of await checkGeyser({ endpoint, token, commitment, watchMs, signal }))
      report(each)
  }
  if (values.portal === true) {
    const client = await openPortalClient(portalUrl, values, config, {
      attemptsMax: CHECK_ATTEMPTS,
    })
    for await (const finding of checkPortal({ client, signal })) report(finding)
  }
  return hasFailure ? EXIT_FAILED : EXIT_OK
}
