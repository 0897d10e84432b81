// `npm run runtimes`: the programs of docs/web-servers.md for Bun and Deno, and a whole agent loop with an
// event stream and a sign-in in each; and contracts in Vitest. All are installed in a temporary folder. Exit
// code 1 if one fails.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const PAGE = 'docs/web-servers.md'
/** Downloads of some 80 MB, and starts of an embedded database. */
const PATIENCE_MS = 300_000

const RUNTIMES = [
  { name: 'bun', version: '1.4.5', flags: ['--conditions=svc-source'] },
  {
    name: 'deno',
    version: '2.9.6',
    flags: ['run', '--allow-all', '--no-check', '--conditions=svc-source', '--node-modules-dir=manual'],
  },
] as const

const VITEST = '4.1.12'
const CONDITIONS = "['svc-source', 'node']"
const SUITE = `import * as vitest from 'vitest'
import { systemClock } from '@svc/core'
import { memoryStorage } from '@svc/testing'
import { jobsStoreContract, licensesStoreContract, useRunner } from '@svc/testing/contracts'
useRunner(vitest)
for (const contract of [jobsStoreContract, licensesStoreContract])
  contract('memory', async () => memoryStorage(systemClock))
`
const VITEST_CONFIG = `export default {
  resolve: { conditions: ${CONDITIONS} },
  ssr: { resolve: { conditions: ${CONDITIONS}, externalConditions: ${CONDITIONS} } },
  test: { testTimeout: 60_000 },
}
`

/** Installs a package at a version in the folder. */
const install = (folder: string, what: string) =>
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, what], {
    timeout: PATIENCE_MS,
  })

/** Runs contracts in Vitest, and returns whether all of their tests passed. */
async function holdsInVitest(folder: string): Promise<boolean> {
  await install(folder, `vitest@${VITEST}`)
  mkdirSync(join(folder, 'node_modules', '@svc'))
  for (const name of ['core', 'testing'])
    symlinkSync(join(ROOT, 'packages', name), join(folder, 'node_modules', '@svc', name))
  writeFileSync(join(folder, 'own.test.mjs'), SUITE)
  writeFileSync(join(folder, 'vitest.config.mjs'), VITEST_CONFIG)
  const program = join(folder, 'node_modules', 'vitest', 'vitest.mjs')
  const { stdout } = await run(process.execPath, [program, 'run', '--reporter=json'], {
    cwd: folder,
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1024 * 1024,
  })
  const { success, numPassedTests } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    success: boolean
    numPassedTests: number
  }
  return success && numPassedTests > 100
}

/** The program of the page for a runtime. */
function programOf(name: string): string {
  const page = readFileSync(join(ROOT, PAGE), 'utf8')
  const begin = page.indexOf(`// in-${name}.mjs\n`)
  if (begin < 0) throw new Error(`${PAGE} shows no program for ${name}`)
  return page.slice(begin, page.indexOf('\n```', begin))
}

const LOOP = readFileSync(join(import.meta.dirname, 'runtimes', 'agent-loop.mjs'), 'utf8')

/** Runs a program in a runtime, and returns whether it printed that it lives. */
async function livesIn(
  folder: string,
  { name, flags }: (typeof RUNTIMES)[number],
  program: string,
): Promise<boolean> {
  // Names of packages resolve from the folder of a program.
  const file = join(ROOT, `.runtime-${name}.mjs`)
  try {
    writeFileSync(file, program)
    const { stdout } = await run(join(folder, 'node_modules', '.bin', name), [...flags, file], {
      cwd: ROOT,
      timeout: PATIENCE_MS,
      env: { PATH: process.env.PATH, HOME: folder },
    })
    return stdout.includes('{"ok":true}')
  } finally {
    rmSync(file, { force: true })
  }
}

const folder = mkdtempSync(join(tmpdir(), 'svc-runtimes-'))
let failed = 0

/** Says whether a step went well. */
async function step(what: string, work: () => Promise<boolean>): Promise<void> {
  const outcome = await work().catch((error: { stderr?: string }) => error.stderr || String(error))
  if (outcome !== true) failed += 1
  console.log(`${what}: ${outcome === true ? 'ok' : `FAILED ${outcome || ''}`}`)
}

try {
  for (const runtime of RUNTIMES) {
    const { name, version } = runtime
    await install(folder, `${name}@${version}`)
    await step(`${name} ${version}: the program of the page`, () => livesIn(folder, runtime, programOf(name)))
    await step(`${name} ${version}: an agent loop`, () => livesIn(folder, runtime, LOOP))
  }
  await step(`vitest ${VITEST}: contracts`, () => holdsInVitest(folder))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
