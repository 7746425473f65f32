/** Logger interface of the pipeline: the shape of pino's, without importing it. */
type Write = {
  (fields: object, text: string): void
  (text: string): void
}

export type Log = { debug: Write; info: Write; warn: Write; error: Write }
