/**
 * `swaptide mcp`: the MCP server of a running API over standard input and output, for hosts that start a program. Each
 * message goes to /mcp of the API with a key, so limits and reads are those of REST. Standard output holds messages alone.
 */
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { expectNone, parseArguments, UsageError, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { readDurable } from '../../local/files/durable-file.ts'
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

/** JSON-RPC: the server could not handle the message. */
const INTERNAL_ERROR = -32_603

export const ending = 'releases'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const { home } = context.config
  const url = mcpUrl(values.url ?? (await apiUrlIn(home)))
  const file = values['key-file'] ?? join(home, 'key')
  const key = (await readDurable(file))?.trim() ?? ''
  if (key === '') throw new UsageError(`"${file}" holds no API key: name one by --key-file`)
  const host = new StdioServerTransport(context.stdin)
  const api = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { 'X-API-Key': key } },
  })
  const ended = Promise.withResolvers<void>()
  api.onmessage = (message) => void host.send(message)
  host.onmessage = (message) =>
    void api.send(message).catch((error) => refuse(host, message, error))
  for (const event of ['end', 'close']) context.stdin.once(event, () => ended.resolve())
  context.signal.addEventListener('abort', () => ended.resolve(), { once: true })
  await api.start()
  await host.start()
  await ended.promise
  await Promise.all([host.close(), api.close()])
  return EXIT_OK
}

async function apiUrlIn(home: string): Promise<string> {
  const endpoints = await readEndpoints(home)
  if (endpoints !== undefined) return endpoints.apiUrl
  throw new NothingRuns(
    `nothing runs in "${home}": start it with "npm start", or name an API by --url`,
  )
}

function mcpUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new UsageError(`--url "${text}": expected an address such as http://127.0.0.1:8080`)
  return new URL('/mcp', text)
}

/** A request that did not reach the API gets an error; nothing is owed to a notification. */
async function refuse(
  host: StdioServerTransport,
  message: JSONRPCMessage,
  error: unknown,
): Promise<void> {
  if (!isJSONRPCRequest(message)) return
  const text = error instanceof Error ? error.message : String(error)
  const answer = { code: INTERNAL_ERROR, message: `the API did not answer: ${text}` }
  await host.send({ jsonrpc: '2.0', id: message.id, error: answer })
}
