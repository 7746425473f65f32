/**
 * `swaptide mcp`: the MCP server of a running API over standard input and output, for hosts that start a program. Each
 * request goes to /mcp of the API with a key, so limits and reads are those of REST. Standard output holds messages only.
 */
import { join } from 'node:path'
import { expectNone, parseArguments, UsageError, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { lineWriter } from '../../cli/progress.ts'
import { readDurable } from '../../local/files/durable-file.ts'
import { SECRET_FORM, secretLine } from '../../local/files/secret-file.ts'
import { apiPost } from '../../mcp/api-post.ts'
import { Relay } from '../../mcp/relay.ts'
import { NothingRuns, readEndpoints } from '../../processes/installation.ts'

export const described = usage({
  line: 'mcp [--url URL] [--key-file FILE]',
  options: {
    url: {
      type: 'string',
      value: 'URL',
      about: 'address of the API; absent: the one that "swaptide up" runs',
    },
    'key-file': {
      type: 'string',
      value: 'FILE',
      about: 'file with an API key; absent: the key of SWAPTIDE_HOME',
    },
  },
  notes: [
    'A host of the Model Context Protocol starts it and speaks to it by standard input and output. Hosts that connect ' +
      'by HTTP use /mcp of the API, with the key in X-API-Key. Tools only read.',
  ],
  examples: ['swaptide mcp', 'swaptide mcp --url https://swaptide.example.com --key-file key.txt'],
})

export const ending = 'releases'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const { home } = context.config
  const url = mcpUrl(values.url ?? (await apiUrlIn(home)))
  const file = values['key-file'] ?? join(home, 'key')
  const key = secretLine((await readDurable(file)) ?? '')
  if (key === undefined) throw new UsageError(`"${file}": ${SECRET_FORM}`)
  if (key === '') throw new UsageError(`"${file}" holds no API key: name one by --key-file`)
  const ended = new AbortController()
  const end = (): void => {
    ended.abort()
    context.stdin.destroy()
  }
  context.signal.addEventListener('abort', end, { once: true })
  const write = lineWriter(context.stdout)
  const writeOrEnd = async (lines: readonly string[]): Promise<boolean> => {
    const isRead = await write(lines)
    if (!isRead) end()
    return isRead
  }
  await new Relay(apiPost(url, key), writeOrEnd, ended.signal).relay(context.stdin)
  return EXIT_OK
}

async function apiUrlIn(home: string): Promise<string> {
  const endpoints = await readEndpoints(home)
  if (endpoints !== undefined) return endpoints.apiUrl
  throw new NothingRuns(
    `nothing runs in "${home}": start it with "npm start", or name an API by --url`,
  )
}

/** The text is not repeated: it may hold a password. */
function mcpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL('/mcp', text) : undefined
  const isPlain = url?.username === '' && url.password === ''
  if (url !== undefined && isPlain && /^https?:$/.test(url.protocol)) return url
  throw new UsageError(
    '--url: expected an address such as http://127.0.0.1:8080, without user and password',
  )
}
