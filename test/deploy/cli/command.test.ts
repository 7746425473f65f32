/** The account of the command line in the audit log. */
import { spawn } from 'node:child_process'
import { userInfo } from 'node:os'
import test from 'ava'
import { accountName, CLI_ACTOR } from '../../../deploy/cli/command.ts'
import { finished } from '../../support/programs/commands.ts'

/** No system assigns it to an account. */
const NOBODYS_UID = 1_234_567
const PATH = new URL('../../../deploy/cli/command.ts', import.meta.url).href

test('an account is known by its name, and one without a name by its uid', (t) => {
  t.is(CLI_ACTOR, `cli:${accountName(userInfo, process.getuid?.())}`)
  t.is(
    accountName(() => ({ username: 'ann' }), 7),
    'ann',
  )
  const lookUp = (): never => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  t.is(accountName(lookUp, 7), 'uid:7')
})

const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? test : test.skip
const WHY_SKIPPED = isRoot ? '' : ' (skipped: only root can take a uid)'

asRoot(`a uid that no passwd file has can act${WHY_SKIPPED}`, async (t) => {
  const program = `
    import { userInfo } from 'node:os'
    const { accountName } = await import(${JSON.stringify(PATH)})
    process.setuid(${NOBODYS_UID})
    console.log(accountName(userInfo, process.getuid()))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' })
  const { stdout, stderr } = await finished(child)
  t.is(stdout, `uid:${NOBODYS_UID}\n`, stderr)
})
