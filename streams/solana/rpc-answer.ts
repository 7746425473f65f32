/**
 * Answers of a Solana node to JSON-RPC that cannot be used, and which of them are refusals. Pure.
 */
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'

const refused = Type.Object({
  error: Type.Object({ code: Type.Integer(), message: Type.String() }),
})
const isRefused = new Ajv().compile<Static<typeof refused>>(refused)

/** More of a node's words than this helps nobody. */
const MESSAGE_LENGTH_MAX = 200

/** `isRefusal` where the node says itself that it will not answer. */
export class UnusableAnswer extends Error {
  override name = 'UnusableAnswer'
  readonly isRefusal: boolean

  constructor(text: string, isRefusal: boolean) {
    super(text)
    this.isRefusal = isRefusal
  }
}

/** Throws UnusableAnswer where the node refuses. */
export function throwIfRefused(answer: unknown): void {
  if (!isRefused(answer)) return
  const { code, message } = answer.error
  const shown = message.slice(0, MESSAGE_LENGTH_MAX)
  throw new UnusableAnswer(`JSON-RPC error ${code} "${shown}"`, true)
}
