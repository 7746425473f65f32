// Debian's Chromium, where this machine has it.

import { existsSync } from 'node:fs'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Undefined: this machine has none. */
export const CHROMIUM = PATHS.find((path) => existsSync(path))
