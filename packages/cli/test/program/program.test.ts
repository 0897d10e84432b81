import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import type { Command } from 'commander'
import { buildProgram, runProgram } from '../../src/program.ts'
import '../support/standard-input.ts'
import { RecordingIo } from '../support/recording-io.ts'

async function run(...args: readonly string[]): Promise<RecordingIo> {
  const io = new RecordingIo({ args })
  await runProgram(io)
  return io
}

function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  if (command.commands.length === 0) return [[...path]]
  return command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))
}

const PATHS = pathsOf(buildProgram(new RecordingIo()))

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
    PATHS.filter(([first]) => !['serve', 'up', 'agent'].includes(first ?? '')).map(
      (path) => [path.join(' '), path] as const,
    ),
  )('svc %s prints data, so it takes --json', async (_, path) => {
    expect((await run(...path, '--help')).out.text).toContain('--json')
  })

  test('Help loads neither the domain nor the database', async () => {
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })`
    const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
    const flags = ['--conditions=svc-source', '--import', `data:text/javascript,${encodeURIComponent(hook)}`]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, bin, '--help'], {
      cwd: tmpdir(),
    })
    expect(stdout).toContain('Usage: svc')
    expect(stderr).toContain('commander')
    expect(stderr).not.toMatch(/mikro-orm|pglite|packages\/core\/|packages\/http\//)
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
  const { parseSigningKey } = await import('@svc/core')
  const [one, other] = [await run('mint-key', '--json'), await run('mint-key', '--json')]
  const { private_key, public_key, kid } = one.document as Record<string, string>
  const key = parseSigningKey(private_key ?? '')
  expect(key.kid).toBe(kid)
  expect(Buffer.from(key.publicKey).toString('base64url')).toBe(public_key)
  expect(other.document.kid).not.toBe(kid)
})
