/** Who acts on the command line, as the audit names them. */
import { userInfo } from 'node:os'

export const CLI_ACTOR = `cli:${userInfo().username}`
