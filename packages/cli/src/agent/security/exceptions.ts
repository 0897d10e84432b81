import { globSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SecuritySettings } from '@svc/core/adapters'
import { hostCommand, systemProgram } from './host-command.ts'
import { BASELINE, SYSCTL_FILE, sshKeywords, UPDATES_FILE, updateNames } from './host-files.ts'
import { onHost, type SecurityHost } from './security-host.ts'

/**
 * Returns other settings of the host that override the applied ones: `Match` blocks of sshd, files of the
 * kernel and of apt that are read later, and values that the kernel has all the same. Lines for the log of
 * the job; they fail nothing, since the owner of the host may mean them.
 */
export async function exceptions(host: SecurityHost, settings: SecuritySettings): Promise<string[]> {
  const { ssh, sysctl, auto_updates } = settings
  const found = [
    ...(await matchBlocks(host, sshKeywords(ssh))),
    ...(sysctl === 'none' ? [] : [...(await laterValues(host)), ...(await valuesOfNow(host))]),
    ...(auto_updates === 'keep' ? [] : await updatesOf(host, auto_updates === 'on')),
  ]
  return found.map((each) => `note: ${each}`)
}

/** A line of sshd's files in a block for some connections alone. */
interface MatchLine {
  readonly path: string
  readonly match: string
  readonly keyword: string
  readonly value: string
}

/** `sshd -T` knows no connection, so it leaves these out, except for `all`. */
async function matchBlocks(
  host: SecurityHost,
  keywords: Readonly<Record<string, string>>,
): Promise<string[]> {
  const ours = new Map(Object.entries(keywords).map(([name, value]) => [name.toLowerCase(), value]))
  const lines = await matchLines(host, '/etc/ssh/sshd_config', '', 0)
  return lines
    .filter(
      ({ match, keyword, value }) => match !== '' && !/^all$/i.test(match) && differs(ours, keyword, value),
    )
    .map(
      ({ path, match, keyword, value }) => `${path} makes an exception: Match ${match}: ${keyword} ${value}`,
    )
}

const differs = (ours: ReadonlyMap<string, string>, keyword: string, value: string): boolean => {
  const own = ours.get(keyword.toLowerCase())
  return own !== undefined && own.toLowerCase() !== value.toLowerCase()
}

/** sshd itself reads files of files to this depth. */
const DEEPEST = 16

