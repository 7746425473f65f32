/**
 * Options of ajv for schemas of our own, whose form the types of TypeBox check. To validate each of them by the
 * meta-schema at run time, and to optimize code that V8 optimizes anyway, took a tenth of the CPU of the API's start.
 */
export const OWN_SCHEMA = { meta: false, validateSchema: false, code: { optimize: false } } as const
