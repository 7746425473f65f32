/** The folder of a package with what a clone takes from other packages or makes when it starts. A clone has none. */
import { fileURLToPath } from 'node:url'

export const BUILT = fileURLToPath(new URL('../../built/', import.meta.url))
