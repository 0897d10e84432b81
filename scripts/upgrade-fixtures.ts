// `npm run upgrade`: makes the fixtures of `test/upgrade*.test.ts` anew, by their commit: an installation on
// PostgreSQL, one on a data folder, the state folders of their agents, and the release itself. Needs the
// history of git, the registry of packages, and PostgreSQL of the system, for pg_dump.
//   --check          writes nothing: the release comes out as it is kept, byte for byte, and the
//                    installations in their shape. Without history or registry a line says so, and nothing
//                    fails
//   --checkout DIR   a checkout of that commit with its packages, instead of a new one
//   --out DIR        another folder than test/upgrade
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pack } from './upgrade/archive.ts'
import { differencesOf } from './upgrade/compare.ts'
import { onFolder, onPostgres } from './upgrade/make.ts'
import { buildRelease, checkOut, hasCommit, lendPackages } from './upgrade/old-release.ts'

const OWN = join(import.meta.dirname, '../test/upgrade')
const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    checkout: { type: 'string' },
    out: { type: 'string', default: OWN },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))

/** The checkout of the old commit; undefined when it cannot be had. */
function checkout(): string | undefined {
  if (values.checkout !== undefined) return values.checkout
  const own = join(folder, 'checkout')
  try {
    if (!hasCommit()) throw new Error('the history of this checkout does not reach back to it')
    checkOut(own)
    return own
  } catch (error) {
    if (!values.check) throw error
    console.log(`SHORT: the old release was not made anew: ${(error as Error).message}`)
    return undefined
  }
}

async function main(): Promise<number> {
  const from = checkout()
  if (from === undefined) return 0
  const made = join(folder, 'made')
  const release = join(made, 'release')
  buildRelease(from, release)
  // The packages are lent to a copy: they are no part of the fixture.
  const lent = join(folder, 'lent')
  cpSync(release, lent, { recursive: true })
  lendPackages(lent)
  await onPostgres(lent, join(made, 'on-postgres'))
  await onFolder(lent, join(made, 'on-folder'))
  if (values.check) {
    const differences = differencesOf(made, OWN, join(folder, 'kept'))
    for (const each of differences) console.log(each)
    console.log(`${differences.length} differences from test/upgrade`)
    return differences.length === 0 ? 0 : 1
  }
  mkdirSync(values.out, { recursive: true })
  for (const name of ['release', 'on-postgres', 'on-folder']) {
    const file = join(values.out, `${name}.tar.br`)
    pack(join(made, name), file)
    console.log(`${name}: ${statSync(file).size} bytes`)
  }
  return 0
}

try {
  process.exitCode = await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
