/**
 * How an answer that was read for one request goes out: written here, so that Koa has nothing left to do, and
 * compressed in one piece, which costs a fraction of a stream of its own.
 */
import type { Context } from 'koa'
import { compressed, encodingOf } from './compression.ts'

const TYPE = 'application/json; charset=utf-8'

/**
 * The answer, as JSON text or that in UTF-8. One to a request whose body did not end is left to Koa, behind who
 * bounds bodies.
 */
export async function answerFresh(context: Context, body: string | Buffer): Promise<void> {
  const { req: incoming, res } = context
  if (!incoming.complete) {
    context.body = body
    context.type = TYPE
    return
  }
  const bytes = Buffer.byteLength(body)
  const encoding = context.method === 'HEAD' ? undefined : encodingOf(context, bytes)
  const sent = encoding === undefined ? body : await compressed(body, bytes, encoding)
  context.respond = false
  res.statusCode = 200
  if (encoding !== undefined) res.setHeader('Content-Encoding', encoding)
  res.setHeader('Content-Type', TYPE)
  res.setHeader('Content-Length', typeof sent === 'string' ? bytes : sent.length)
  res.end(sent)
}
