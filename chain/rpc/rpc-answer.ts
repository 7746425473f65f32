/**
 * Answers of a Solana node to JSON-RPC that cannot be used, and which of them are refusals. Pure.
 */
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import { OWN_SCHEMA } from '../../domain/own-schema.ts'

const refused = Type.Object({
  error: Type.Object({ code: Type.Integer(), message: Type.String() }),
})
const isRefused = new Ajv(OWN_SCHEMA).compile<Static<typeof refused>>(refused)

/** Longer error texts of a node are cut. */
const MESSAGE_LENGTH_MAX = 200

/** `isRefusal`: the node reports that it refuses to answer; `code` is then that of JSON-RPC. */
export class UnusableAnswer extends Error {
  override name = 'UnusableAnswer'
  readonly isRefusal: boolean
  readonly code: number | undefined

  constructor(text: string, isRefusal: boolean, code?: number) {
    super(text)
    this.isRefusal = isRefusal
    this.code = code
  }
}

/** Throws UnusableAnswer where the node refuses. */
export function throwIfRefused(answer: unknown): void {
  if (!isRefused(answer)) return
  const { code, message } = answer.error
  const shown = message.slice(0, MESSAGE_LENGTH_MAX)
  throw new UnusableAnswer(`JSON-RPC error ${code} "${shown}"`, true, code)
}
