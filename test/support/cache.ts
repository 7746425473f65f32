/** Files that one run of the tests leaves for the next. They are removed with the packages. */
import { join } from 'node:path'

export const CACHE = join(import.meta.dirname, '../../node_modules/.cache/swaptide')
/** NODE_COMPILE_CACHE: each test file has a thread of its own, which would compile all that it imports again. */
export const COMPILED = join(CACHE, 'compiled')
