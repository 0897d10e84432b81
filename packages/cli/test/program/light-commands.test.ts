// A command that only asks a control plane begins at once: nothing that it imports leads to the server.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readSource, type Source } from '../../../../scripts/layers/source.ts'
import { targetOf } from '../../../../scripts/layers/workspace.ts'

const CLI = join(import.meta.dirname, '../..')
const HEAVY = /^@svc\/(?:core(?:\/(?:adapters|sql|ports))?|http(?:\/.*)?)$/

const sources: ReadonlyMap<string, Source> = new Map(
  globSync('src/**/*.ts', { cwd: CLI }).map((path) => [
    path,
    readSource(path, readFileSync(join(CLI, path), 'utf8')),
  ]),
)

/** Returns whether a file leads to the server when it is loaded. */
function isHeavy(path: string, seen = new Set<string>()): boolean {
  seen.add(path)
  const source = sources.get(path)
  return (source?.imports ?? [])
    .filter(({ runtime, lazy }) => runtime && !lazy)
    .some((each) => {
      if (HEAVY.test(each.specifier)) return true
      const next = targetOf(source as Source, each)
      return next !== undefined && !seen.has(next) && isHeavy(next, seen)
    })
}

/** Programs of a machine of its own, and commands that work on secrets, a folder or a database themselves. */
const SERVING = /^src\/commands\/(?:agent|doctor|export|migrate|relay|serve|up)(?:\/|\.ts)/
const ALONE = [
  'src/commands/audit-prune.ts',
  'src/commands/browser/browser-doctor.ts',
  'src/commands/mint-key.ts',
  'src/commands/retention/retention-verify.ts',
  'src/commands/secrets.ts',
  'src/commands/transfer-keys/transfer-verify.ts',
  'src/commands/webhooks/webhook-verify.ts',
]

test('Only commands that serve, or that work without a control plane, load the core as a whole', () => {
  const heavy = [...sources.keys()].filter((path) => path.startsWith('src/commands/') && isHeavy(path)).sort()
  expect(heavy.filter((path) => !SERVING.test(path))).toEqual(ALONE)
})

test('Declarations of commands, their connections and their output load no part of the server', () => {
  const declared = [...sources.keys()].filter((path) => /\/declare-|^src\/(?:program|terminal)\//.test(path))
  const started = ['src/bin.ts', 'src/commands/perform-run.ts', 'src/connect/control-client.ts']
  expect([...declared, ...started].filter((path) => isHeavy(path))).toEqual([])
})
