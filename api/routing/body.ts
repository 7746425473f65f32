/** The body of an answer, whole or in parts, and how long it may be cached. */

/** What a read brings: the answer as JSON text, whole or in parts, and for how long it is good. */
export type Fresh = { body: Body; seconds: number }

export type Body = string | readonly string[]

export const wholeOf = (body: Body): string => (typeof body === 'string' ? body : body.join(''))
