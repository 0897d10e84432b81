import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import type { Command } from 'commander'
import { buildProgram } from '../../src/commands/command-tree.ts'
import { overviewText } from '../../src/commands/overview.ts'
import { runProgram } from '../../src/commands/program.ts'
import '../../../../test/support/standard-input.ts'
import { RecordingIo } from '../../../../test/support/recording-io.ts'

async function run(...args: readonly string[]): Promise<RecordingIo> {
  const io = new RecordingIo({ args })
  await runProgram(io)
  return io
}

function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  if (command.commands.length === 0) return [[...path]]
  return command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))
}

const PATHS = pathsOf(await buildProgram(new RecordingIo()))

describe('Help', () => {
  test.each(PATHS.map((path) => [path.join(' '), path] as const))(
    'svc %s --help shows an example of itself and ends with 0',
    async (name, path) => {
      const io = await run(...path, '--help')
      expect(io.exitCode).toBe(0)
      expect(io.out.text.split('Example:')[1]).toContain(`svc ${name}`)
    },
  )

  test.each(
    PATHS.filter(
      (path) => !['serve', 'up', 'agent'].includes(path[0] ?? '') && path.join(' ') !== 'relay serve',
    ).map((path) => [path.join(' '), path] as const),
  )('svc %s prints data, so it takes --json', async (_, path) => {
    expect((await run(...path, '--help')).out.text).toContain('--json')
  })

  test.each([20, 40, 60, 80, 100, 120, 200])(
    'of the whole program is what commander writes at %i columns',
    async (columns) => {
      let written = ''
      const program = await buildProgram(new RecordingIo())
      program.configureOutput({ writeOut: (text) => (written += text), getOutHelpWidth: () => columns })
      program.outputHelp()
      expect(overviewText(columns)).toBe(written)
    },
  )

  test('help names a command of any depth, and version is --version', async () => {
    const wordy = await run('help', 'jobs', 'enqueue')
    expect(wordy).toMatchObject({ exitCode: 0 })
    expect(wordy.out.text).toBe((await run('jobs', 'enqueue', '--help')).out.text)
    expect((await run('version')).out.text).toBe((await run('--version')).out.text)
  })

  test.each([['--help'], ['-h'], ['help']])('svc %s shows it and ends with 0', async (word) => {
    const io = await run(word)
    expect(io.out.text).toBe(overviewText(80))
    expect(io.exitCode).toBe(0)
  })

  test('lists every command the same, whichever of them is loaded', async () => {
    const whole = await buildProgram(new RecordingIo())
    for (const one of whole.commands) {
      const program = await buildProgram(new RecordingIo(), {}, new Set([one.name()]))
      expect(pathsOf(program.commands.find((each) => each.name() === one.name()) as Command)).toEqual(
        pathsOf(one),
      )
      expect(program.helpInformation()).toBe(whole.helpInformation())
    }
  })
})

describe('What a command loads', () => {
  const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
  const HOOK = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })`

  /**
   * Every module that Node.js loads for these arguments; one that goes on is asked to end when it has said
   * `last`.
   */
  async function loadedBy(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    last?: string,
  ): Promise<readonly string[]> {
    const flags = ['--conditions=svc-source', '--import', `data:text/javascript,${encodeURIComponent(HOOK)}`]
    const options = { cwd: tmpdir(), env: { ...process.env, ...env }, maxBuffer: 16 * 1024 * 1024 }
    const running = promisify(execFile)(process.execPath, [...flags, bin, ...args], options)
    let said = ''
    running.child.stderr?.on('data', (text: string) => {
      said += text
      if (last !== undefined && said.includes(last)) running.child.kill('SIGTERM')
    })
    const { stderr } = await running.catch((failure: { readonly stderr: string }) => failure)
    return stderr.split('\n').filter((line) => /^(?:file|node):/.test(line))
  }

  test('the help of the whole program: its own few files and no package', async () => {
    const loaded = await loadedBy(['--help'])
    expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([])
    expect(loaded.filter((url) => /packages\/(?:core|http)\//.test(url))).toEqual([])
    expect(loaded.filter((url) => /^node:(?:child_process|https?|net|tls|dns)$/.test(url))).toEqual([])
    // Among them node:fs: with it a key is taken out of the environment first of all.
    expect(loaded.length).toBeLessThanOrEqual(11)
  })

  test('the help of a command: commander and its own file, neither the domain nor the database', async () => {
    const loaded = await loadedBy(['jobs', 'enqueue', '--help'])
    expect(loaded.filter((url) => url.includes('/node_modules/') && !url.includes('/commander/'))).toEqual([])
    expect(loaded.filter((url) => /packages\/(?:core|http)\//.test(url))).toEqual([])
    expect(loaded.filter((url) => /src\/commands\//.test(url)).map((url) => url.split('/').at(-1))).toEqual([
      ...['program.ts', 'commands.ts', 'overview.ts', 'command-tree.ts'],
      'declare-jobs.ts',
      'declare.ts',
      'kind-examples.ts',
    ])
  })

  test('a service on PostgreSQL: neither an embedded database nor what only some requests need', async () => {
    // Nobody listens there: when it waits for that, everything is loaded that it starts with.
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', NODE_ENV: 'test' }
    const loaded = (await loadedBy(['serve', '--port', '0'], env, '"msg":"not ready')).join('\n')
    expect(loaded).toMatch(/node_modules\/koa\//)
    expect(loaded).toMatch(/@mikro-orm\/postgresql/)
    expect(loaded).not.toMatch(/pglite\/dist|@mikro-orm\/(?:pglite|migrations)/)
    expect(loaded).not.toMatch(/node_modules\/(?:undici|koa-body|formidable|zod|@koa\/router)\//)
  })
})

describe('Usage', () => {
  test.each([
    ['an unknown command', ['jbos']],
    ['an unknown flag', ['jobs', 'list', '--sttae', 'failed']],
    ['a missing argument', ['jobs', 'show']],
    ['a missing flag', ['jobs', 'enqueue', 'prune']],
    ['one argument too many', ['jobs', 'show', 'a', 'b']],
    ['a group without a verb', ['jobs']],
    ['nothing', []],
  ])('%s is code 2 with words on stderr', async (_, args) => {
    const io = await run(...args)
    expect(io.exitCode).toBe(2)
    expect(io.out.text).toBe('')
    expect(io.err.text).not.toBe('')
  })

  test('A slip is answered with what was probably meant', async () => {
    expect((await run('jbos')).err.text).toMatch(/^svc: unknown command 'jbos'\n\(Did you mean jobs\?\)/)
  })

  test('--version prints the version', async () => {
    const io = await run('--version')
    expect(io.out.text).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(io.exitCode).toBe(0)
  })
})

test('mint-key prints a private key that signs, its public key and its kid, each time another', async () => {
  const { parseSigningKey } = await import('../../../core/src/platform/signing/signing-key.ts')
  const [one, other] = [await run('mint-key', '--json'), await run('mint-key', '--json')]
  const { private_key, public_key, kid } = one.document as Record<string, string>
  const key = parseSigningKey(private_key ?? '')
  expect(key.kid).toBe(kid)
  expect(Buffer.from(key.publicKey).toString('base64url')).toBe(String(public_key).replace('svcpk_', ''))
  expect(other.document.kid).not.toBe(kid)
})
