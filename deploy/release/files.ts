/** Files that a package is made from. */
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
export const MANIFEST = join(ROOT, 'package.json')
/** The repository's own, while a package is made. */
export const BACKUP = join(ROOT, '.pack/package.json')