async function matchLines(
  host: SecurityHost,
  path: string,
  around: string,
  depth: number,
): Promise<MatchLine[]> {
  const text = await readFile(onHost(host, path), 'utf8').catch(() => '')
  const found: MatchLine[] = []
  let match = around
  for (const line of text.split('\n')) {
    const [, keyword = '', value = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? []
    if (/^match$/i.test(keyword)) match = value
    else if (/^include$/i.test(keyword) && depth < DEEPEST) {
      for (const each of value.split(/\s+/).flatMap((pattern) => filesOf(host, pattern)))
        found.push(...(await matchLines(host, each, match, depth + 1)))
    } else if (keyword !== '') found.push({ path, match, keyword, value })
  }
  return found
}

/** Files by a pattern of `Include`, as paths of the host. */
function filesOf({ root }: SecurityHost, pattern: string): string[] {
  const absolute = pattern.startsWith('/') ? pattern : join('/etc/ssh', pattern)
  // Tests name files beneath their root in full.
  const within = root !== '/' && absolute.startsWith(`${root}/`) ? absolute.slice(root.length) : absolute
  return globSync(within.slice(1), { cwd: root })
    .toSorted()
    .map((path) => `/${path}`)
}

const SYSCTL_FOLDERS = ['/etc', '/run', '/usr/local/lib', '/usr/lib', '/lib'] as const

/** Values of files that count after ours at the next start, on Debian the values of `/etc/sysctl.conf`. */
async function laterValues(host: SecurityHost): Promise<string[]> {
  const files = new Map<string, string>()
  for (const folder of SYSCTL_FOLDERS) {
    const names = await readdir(onHost(host, `${folder}/sysctl.d`)).catch(() => [])
    for (const name of names.filter((each) => each.endsWith('.conf')))
      if (!files.has(name)) files.set(name, `${folder}/sysctl.d/${name}`)
  }
  const own = SYSCTL_FILE.slice(dirname(SYSCTL_FILE).length + 1)
  const later = [...files].filter(([name]) => name > own).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const last = new Map<string, string>()
  for (const path of [...later.map(([, file]) => file), '/etc/sysctl.conf'])
    for (const [key, value] of await sysctlLines(host, path)) {
      const meant = Object.entries(BASELINE).filter(([ours]) => isSame(ours, key))
      if (meant.some(([, ours]) => String(ours) !== value)) last.set(key, `${path} sets ${key} = ${value}`)
      else last.delete(key)
    }
  return [...last.values()].map((each) => `${each}, and counts after ${SYSCTL_FILE} at the next start`)
}

async function sysctlLines(host: SecurityHost, path: string): Promise<(readonly [string, string])[]> {
  const text = await readFile(onHost(host, path), 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [, key = '', value = ''] = /^\s*-?([^#;=\s]+)\s*=\s*(\S*)\s*$/.exec(line) ?? []
    return key === '' ? [] : [[/^[^.]*\//.test(key) ? key.replaceAll('/', '.') : key, value] as const]
  })
}

/** Whether two keys mean one value somewhere; a star stands for the name of an interface. */
function isSame(one: string, other: string): boolean {
  const parts = [one, other].map((key) => /^(net\.ipv[46]\.conf\.)(.+)(\.[^.]+)$/.exec(key) ?? [])
  const [[, head, name, tail] = [], [, otherHead, otherName, otherTail] = []] = parts
  if (head === undefined || otherHead === undefined) return one === other
  const names = name === otherName || name === '*' || otherName === '*'
  return head === otherHead && tail === otherTail && names
}

const CONF = '/proc/sys/net'

/** Values that the kernel has, though the file says otherwise. The larger reverse path filter counts. */
async function valuesOfNow(host: SecurityHost): Promise<string[]> {
  if (host.root !== '/') return []
  const found: string[] = []
  for (const [key, value] of Object.entries(BASELINE))
    for (const path of kernelPaths(key)) {
      const now = await readFile(path, 'utf8').catch(() => undefined)
      if (now !== undefined && now.trim() !== String(value))
        found.push(`${path} is ${now.trim()}, not ${value}`)
    }
  for (const path of globSync(`${CONF}/ipv4/conf/*/rp_filter`))
    if ((await readFile(path, 'utf8').catch(() => '')).trim() === '2')
      found.push(`${path} is 2, so that reverse paths are filtered loosely there`)
  return found
}

/** The files of the kernel for a key; a star stands for every interface that there is. */
export const kernelPaths = (key: string): string[] =>
  key.includes('*')
    ? globSync(`/proc/sys/${key.replaceAll('.', '/')}`)
    : [`/proc/sys/${key.replaceAll('.', '/')}`]

/** Files of apt that are read after ours, such as `/etc/apt/apt.conf`. */
async function updatesOf(host: SecurityHost, isOn: boolean): Promise<string[]> {
  const program = await systemProgram('apt-config')
  if (program === undefined) return []
  // apt reads its folders from this variable first.
  const place = join(host.folder, 'apt-root')
  const { stdout } =
    host.root === '/'
      ? await hostCommand(program, 'dump')
      : await hostCommand(
          'sh',
          '-c',
          'echo "Dir \\"$1\\";" >"$2" && APT_CONFIG=$2 "$0" dump; rm -f "$2"',
          program,
          host.root,
          place,
        )
  return updateNames.flatMap((name) => {
    const before = `APT::Periodic::${name} "`
    const line = stdout.split('\n').find((each) => each.startsWith(before) && each.endsWith('";'))
    const value = line?.slice(before.length, -2) ?? ''
    const wanted = isOn ? '1' : '0'
    return value === wanted
      ? []
      : [`apt takes APT::Periodic::${name} "${value}", not the value of ${UPDATES_FILE}: see apt-config dump`]
  })
}
