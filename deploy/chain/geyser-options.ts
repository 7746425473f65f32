/**
 * Options of a Yellowstone stream. The x-token comes from a file or the environment, never from an argument, which lists of
 * processes show; neither it nor the path of the URL is ever printed.
 */
import { readFile } from 'node:fs/promises'
import { UsageError } from '../cli/arguments.ts'
import type { CommandContext } from '../cli/command.ts'
import { expectation, isUrlOf } from '../config/parse.ts'
import { SETTINGS } from '../config/settings.ts'
import { SECRET_FORM, secretLine } from '../local/files/secret-file.ts'

export const GEYSER_OPTIONS = {
  endpoint: {
    type: 'string',
    value: 'URL',
    about: 'geyser: Yellowstone gRPC stream; absent: SOURCE_GEYSER_URL',
  },
  'x-token-file': {
    type: 'string',
    value: 'FILE',
    about:
      'geyser: file that holds the x-token; absent: SOURCE_GEYSER_X_TOKEN_FILE or SOURCE_GEYSER_X_TOKEN',
  },
  'accept-gaps': {
    type: 'boolean',
    about:
      'geyser: pass over slots that did not come whole where there is no RPC node to fetch them',
  },
} as const

type GeyserValues = { endpoint?: string | undefined; 'x-token-file'?: string | undefined }

/** Throws UsageError. */
export async function readGeyserEndpoint(
  values: GeyserValues,
  { config }: CommandContext,
): Promise<{ endpoint: string; token: string | undefined }> {
  const endpoint = values.endpoint ?? config.sourceGeyser.url
  if (endpoint === undefined) {
    throw new UsageError('--endpoint is missing: name a URL or set SOURCE_GEYSER_URL')
  }
  const { kind } = SETTINGS.SOURCE_GEYSER_URL
  if (!isUrlOf(endpoint, kind.schemes)) throw new UsageError(`--endpoint: ${expectation(kind)}`)
  const url = new URL(endpoint)
  const isBare =
    url.pathname === '/' && url.search === '' && url.username === '' && url.password === ''
  if (!isBare) {
    throw new UsageError('--endpoint: expected a scheme, a host and a port: a key is an x-token')
  }
  return { endpoint: url.origin, token: await readToken(values, config.sourceGeyser) }
}

async function readToken(
  values: GeyserValues,
  { token, tokenFile }: CommandContext['config']['sourceGeyser'],
): Promise<string | undefined> {
  const file = values['x-token-file'] ?? tokenFile
  if (file === undefined) return token
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`x-token file "${file}": ${cause.code ?? cause.message}`, { cause })
  })
  const line = secretLine(text)
  if (line) return line
  throw new UsageError(`x-token file "${file}": ${SECRET_FORM}`)
}
