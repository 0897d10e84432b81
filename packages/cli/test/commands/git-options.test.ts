import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { Problem } from '@svc/core'
import type { Command } from 'commander'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { buildProgram } from '../../src/commands/command-tree.ts'
import { runProgram } from '../../src/commands/program.ts'
import '../../../../test/support/standard-input.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-git-options-'))
const file = join(folder, 'secret')
writeFileSync(file, 'first-line-of-a-file\nsecond\n')
afterAll(() => rmSync(folder, { recursive: true }))

const SHA = 'a'.repeat(40)
/** Words that each command needs, and its request with nothing more. */
const COMMANDS: Readonly<Record<string, { words: readonly string[]; name: string; input: object }>> = {
  'hooks add': {
    words: ['shop', '--repo', 'https://git.example/x.git', '--host', 'web-1'],
    name: 'git-hooks.add',
    input: { app: 'shop', repo_url: 'https://git.example/x.git', host: 'web-1' },
  },
  'hooks list': { words: [], name: 'git-hooks.list', input: {} },
  'hooks show': { words: ['shop'], name: 'git-hooks.show', input: { id: 'shop' } },
  'hooks rotate': { words: ['shop'], name: 'git-hooks.rotate', input: { id: 'shop' } },
  'hooks enable': { words: ['shop'], name: 'git-hooks.update', input: { id: 'shop', enabled: true } },
  'hooks disable': { words: ['shop'], name: 'git-hooks.update', input: { id: 'shop', enabled: false } },
  'hooks remove': { words: ['shop'], name: 'git-hooks.remove', input: { id: 'shop' } },
  deliveries: { words: ['shop'], name: 'git.deliveries', input: { id: 'shop' } },
  test: { words: ['shop', '--sha', SHA], name: 'git.test', input: { id: 'shop', sha: SHA } },
}

/** Each option, and the part of the request that it adds. */
const OPTIONS: readonly [command: string, words: readonly string[], adds: object][] = [
  ['hooks add', ['--repo', 'https://git.example/y.git'], { repo_url: 'https://git.example/y.git' }],
  ['hooks add', ['--host', 'web-2'], { host: 'web-2' }],
  ['hooks add', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['hooks add', ['--branch', 'next'], { branch: 'next' }],
  ['hooks add', ['--tags', 'v*'], { tags: 'v*' }],
  ['hooks add', ['--path', 'a/**', '--path', 'b/**'], { paths: ['a/**', 'b/**'] }],
  ['hooks add', ['--ignore-path', '*.md', '--ignore-path', '*.txt'], { paths_ignore: ['*.md', '*.txt'] }],
  ['hooks add', ['--provider', 'gitea'], { provider: 'gitea' }],
  ['hooks add', ['--clone', 'none'], { clone: { kind: 'none' } }],
  ['hooks add', ['--submodules', 'owner'], { submodules: 'owner' }],
  ['hooks add', ['--token-file', file], { clone: { kind: 'token', token: 'first-line-of-a-file' } }],
  ['hooks add', ['--secret-file', file], { secret: 'first-line-of-a-file' }],
  ['hooks add', ['--cancel-in-progress'], { cancel_in_progress: true }],
  ['hooks add', ['--no-skip'], { allow_skip: false }],
  ['hooks list', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['hooks show', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['hooks rotate', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['hooks enable', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['hooks disable', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['hooks remove', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['deliveries', ['--license', 'lic_1'], { license: 'lic_1' }],
  ['deliveries', ['--limit', '7'], { limit: 7 }],
  ['deliveries', ['--cursor', 'gdl_7'], { cursor: 'gdl_7' }],
  ['test', ['--sha', 'b'.repeat(40)], { sha: 'b'.repeat(40) }],
  ['test', ['--ref', 'refs/tags/v1'], { ref: 'refs/tags/v1' }],
  ['test', ['--license', 'lic_1'], { license: 'lic_1' }],
]

/** Options of many commands: how the control plane is reached, and how the answer is printed. */
const REACHING = ['--data-dir', '--json', '--key', '--key-file', '--url']

/** The requests that a command makes; each of them is refused. */
async function requestsOf(command: string, words: readonly string[]): Promise<unknown[]> {
  const sent: unknown[] = []
  const run = (name: string, input: unknown) => {
    sent.push([name, input])
    throw new Problem('unavailable')
  }
  const io = new RecordingIo({ args: ['git', ...command.split(' '), ...words] })
  await runProgram(io, { connect: async () => ({ run, [Symbol.asyncDispose]: async () => {} }) as never })
  return sent
}

test.each(Object.entries(COMMANDS))(
  'svc git %s asks for its operation',
  async (command, { words, name, input }) => {
    expect(await requestsOf(command, words)).toEqual([[name, input]])
  },
)

test.each(OPTIONS)('svc git %s %j adds to its request', async (command, words, adds) => {
  const { words: needed = [], name, input } = COMMANDS[command] ?? {}
  expect(await requestsOf(command, [...needed, ...words])).toEqual([[name, { ...input, ...adds }]])
})

test('Every command of svc git and each of its own options stands in the tables', async () => {
  const leaves = (command: Command, path: readonly string[]): [string, Command][] =>
    command.commands.length === 0
      ? [[path.join(' '), command]]
      : command.commands.flatMap((each) => leaves(each, [...path, each.name()]))
  const git = (await buildProgram(new RecordingIo())).commands.find((each) => each.name() === 'git')
  const found = git === undefined ? [] : leaves(git, [])
  expect(found.map(([path]) => path).sort()).toEqual(Object.keys(COMMANDS).sort())
  const declared = found.flatMap(([path, { options }]) =>
    options.filter(({ long }) => !REACHING.includes(long ?? '')).map(({ long }) => `${path} ${long}`),
  )
  const tried = new Set(OPTIONS.map(([path, [word]]) => `${path} ${word}`))
  expect(declared.filter((each) => !tried.has(each))).toEqual([])
})
