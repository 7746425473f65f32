/** The body of an answer, whole or in parts, and how long it may be cached. */

/** Result of a read: the response as JSON text, whole or in parts, and its cache lifetime in seconds. */
export type Fresh = { body: Body; seconds: number }

export type Body = string | readonly string[]

export const wholeOf = (body: Body): string => (typeof body === 'string' ? body : body.join(''))
