import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { hasSshd, SshServer } from '../packages/cli/test/agent/ssh-server.ts'
import { readPage, root } from './docs/page.ts'
import { Reader } from './docs/reader.ts'
import { freePort } from './support/free-port.ts'

const PAGE = 'docs/git.md'
const FIVE_MINUTES_MS = 300_000
const { blocks } = readPage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
/** The walk of the page: its blocks of shell; the first runs in a terminal of its own. */
const [start = '', ...steps] = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)

function hasTools(): boolean {
  try {
    for (const tool of ['bash', 'curl', 'git']) execFileSync(tool, ['--version'], { stdio: 'ignore' })
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return hasSshd()
  } catch {
    return false
  }
}
const suite = hasTools() ? describe : describe.skip

const reader = new Reader('git')
const { folder } = reader
beforeAll(() => {
  for (const name of ['git', '.ssh']) mkdirSync(join(folder, name), { mode: 0o700 })
  writeFileSync(join(folder, '.gitconfig'), '[user]\n\tname = Ann\n\temail = ann@acme.example\n')
})
afterAll(() => reader[Symbol.dispose]())

/** Starts the service as the page says; resolves when it is up. */
async function started(text: string): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', text], { cwd: folder, env: reader.env })
  let said = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString()
      if (said.includes('Ctrl-C ends it')) resolve()
    })
  child.once('exit', () => reject(new Error(said)))
  await promise
  return child
}

suite('push to deploy', () => {
  test('the page can be followed word for word, from an empty repository to a deployed push, in five minutes', async () => {
    const begun = performance.now()
    await using sshd = await SshServer.start(join(folder, '.ssh/authorized_keys'))
    const port = await freePort()
    const places: Readonly<Record<string, string>> = {
      '8080': String(port),
      'ssh://git@git.example/srv/git': sshd.url(join(folder, 'git')),
      '/srv/git': join(folder, 'git'),
    }
    const asReader = (text: string) =>
      Object.entries(places).reduce((own, [example, place]) => own.replaceAll(example, place), text)
    for (const example of Object.keys(places))
      expect([start, ...steps].some((text) => text.includes(example))).toBe(true)
    const service = await started(asReader(start))
    const { out, err } = await reader.follow(steps.map(asReader).join('\n')).finally(async () => {
      service.kill('SIGINT')
      await once(service, 'exit')
    })
    expect(performance.now() - begun).toBeLessThan(FIVE_MINUTES_MS)
    expect(out.trimEnd().split('\n').at(-1)).toBe('<h1>The shop is open</h1>')
    expect(out).toMatch(/^just now|^\d+s ago +accepted +refs\/heads\/main /m)
    expect(out).toMatch(/^git push [0-9a-f]{12} refs\/heads\/main by somebody$/m)
    expect(err).toMatch(/remote: \{"ok":true,"accepted":true,"jobs":\[/)
    expect(err).not.toContain('PRIVATE')
  }, 240_000)
})
