// `npm run runtimes`: the programs of docs/web-servers.md for Bun and Deno, and a whole agent loop with an
// event stream and a sign-in in each. Both are installed in a temporary folder. Exit code 1 if one fails.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** The program of the page for a runtime. */
function programOf(name: string): string {
  const page = readFileSync(join(ROOT, PAGE), 'utf8')
  const begin = page.indexOf(`// in-${name}.mjs\n`)
  if (begin < 0) throw new Error(`${PAGE} shows no program for ${name}`)
  return page.slice(begin, page.indexOf('\n```', begin))
}

const folder = mkdtempSync(join(tmpdir(), 'svc-runtimes-'))
const loop = readFileSync(join(import.meta.dirname, 'runtimes', 'agent-loop.mjs'), 'utf8')
let failed = 0
try {
  for (const { name, version, flags } of RUNTIMES) {
    await run(
      'npm',
      ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`],
      {
        timeout: PATIENCE_MS,
      },
    )
    for (const [what, program] of [
      ['the program of the page', programOf(name)],
      ['an agent loop', loop],
    ] as const) {
      // Names of packages resolve from the folder of a program.
      const file = join(ROOT, `.runtime-${name}.mjs`)
      try {
        writeFileSync(file, program)
        const { stdout } = await run(join(folder, 'node_modules', '.bin', name), [...flags, file], {
          cwd: ROOT,
          timeout: PATIENCE_MS,
          env: { PATH: process.env.PATH, HOME: folder },
        })
        const isRight = stdout.includes('{"ok":true}')
        if (!isRight) failed += 1
        console.log(`${name} ${version}: ${what}: ${isRight ? 'ok' : `FAILED, it printed ${stdout}`}`)
      } catch (error) {
        failed += 1
        console.log(`${name} ${version}: ${what}: FAILED\n${(error as { stderr?: string }).stderr ?? error}`)
      } finally {
        rmSync(file, { force: true })
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
