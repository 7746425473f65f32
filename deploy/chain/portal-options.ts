/** Options of the commands that read an SQD Portal, whose URL is that of a dataset. */
import { readFile } from 'node:fs/promises'
import { COMMITMENTS } from '../../chain/sources/blocks/block-answer.ts'
import {
  PortalClient,
  type PortalHeader,
  type PortalOptions,
} from '../../chain/sources/portal/client.ts'
import { choiceOption, integerOption, UsageError } from '../cli/arguments.ts'
import type { CommandContext } from '../cli/command.ts'
import { expectation, isUrlOf } from '../config/parse.ts'
import { SETTINGS } from '../config/settings.ts'
import { secretLine } from '../local/files/secret-file.ts'
import { type BlockProvider, portalProvider } from './block-provider.ts'
import { PortalReport } from './portal-report.ts'
import { openRpc, type RpcValues } from './rpc-options.ts'

export const STREAMS_OPTION = {
  type: 'string',
  value: 'N',
  about: 'portal: ranges that are requested at once, 1 to 16; absent: 4',
} as const
const STREAMS_MAX = 16
/** Ranges that a backfill requests at once. */
export const STREAMS_DEFAULT = '4'

export const PORTAL_HEADER_OPTION = {
  type: 'string',
  value: 'FILE',
  about:
    'portal: file that holds its key, or a header as "name: value"; absent: SOURCE_PORTAL_HEADER_FILE',
} as const

export const VERIFY_OPTION = {
  type: 'string',
  value: 'N',
  about:
    'portal: compare every N-th block with the node of --rpc, and read those that differ from it',
} as const
const VERIFY_MAX = 1_000_000

type HeaderValues = { 'portal-header-file'?: string | undefined }

type PortalValues = HeaderValues &
  RpcValues & {
    streams?: string | undefined
    verify?: string | undefined
  }

/** Header of a file that holds a key only. */
const KEY_HEADER = 'x-api-key'
const HEADER_LINE =
  /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/
/** Headers that frame the request. */
const FRAMING = new Set(
  'accept-encoding connection content-encoding content-length content-type expect host te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Throws UsageError, which repeats nothing of the file. */
async function readHeader(
  values: HeaderValues,
  { sourcePortalHeaderFile }: CommandContext['config'],
): Promise<PortalHeader | undefined> {
  const file = values['portal-header-file'] ?? sourcePortalHeaderFile
  if (file === undefined) return undefined
  const subject = `portal header file "${file}"`
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${subject}: ${cause.code ?? cause.message}`, { cause })
  })
  const key = secretLine(text)
  if (key && !key.includes(':')) return { name: KEY_HEADER, value: key }
  const [, name, value] = HEADER_LINE.exec(text.trim()) ?? []
  if (name !== undefined && value !== undefined && !FRAMING.has(name.toLowerCase())) {
    return { name: name.toLowerCase(), value }
  }
  throw new UsageError(`${subject}: expected one line, a key without spaces or "name: value"`)
}

/** `url`: absent is SOURCE_PORTAL_URL. Throws UsageError. */
export async function openPortalClient(
  url: string | undefined,
  values: HeaderValues,
  config: CommandContext['config'],
  options: Omit<PortalOptions, 'url' | 'header'> = {},
): Promise<PortalClient> {
  const portalUrl = url ?? config.sourcePortalUrl
  const { kind } = SETTINGS.SOURCE_PORTAL_URL
  if (!isUrlOf(portalUrl, kind.schemes)) {
    throw new UsageError(`portal "${portalUrl}": ${expectation(kind)}`)
  }
  return new PortalClient({ ...options, url: portalUrl, header: await readHeader(values, config) })
}

/** `url`: absent is SOURCE_PORTAL_URL; `streams`: of a source that reads ranges. Throws UsageError. */
export async function openPortal(
  url: string | undefined,
  values: PortalValues,
  context: CommandContext,
): Promise<BlockProvider> {
  const { config, progress } = context
  const client = await openPortalClient(url, values, config)
  const { commitment, streams } = values
  const limits = { min: 1, max: STREAMS_MAX }
  const hasNode = (values.rpc ?? config.sourceRpcUrl) !== undefined
  const verifyEvery = integerOption('verify', values.verify, { min: 1, max: VERIFY_MAX })
  if (verifyEvery !== undefined && !hasNode) {
    throw new UsageError('--verify needs a node: name --rpc or set SOURCE_RPC_URL')
  }
  const node = hasNode ? openRpc(values, context) : undefined
  return portalProvider({
    ...{ node, verifyEvery, report: new PortalReport(progress, node?.host ?? '') },
    client,
    commitment: choiceOption('commitment', commitment, COMMITMENTS),
    streams: integerOption('streams', streams, limits) ?? 1,
  })
}
