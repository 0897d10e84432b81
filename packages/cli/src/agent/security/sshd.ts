import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SecuritySettings } from '@svc/core/adapters'
import { runAs } from '../run/handler-user.ts'
import { hostCommand, systemProgram } from './host-command.ts'
import { SSHD_FILE, sshKeywords } from './host-files.ts'
import { onHost, type SecurityHost } from './security-host.ts'

/** The meaning of sshd's files, by lower-case keyword; a keyword may have several values. */
export type SshdFacts = ReadonlyMap<string, readonly string[]>

const CONFIG = '/etc/ssh/sshd_config'

/**
 * Asks sshd for the settings in effect. `first`: a file that counts before them. Undefined on a host without
 * sshd.
 * @throws Error with the words of sshd when it refuses its files
 */
export async function sshdFacts(
  host: SecurityHost,
  first?: { readonly text: string; readonly folder: string },
): Promise<SshdFacts | undefined> {
  const program = await systemProgram('sshd')
  const config = onHost(host, CONFIG)
  if (program === undefined || (await readFile(config).catch(() => undefined)) === undefined) return undefined
  // Without it sshd checks nothing. A service that was never started, or is started on demand, has none.
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  const trial = first && join(first.folder, 'sshd_config')
  if (trial !== undefined)
    await writeFile(trial, `${first?.text ?? ''}\nInclude ${config}\n`, { mode: 0o600 })
  try {
    const file = trial ?? config
    const check = await hostCommand(program, '-t', '-f', file)
    if (check.code !== 0) throw new Error(`sshd -t: ${check.said}`)
    const { stdout, code, said } = await hostCommand(program, '-T', '-f', file)
    if (code !== 0) throw new Error(`sshd -T: ${said}`)
    return factsIn(stdout)
  } finally {
    if (trial !== undefined) await rm(trial, { force: true })
  }
}

function factsIn(text: string): SshdFacts {
  const facts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [, keyword = '', value = ''] = /^(\S+) (.*)$/.exec(line) ?? []
    if (keyword !== '') facts.set(keyword, [...(facts.get(keyword) ?? []), value])
  }
  return facts
}

/** The ports that sshd listens on. */
export const sshPorts = (facts: SshdFacts | undefined): readonly number[] => [
  ...new Set(
    [
      ...(facts?.get('listenaddress') ?? []).map((each) => each.split(':').at(-1)),
      ...(facts?.get('port') ?? []),
    ]
      .map(Number)
      .filter((port) => port > 0),
  ),
]

// sshd names this value in another way than its own manual does.
const SPELT: Readonly<Record<string, string>> = { 'prohibit-password': 'without-password' }

/** Returns the keywords that sshd does not take from our file, because another one comes first. */
export const overruled = (facts: SshdFacts, ssh: SecuritySettings['ssh']): string[] =>
  Object.entries(sshKeywords(ssh))
    .filter(([keyword, value]) => {
      const found = (facts.get(keyword.toLowerCase()) ?? []).flatMap((each) => each.split(' '))
      return value.split(' ').some((each) => !found.includes(SPELT[each] ?? each))
    })
    .map(([keyword]) => keyword)

interface Login {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
}

/**
 * Whether a user of this host could still sign in: one with a key, or with a password where sshd asks for
 * it. Each file is looked at as its owner: that needs no right.
 */
export async function somebodyMaySignIn(host: SecurityHost, facts: SshdFacts): Promise<boolean> {
  const first = (keyword: string) => facts.get(keyword)?.[0] ?? 'none'
  const others = ['authorizedkeyscommand', 'trustedusercakeys'].some((each) => first(each) !== 'none')
  if (others || first('gssapiauthentication') === 'yes') return true
  const files = (facts.get('authorizedkeysfile') ?? ['.ssh/authorized_keys']).flatMap((each) =>
    each.split(' '),
  )
  const asksPassword = first('passwordauthentication') === 'yes'
  const rootLogin = first('permitrootlogin')
  const allowed = await allowedUsers(host, facts)
  const denied = wordsOf(facts, 'denyusers')
  for (const login of await logins(host, allowed ?? [])) {
    if (login.uid === 0 && rootLogin === 'no') continue
    if (denied.includes(login.name) || !(allowed?.includes(login.name) ?? true)) continue
    const mayUsePassword = asksPassword && (login.uid !== 0 || rootLogin === 'yes')
    if (mayUsePassword && (await hasPassword(host, login))) return true
    for (const file of files) if (await hasKey(host, login, file)) return true
  }
  return false
}

const wordsOf = (facts: SshdFacts, keyword: string): string[] =>
  (facts.get(keyword) ?? []).flatMap((each) => each.split(' '))

/**
 * The users whom sshd would let in; undefined for all. Lists of several files are one, and the file that is
 * there now still counts when sshd is asked about a new one before it: its names are taken out again.
 */
async function allowedUsers(host: SecurityHost, facts: SshdFacts): Promise<readonly string[] | undefined> {
  const before = await readFile(onHost(host, SSHD_FILE), 'utf8').catch(() => '')
  const gone = /^AllowUsers (.*)$/m.exec(before)?.[1]?.split(' ') ?? []
  const users = wordsOf(facts, 'allowusers')
  for (const name of gone) {
    const index = users.indexOf(name)
    if (index >= 0) users.splice(index, 1)
  }
  return users.length > 0 ? users : undefined
}

/** The users of the host with a shell; of those that only another place knows, the named ones. */
async function logins(host: SecurityHost, named: readonly string[]): Promise<Login[]> {
  const own = await readFile(onHost(host, '/etc/passwd'), 'utf8').catch(() => '')
  const others =
    named.length > 0 && host.root === '/' ? await hostCommand('getent', 'passwd', ...named) : undefined
  return `${own}${others?.stdout ?? ''}`.split('\n').flatMap((line) => {
    const [name = '', , uid, gid, , home = '', shell = ''] = line.split(':')
    const mayLogin = name !== '' && home.startsWith('/') && !/(?:nologin|false)$/.test(shell)
    return mayLogin ? [{ name, uid: Number(uid), gid: Number(gid), home }] : []
  })
}

/** Whether a user has a password; one who is in another place than the host's own file may have one there. */
async function hasPassword(host: SecurityHost, { name }: Login): Promise<boolean> {
  const text = await readFile(onHost(host, '/etc/shadow'), 'utf8').catch(() => '')
  const entry = text.split('\n').find((line) => line.startsWith(`${name}:`))
  return entry === undefined || /^[^!*]/.test(entry.split(':')[1] ?? '')
}

async function hasKey(host: SecurityHost, login: Login, file: string): Promise<boolean> {
  const named = file.replaceAll('%h', login.home).replaceAll('%u', login.name).replaceAll('%%', '%')
  const path = onHost(host, named.startsWith('/') ? named : join(login.home, named))
  return (await runAs(login, 'grep', ['-qE', '^[^#[:space:]]', path]).catch(() => 2)) === 0
}
