import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { Problem } from '@svc/core'
import { PLACES } from '../../agent/install/installation.ts'
import { runAs } from '../data/run-as.ts'
import type { Say } from '../generation.ts'

/** Nothing that is there goes, and files of settings stay as the operator has them. */
const INSTALL = [
  ...['install', '--yes', '--quiet', '--no-install-recommends', '--no-remove'],
  ...['-o', 'DPkg::Lock::Timeout=120', '-o', 'Dpkg::Options::=--force-confold'],
  '--',
]
const PROPERTIES = ['RuntimeMaxSec=1800', 'Environment=DEBIAN_FRONTEND=noninteractive']

const conflict = (detail: string): Problem => new Problem('conflict', { detail })

/** Returns the packages of these names that are not installed. @throws Problem `conflict` on no Debian */
export async function packagesMissing(names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return []
  const words = ['--show', '--showformat', `\${Package} \${db:Status-Status}\\n`, '--', ...names]
  // It ends with 1 when one of them is not known.
  const said = await promisify(execFile)('dpkg-query', words).catch(
    (error: NodeJS.ErrnoException & { readonly stdout?: string }) => {
      if (error.code === 'ENOENT') throw conflict(`this host is no Debian, and lacks ${names.join(', ')}`)
      return { stdout: error.stdout ?? '' }
    },
  )
  const there = new Set(said.stdout.split('\n'))
  return names.filter((name) => !there.has(`${name} installed`))
}

/** The refusal of a host that lacks packages, with the command of its operator. */
export const lacksPackages = (names: readonly string[]): Problem =>
  conflict(`this host lacks packages: apt-get install --no-install-recommends ${names.join(' ')}`)

/**
 * Installs packages that are not there, on a host whose operator allows it.
 * @throws Problem `conflict` with the command for the operator, or the last words of apt
 */
export async function installPackages(names: readonly string[], say: Say): Promise<void> {
  const missing = await packagesMissing(names)
  if (missing.length === 0) return
  if (!existsSync(PLACES.packages)) throw lacksPackages(missing)
  say(`installing ${missing.join(', ')}`)
  const apt = (...words: readonly string[]) =>
    runAs({ user: 'root', properties: PROPERTIES, command: ['apt-get', ...words] })
  // A word alone may mean a pattern of names, or that a package goes.
  const wanted = missing.map((name) => `?exact-name(${name})`)
  let fault: unknown
  for (const isOld of [false, true]) {
    fault = undefined
    try {
      if (isOld) await apt('update', '--quiet')
      await apt(...INSTALL, ...wanted)
    } catch (error) {
      fault = error
    }
    if ((await packagesMissing(missing)).length === 0) return
  }
  throw fault ?? conflict(`apt of this host knows no package ${(await packagesMissing(missing)).join(', ')}`)
}
