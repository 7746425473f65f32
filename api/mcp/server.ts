/**
 * MCP over streamable HTTP at /mcp: POST with one JSON-RPC message, answered as JSON; without sessions. A batch of messages,
 * which versions of the protocol before 2025-06-18 have, is answered by a list; each of its messages is admitted.
 *
 * ```
 * Origin (403) -> admission (401, 429) -> message (400, 415) -> tool -> parameters -> read -> answer with its provenance
 * ```
 * A message that cannot be read is refused by an error of JSON-RPC. A client that disconnects cancels its request.
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
import type { Log } from '../../domain/log.ts'
import type { FeedPosition } from '../../streams/feed/published-commits.ts'
import type { Entry } from '../gateway/admission-control.ts'
import type { Cache } from '../gateway/cache/cache.ts'
import { readJsonBody } from '../http/json-body.ts'
import type { CoverageGaps } from '../resources/coverage/gaps.ts'
import { readProgram } from '../resources/health/program.ts'
import type { Reading } from '../routing/declaration.ts'
import { ApiError, isBug, toApiError } from '../routing/error.ts'
import { asOfWanted } from '../routing/reading/as-of.ts'
import type { Reader } from '../routing/reading/reader.ts'
import type { Route } from '../routing/route.ts'
import { OF_EVERY_QUERY, unknownAmong, unknownText } from '../routing/unknown-names.ts'
import { afterAdmission, endOf } from '../serving/handle-route.ts'
import { readBody } from '../serving/read-body.ts'
import { batchedMessageOf, messageOf, type RpcMessage, refusedBatch, rpcError } from './message.ts'
import { mayUse } from './origin.ts'
import { provenanceAsOf, readProvenance } from './provenance.ts'
import { partsOf, swapsPath, type Tool, toolsOf } from './tools.ts'

export type McpDeps = {
  reader: Reader
  cache: Cache
  gaps: CoverageGaps
  log: Log
  feedPosition?: (() => FeedPosition | undefined) | undefined
  /** Time that a call may take. */
  deadlineMs: number
  /** Origins whose pages may use it, in addition to its own. */
  mcpOrigins?: readonly string[] | undefined
  /** Admits a request at the gateway. Rejects with ApiError. */
  enter(context: Context): Promise<Entry>
  /** Counts one message more of a request. Rejects with ApiError. */
  enterAgain(context: Context): Promise<unknown>
}

const FORM = '{"jsonrpc": "2.0", "id", "method", "params"}'
const VERSION_HEADER = 'MCP-Protocol-Version'
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
    const origin = context.get('Origin')
    if (!mayUse(origin, context.get('Host'), deps.mcpOrigins ?? [])) {
      throw new ApiError('FORBIDDEN', 'pages of this origin may not use /mcp: see MCP_ORIGINS')
    }
    const entry = await deps.enter(context)
    await afterAdmission(entry, async () => {
      deps.reader.history.assertRetained()
      const [unknown] = unknownAmong(Object.keys(context.query), OF_EVERY_QUERY)
      if (unknown !== undefined) {
        throw new ApiError('INVALID_PARAM', unknownText('parameter', unknown, []))
      }
      const reading: Reading = {
        reader: deps.reader,
        signal: endOf(context, entry, deps.deadlineMs),
        caller: entry.caller,
        countMore: async (times) => {
          await Promise.all(Array.from({ length: times }, () => deps.enterAgain(context)))
        },
        ...(deps.feedPosition === undefined ? {} : { feedPosition: deps.feedPosition }),
      }
      const answer = (message: object) =>
        respond(context, message, serverOf({ name, version }, tools, reading, deps))
      send(context, await answerOf(context, answer, deps))
    })
  }
}

/** `text`: empty where nothing is answered. */
type Answered = { status: number; text: string }
type Answer = (message: object) => Promise<Answered>

const NO_ANSWER: Answered = { status: 202, text: '' }

function send(context: Context, { status, text }: Answered): void {
  context.status = status
  // Without a body Koa writes the words of the status.
  context.body = text
  if (text === '') context.remove('Content-Type')
  else context.type = 'application/json'
}

/** Rejects with ApiError where the body is no message and no batch. */
async function answerOf(
  context: Context,
  answer: Answer,
  deps: Pick<McpDeps, 'enterAgain' | 'log'>,
): Promise<Answered> {
  const value = await readJsonBody(context, FORM)
  if (!Array.isArray(value)) return await answerTo(messageOf(value), answer)
  const refusal = refusedBatch(value, context.get(VERSION_HEADER) || undefined)
  if (refusal !== undefined) throw new ApiError('INVALID_PARAM', `the body: ${refusal}`)
  const texts: string[] = []
  for (const [index, each] of value.entries()) {
    const message = batchedMessageOf(each)
    const refused = index === 0 ? undefined : await refusedAgain(context, deps)
    const { text } =
      refused === undefined || message.kind !== 'request'
        ? await answerTo(message, answer)
        : { text: rpcError(message.id, 'refused', refused) }
    if (text !== '') texts.push(text)
  }
  return texts.length === 0 ? NO_ANSWER : { status: 200, text: `[${texts.join()}]` }
}

async function answerTo(message: RpcMessage, answer: Answer): Promise<Answered> {
  if (message.kind === 'request') return await answer(message.message)
  if (message.kind !== 'invalid') return NO_ANSWER
  return { status: 400, text: rpcError(message.id, 'invalid', message.reason) }
}

/** Why a further message of a batch is not admitted. */
async function refusedAgain(
  context: Context,
  { enterAgain, log }: Pick<McpDeps, 'enterAgain' | 'log'>,
): Promise<string | undefined> {
  try {
    await enterAgain(context)
    return undefined
  } catch (error) {
    return textOf(error, log)
  }
}

async function respond(context: Context, message: object, server: Server): Promise<Answered> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport as Parameters<Server['connect']>[0])
  try {
    const version = context.get(VERSION_HEADER)
    const headers = {
      ...{ Accept: ACCEPTED, 'Content-Type': 'application/json' },
      ...(version === '' ? {} : { [VERSION_HEADER]: version }),
    }
    const request = new Request(context.href, { method: 'POST', headers })
    const response = await transport.handleRequest(request, { parsedBody: message })
    return { status: response.status, text: await response.text() }
  } finally {
    await server.close()
  }
}

/** Code and text of a refusal; the cause of a bug is logged, because the answer is no error of HTTP. */
function textOf(error: unknown, log: Log): string {
  const reported = toApiError(error)
  if (isBug(reported)) log.error({ err: reported.cause ?? reported }, 'failed to serve a message')
  return `${reported.code}: ${reported.message}`
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
      return { isError: true, content: [{ type: 'text', text: textOf(error, deps.log) }] }
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
  const { texts, fields } = partsOf(tool, given)
  const parameters = { ...route.parse(texts), ...route.parseBody?.(fields) }
  const { reader, signal } = reading
  const [body, ofNow] = await Promise.all([
    readBody(route, parameters, reading, cache),
    reader.run(signal, (db) => readProvenance(db, gaps)),
  ])
  const provenance = asOfWanted(parameters) === undefined ? ofNow : provenanceAsOf(body)
  const rest = JSON.stringify({ ...provenance, swaps: swapsPath(texts, parameters) })
  return `{"answer":${body},${rest.slice(1)}`
}
