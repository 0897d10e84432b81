import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import './support/standard-input.ts'
import { commandWords } from '../packages/http/src/console/commands.ts'
import { commandsOf, inspectedProgram } from '../scripts/generate/command-tree.ts'
import { generatedPages, generatedSources, stalePages } from '../scripts/generate/pages.ts'
import { entryLine } from '../scripts/generate/summaries-module.ts'

const root = join(import.meta.dirname, '..')

describe('the generated reference', () => {
  test('says what the code says: npm run generate has nothing to write', async () => {
    expect(stalePages(await generatedPages(), (path) => readFileSync(join(root, path), 'utf8'))).toEqual([])
  })

  test('is the same text each time it is made', async () => {
    expect(await generatedPages()).toEqual(await generatedPages())
  })

  test('a page that was edited or is missing counts as stale, and no other', () => {
    const pages = new Map([
      ['current.md', 'same'],
      ['edited.md', 'written'],
      ['missing.md', 'new'],
    ])
    const onDisk: Readonly<Record<string, string>> = { 'current.md': 'same', 'edited.md': 'written by hand' }
    expect(stalePages(pages, (path) => onDisk[path])).toEqual(['edited.md', 'missing.md'])
  })

  test('a flag that generate does not know writes nothing and is an error', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--conditions=svc-source', 'scripts/generate.ts', '--chek'],
      { cwd: root, encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--chek') })
  })
})

/** Nouns of commands whose operations have another one. */
const NOUNS: Readonly<Record<string, string>> = {
  'webhooks-endpoints': 'webhooks',
  'provision-order': 'provision-orders',
  'provision-credential': 'provision-credentials',
  email: 'emails',
}
/** Operations whose command has another name: `ssh`, `email alerts`, a flag of another command, `doctor`. */
const OTHER_COMMANDS = [
  'apps.cron-list',
  'apps.databases-create',
  'apps.databases-list',
  'apps.databases-link',
  'apps.databases-unlink',
  'apps.databases-rotate',
  'apps.databases-backup',
  'apps.databases-restore',
  'apps.databases-undo',
  'apps.databases-drop',
  'apps.domains-add',
  'apps.domains-remove',
  'apps.domains-list',
  'apps.env-list',
  'apps.env-set',
  'apps.env-unset',
  'apps.registry-list',
  'apps.registry-login',
  'apps.registry-logout',
  'apps.upload',
  'ssh.open',
  'email-alerts.run',
  'git-hooks.update',
  'provision.remove-server',
  'health.check',
  'overview.show',
]
// These commands do more than their operation: they read a password, or shape their output or exit code.
const OWN_WORDS = ['monitors.check', 'sessions.mint', 'users.set-password']

describe('the commands that pages of the console name', () => {
  test('are commands, for every operation and every list without rows', async () => {
    const { program } = await inspectedProgram()
    const commands = new Set(commandsOf(program).map(({ words }) => words.slice(1).join(' ')))
    const named = OPERATIONS.map(({ name }) => commandWords(name))
    expect(named.filter((words) => !commands.has(words))).toEqual([])
    const sources = globSync('packages/http/src/console/pages/*.ts', { cwd: root })
    const texts = sources.flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(/command: 'svc ([a-z][a-z -]*[a-z])/g),
    ])
    expect(texts.length).toBeGreaterThan(20)
    const isCommand = (words: string) =>
      [...commands].some((command) => `${words} `.startsWith(`${command} `))
    expect(texts.map(([, words = '']) => words).filter((words) => !isCommand(words))).toEqual([])
  })
})

describe('the summaries of operations', () => {
  test('are those of their commands, but for the few that say more', async () => {
    const summaries = new Map(OPERATIONS.map(({ name, summary }) => [name, summary]))
    const { program } = await inspectedProgram()
    const described = commandsOf(program).flatMap(({ words, command }) => {
      // A command below a noun of two words, such as `git hooks add`, belongs to `git-hooks.add`.
      const given = words.slice(1, -1).join('-')
      const noun = NOUNS[given] ?? given
      const name = `${noun}.${words.at(-1)}`
      return summaries.has(name) ? [{ name, isOwn: command.description() !== summaries.get(name) }] : []
    })
    expect(
      described
        .filter(({ isOwn }) => isOwn)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(OWN_WORDS)
    const names = new Set(described.map(({ name }) => name))
    const others = OPERATIONS.map(({ name }) => name).filter((name) => !names.has(name))
    expect(others.sort()).toEqual(OTHER_COMMANDS.toSorted())
  })

  test('are a generated source, which --check compares as it does pages', async () => {
    const [path = ''] = generatedSources().keys()
    expect((await generatedPages()).get(path)).toBe(generatedSources().get(path))
  })

  test.each([
    ['a text', 'end a snooze', "  'x.y': 'end a snooze',"],
    ['an apostrophe', "a tenant's alerts", "  'x.y': \"a tenant's alerts\","],
    ['a backslash', 'C:\\data', "  'x.y': 'C:\\\\data',"],
    ['a long text', 'a'.repeat(100), `  'x.y':\n    '${'a'.repeat(100)}',`],
  ])('stand in their module as the formatter writes them: %s', (_, summary, line) => {
    expect(entryLine('x.y', summary)).toBe(line)
  })
})
