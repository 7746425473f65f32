/**
 * MCP over streamable HTTP at /mcp: POST with one JSON-RPC message, answered as JSON; without sessions.
 *
 * ```
 * admission (401, 429) -> message (400, 415) -> tool -> parameters -> read -> answer with its provenance
 * ```
 * Tools only read, and read what REST does. Integers that a double may round are texts of digits. A refusal of a tool is
 * a result with isError, as the protocol has it, with the code and text of REST.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Context } from 'koa'
import type { FeedPosition } from '../../streams/feed/published-commits.ts'
import type { Entry } from '../gateway/admission-control.ts'
import type { Cache } from '../gateway/cache/cache.ts'
import { readJsonBody } from '../http/json-body.ts'
import type { CoverageGaps } from '../resources/coverage/gaps.ts'
import { readProgram } from '../resources/health/program.ts'
import { ApiError, toApiError } from '../routing/error.ts'
import type { Reader } from '../routing/reading/reader.ts'
import type { Reading, Route } from '../routing/route.ts'
import { OF_EVERY_QUERY, unknownAmong, unknownText } from '../routing/unknown-names.ts'
import { afterAdmission, endOf } from '../serving/handle-route.ts'
import { readBody } from '../serving/read-body.ts'
import { readProvenance } from './provenance.ts'
import { swapsPath, type Tool, textsOf, toolsOf } from './tools.ts'

export type McpDeps = {
  reader: Reader
  cache: Cache
  gaps: CoverageGaps
  feedPosition?: (() => FeedPosition | undefined) | undefined
  /** That a call may take. */
  deadlineMs: number
  /** At the gate. Rejects with ApiError. */
  enter(context: Context): Promise<Entry>
}

const FORM = '{"jsonrpc": "2.0", "id", "method", "params"}'
/** The transport requires both; a plain client names neither. */
const ACCEPTED = 'application/json, text/event-stream'
const INSTRUCTIONS =
  'Swap and wallet analytics of Solana DEX venues. Every result has `answer`, and its provenance: `as_of` (newest ' +
  'indexed slot and time), `coverage_gaps` (slots that were not read; absent where swaps came as lines) and `swaps` ' +
  '(path of the swaps that it is made of). Integers of 64 bits are texts of digits: lamports (1e-9 SOL) and base units. Lists ' +
  'continue with `cursor` from `next_cursor` of the answer.'

export function mcpEndpoint(routes: readonly Route[], deps: McpDeps) {
  const tools = toolsOf(routes)
  const { name, version } = readProgram()
  return async (context: Context): Promise<void> => {
    const entry = await deps.enter(context)
    await afterAdmission(entry, async () => {
      deps.reader.history.assertRetained()
      const [unknown] = unknownAmong(Object.keys(context.query), OF_EVERY_QUERY)
      if (unknown !== undefined) {
        throw new ApiError('INVALID_PARAM', unknownText('parameter', unknown, []))
      }
      const message = await readJsonBody(context, FORM)
      if (Array.isArray(message)) {
        throw new ApiError('INVALID_PARAM', `the body: expected one message, ${FORM}`)
      }
      const reading: Reading = {
        reader: deps.reader,
        signal: endOf(context, entry, deps.deadlineMs),
        caller: entry.caller,
        ...(deps.feedPosition === undefined ? {} : { feedPosition: deps.feedPosition }),
      }
      await respond(context, message, serverOf({ name, version }, tools, reading, deps))
    })
  }
}

async function respond(context: Context, message: unknown, server: Server): Promise<void> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport as Parameters<Server['connect']>[0])
  try {
    const version = context.get('MCP-Protocol-Version')
    const headers = {
      ...{ Accept: ACCEPTED, 'Content-Type': 'application/json' },
      ...(version === '' ? {} : { 'MCP-Protocol-Version': version }),
    }
    const request = new Request(context.href, { method: 'POST', headers })
    const response = await transport.handleRequest(request, { parsedBody: message })
    context.status = response.status
    const text = await response.text()
    if (text === '') return
    context.type = 'application/json'
    context.body = text
  } finally {
    await server.close()
  }
}

function serverOf(
  program: { name: string; version: string },
  tools: ReadonlyMap<string, Tool>,
  reading: Reading,
  deps: McpDeps,
): Server {
  const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS }
  const server = new Server(program, options)
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Array.from(tools.values(), ({ name, description, inputSchema }) => ({
      ...{ name, description, inputSchema },
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    try {
      const tool = tools.get(params.name)
      if (tool === undefined) throw new ApiError('INVALID_PARAM', `no tool "${params.name}"`)
      const text = await call(tool, params.arguments ?? {}, reading, deps)
      return { content: [{ type: 'text', text }] }
    } catch (error) {
      const { code, message } = toApiError(error)
      return { isError: true, content: [{ type: 'text', text: `${code}: ${message}` }] }
    }
  })
  return server
}

/** The result as JSON text. */
async function call(
  tool: Tool,
  given: Record<string, unknown>,
  reading: Reading,
  { cache, gaps }: McpDeps,
): Promise<string> {
  const route = { ...tool.route, ...tool.route.withTextIntegers() }
  const texts = textsOf(tool, given)
  const parameters = route.parse(texts)
  const { reader, signal } = reading
  const [body, provenance] = await Promise.all([
    readBody(route, parameters, reading, cache),
    reader.run(signal, (db) => readProvenance(db, gaps)),
  ])
  const rest = JSON.stringify({ ...provenance, swaps: swapsPath(texts) })
  return `{"answer":${body},${rest.slice(1)}`
}
