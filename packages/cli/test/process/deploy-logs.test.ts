import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { embeddedFolder } from '@svc/testing'
import { jsonHere } from '../support/svc-here.ts'
import { SvcProcess } from '../support/svc-process.ts'

const PATIENCE_MS = 120_000
/** A test that waits in vain ends by itself before its time is over, and takes its processes with it. */
const WAIT_MS = 90_000
const LOOK_MS = 50
const EMAIL = 'ada@example.com'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/**
 * Makes an application whose deploy.sh prints each word, then waits until the file of that name is there or
 * the test is over. Returns its commit too.
 */
async function steppedApp(words: readonly string[]) {
  const folder = join(cwd, 'app')
  await mkdir(folder)
  const steps = words.map(
    (word) => `echo ${word}
while [ ! -e '${join(cwd, word)}' ]; do
  [ -d '${folder}' ] || exit 1
  sleep 0.05
done
`,
  )
  await writeFile(join(folder, 'deploy.sh'), `#!/bin/sh\nset -eu\n${steps.join('')}echo over\n`, {
    mode: 0o755,
  })
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'init.defaultBranch=main']
  const git = async (...args: readonly string[]) =>
    (await promisify(execFile)('git', [...who, ...args], { cwd: folder, env })).stdout.trim()
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'an application')
  return { type: 'git', repo_url: pathToFileURL(folder).href, sha: await git('rev-parse', 'HEAD') }
}

interface DeployLog {
  readonly state: string
  readonly logs: readonly { readonly ts: number; readonly line: string }[]
}

/** A person who reads a deployment's log on and on with a session's cookie. */
class Reader {
  readonly #url: string
  readonly #cookie: string
  readonly #endsAt = performance.now() + WAIT_MS
  state = ''
  readonly lines: string[] = []

  constructor(url: string, cookie: string) {
    this.#url = url
    this.#cookie = cookie
  }

  async read(after: number): Promise<DeployLog> {
    const headers = { cookie: this.#cookie, connection: 'close' }
    const answer = await fetch(`${this.#url}?after=${after}`, { headers })
    expect(answer.status).toBe(200)
    return (await answer.json()) as DeployLog
  }

  /**
   * Reads on until `isSo` returns true.
   * @throws Error when that takes too long
   */
  async until(isSo: () => boolean): Promise<void> {
    for (;;) {
      const { state, logs } = await this.read(this.lines.length)
      this.state = state
      this.lines.push(...logs.map(({ line }) => line))
      if (isSo()) return
      expect(['pending', 'claimed', 'running']).toContain(state)
      if (performance.now() > this.#endsAt) throw new Error(`waited in vain after: ${this.lines.join(', ')}`)
      await pause(LOOK_MS)
    }
  }
}

test(
  'Who reads the log of a deploy with a minted cookie sees it grow while the agent is at it, and all of it at the end',
  async () => {
    await using server = new SvcProcess(['serve', '--port', '0', '--data-dir', '.svc'], { cwd })
    const url = await server.serving()
    const issued = await jsonHere<{ license: { id: string }; key: string }>(['licenses', 'issue'], { cwd })
    await jsonHere(['users', 'add', EMAIL, '--role', 'operator'], { cwd })
    const { cookie } = await jsonHere<{ cookie: string }>(['sessions', 'mint', EMAIL], { cwd })
    const words = ['installing', 'building', 'checking']
    const payload = JSON.stringify({ app: 'shop', source: await steppedApp(words) })
    const { job } = await jsonHere<{ job: { id: string; deployment_id: string } }>(
      ['jobs', 'enqueue', 'deploy', '--license', issued.license.id, '--payload', payload],
      { cwd },
    )
    const path = `${url}/api/deploy/${job.deployment_id}/logs`
    const reader = new Reader(path, cookie)
    expect(await reader.read(0)).toEqual({ state: 'pending', logs: [] })
    expect((await fetch(path, { headers: { connection: 'close' } })).status).toBe(401)

    const args = ['agent', 'run', '--url', url, '--state-dir', 'agent', '--once']
    await using agent = new SvcProcess(args, { cwd, env: { SERVICE_LICENSE_KEY: issued.key } })
    for (const word of words) {
      await reader.until(() => reader.lines.includes(word))
      // The step has printed its word and still waits, so nothing later is in the log yet.
      expect(['claimed', 'running']).toContain(reader.state)
      expect(reader.lines.at(-1)).toBe(word)
      await writeFile(join(cwd, word), '')
    }
    await reader.until(() => reader.state === 'succeeded')
    expect(await agent.end()).toBe(0)

    const { state, logs } = await reader.read(0)
    expect(state).toBe('succeeded')
    const all = logs.map(({ line }) => line)
    expect(all.filter((line) => [...words, 'over'].includes(line))).toEqual([...words, 'over'])
    // The lines that were read piece by piece are the same log, with none doubled or missing.
    expect(reader.lines).toEqual(all)
  },
  PATIENCE_MS,
)
