import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { JOB_KINDS } from '@svc/core/ports'
import { buildHeartbeat } from '@svc/testing'
import { KIND_EXAMPLES } from '../../src/commands/jobs/kind-examples.ts'
import { CliBench } from '../support/cli-bench.ts'

let bench: CliBench

beforeEach(async () => {
  bench = await CliBench.open()
})
afterEach(() => bench[Symbol.asyncDispose]())

const SHA = 'a'.repeat(40)
const DEPLOY = { app: 'shop', source: { type: 'git', repo_url: 'https://git.example/shop.git', sha: SHA } }

async function enqueued(...more: readonly string[]): Promise<string> {
  const { job } = await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.id, ...more)
  return (job as { id: string }).id
}

describe('jobs enqueue', () => {
  test('A job is stored with its payload, and with --json answers the job and its deployment', async () => {
    const { license } = bench
    const args = ['--license', license.id, '--payload', JSON.stringify(DEPLOY)]
    const { job, deployment } = await bench.json('jobs', 'enqueue', 'deploy', ...args)
    expect(job).toMatchObject({ kind: 'deploy', state: 'pending', license_id: license.id, payload: DEPLOY })
    expect(deployment).toMatchObject({ state: 'pending', app: 'shop' })
  })

  test('The help has a payload for each kind, and each is one that the kind takes', async () => {
    expect(Object.keys(KIND_EXAMPLES)).toEqual([...JOB_KINDS])
    const help = (await bench.run('jobs', 'enqueue', '--help')).out.text
    for (const [kind, payload] of Object.entries(KIND_EXAMPLES)) {
      expect(help).toMatch(new RegExp(`^  ${kind} +\\{`, 'm'))
      expect(help).toContain(JSON.stringify(payload))
      const args = ['--license', bench.license.id, '--payload', JSON.stringify(payload)]
      expect(await bench.json('jobs', 'enqueue', kind, ...args)).toMatchObject({ job: { kind, payload } })
    }
  })

  test('The examples of the help that deploy are ones that the handlers of the agent run', () => {
    for (const kind of ['deploy', 'redeploy'])
      expect(KIND_EXAMPLES[kind]).toMatchObject({
        source: { type: 'git', sha: expect.stringMatching(/^[0-9a-f]{40}$/) },
      })
  })

  test('A kind that no host runs is stored with a warning on stderr, and one that a host runs without', async () => {
    const { license, plane } = bench
    await plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId: license.id, fingerprint: 'fp-1' }),
      jobs: [],
    })
    const host = { licenseId: license.id, fingerprint: 'fp-1', claimKey: undefined }
    await plane.jobs.claim({ ...host, kinds: ['deploy'] })
    const enqueue = (kind: string) =>
      bench.run(
        'jobs',
        'enqueue',
        kind,
        '--license',
        license.id,
        '--payload',
        JSON.stringify(KIND_EXAMPLES[kind]),
      )
    const { out, err, exitCode: code } = await enqueue('expose')
    const warning =
      'no host of this license that is online runs expose: the job waits, and jobs of app:shop that hosts run go ahead of it'
    expect([code, err.text.split('\n')[0]]).toEqual([0, `warning: ${warning}`])
    expect(out.text).not.toContain('warning')
    const answer = await bench.json(
      'jobs',
      'enqueue',
      'db',
      '--license',
      license.id,
      '--payload',
      JSON.stringify(KIND_EXAMPLES.db),
    )
    expect(answer.warning).toBe('no host of this license that is online runs db: the job waits')
    expect((await enqueue('deploy')).err.text).not.toContain('warning')
    expect((await plane.jobs.claim({ ...host, kinds: ['deploy'] })).job).toMatchObject({
      kind: 'deploy',
      app: 'shop',
    })
  })

  test('A payload above 64 KiB is refused, and the refusal says what to do', async () => {
    const payload = JSON.stringify({ note: 'x'.repeat(65_536) })
    const { err, exitCode: code } = await bench.run(
      'jobs',
      'enqueue',
      'prune',
      '--license',
      bench.license.id,
      '--payload',
      payload,
    )
    expect(code).not.toBe(0)
    expect(err.text).toContain('payload: expected at most 65536 bytes of JSON')
    expect(err.text).toContain('put large data where the host can fetch it')
  })

  test('--app fills app in the payload', async () => {
    const { app: _, ...payload } = DEPLOY
    const args = ['--license', bench.license.id, '--payload', JSON.stringify(payload), '--app', 'other']
    const { job } = await bench.json('jobs', 'enqueue', 'deploy', ...args)
    expect(job).toMatchObject({ app: 'other', payload: { ...DEPLOY, app: 'other' } })
  })

  test('--payload @FILE reads the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'))
    await writeFile(join(folder, 'payload.json'), JSON.stringify(DEPLOY))
    const args = ['jobs', 'enqueue', 'deploy', '--license', bench.license.id, '--payload', '@payload.json']
    const { io, ended } = bench.start([...args, '--json'], { cwd: folder })
    await ended
    await rm(folder, { recursive: true })
    expect(io.document).toMatchObject({ job: { payload: DEPLOY } })
  })

  test('The key of a license names it as well as its id', async () => {
    const { job } = await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.key)
    expect(job).toMatchObject({ license_id: bench.license.id })
  })

  test('The label of a license and the end of its id name it too', async () => {
    for (const name of ['bench', bench.license.id.slice(-6)]) {
      const { job } = await bench.json('jobs', 'enqueue', 'prune', '--license', name)
      expect(job).toMatchObject({ license_id: bench.license.id })
    }
  })

  test('A suspended license is refused with code 1 and the way to open it, and why says so too', async () => {
    const id = await enqueued()
    await bench.run('licenses', 'suspend', 'bench')
    const io = await bench.run('jobs', 'enqueue', 'prune', '--license', bench.license.id)
    const shut = `license ${bench.license.id} is suspended, so that its hosts are refused; svc licenses reinstate ${bench.license.id}`
    expect(io).toMatchObject({ exitCode: 1, out: { text: '' } })
    expect(io.err.text).toContain(shut)
    expect((await bench.run('jobs', 'why', id)).out.text).toContain(`${id} waits, since ${shut}\n`)
  })

  test('--host aims the job at the host with this name', async () => {
    await bench.host('f'.repeat(40), 'web-1')
    const id = await enqueued('--host', 'web-1')
    expect(await bench.json('jobs', 'show', id)).toMatchObject({ job: { target: 'f'.repeat(40) } })
  })

  test('A dedupe key returns the unfinished job that has it, and says so', async () => {
    const first = await enqueued('--dedupe-key', 'nightly')
    const io = await bench.run(
      'jobs',
      'enqueue',
      'prune',
      '--license',
      bench.license.id,
      '--dedupe-key',
      'nightly',
    )
    expect(io.out.text).toContain(first)
    expect(io.err.text).toContain('nothing new was made')
  })

  test.each([
    ['a kind that does not exist', ['bake', '--license', 'ID'], 2, 'kind: expected one of'],
    [
      'a payload that is no JSON',
      ['prune', '--license', 'ID', '--payload', '{'],
      2,
      '--payload must be a JSON object',
    ],
    [
      'a payload that is a list',
      ['prune', '--license', 'ID', '--payload', '[]'],
      2,
      '--payload must be a JSON object',
    ],
    ['a payload file that is not there', ['prune', '--license', 'ID', '--payload', '@no.json'], 2, 'ENOENT'],
    [
      'a payload that lacks what its kind needs',
      ['deploy', '--license', 'ID'],
      2,
      'app: expected an app name',
    ],
    ['a license that does not exist', ['prune', '--license', 'lic_0'], 5, 'svc licenses list'],
    ['a host that does not exist', ['prune', '--license', 'ID', '--host', 'nobody'], 5, 'svc fleet servers'],
    ['a timeout that is no number', ['prune', '--license', 'ID', '--timeout', 'soon'], 2, '--timeout'],
  ])('Refuses %s', async (_, args, exitCode, words) => {
    const known = args.map((arg) => (arg === 'ID' ? bench.license.id : arg))
    const io = await bench.run('jobs', 'enqueue', ...known)
    expect(io.err.text).toContain(words)
    expect(io).toMatchObject({ exitCode, out: { text: '' } })
  })
})

describe('jobs list, show, why, retry', () => {
  test('A list holds the jobs of a state, newest first', async () => {
    const first = await enqueued()
    bench.clock.advance({ seconds: 1 })
    const second = await enqueued()
    const { jobs } = await bench.json('jobs', 'list', '--state', 'pending')
    expect((jobs as { id: string }[]).map(({ id }) => id)).toEqual([second, first])
    expect(await bench.json('jobs', 'list', '--state', 'failed')).toEqual({ jobs: [] })
  })

  test('An empty list says on stderr what to do, and prints only the titles', async () => {
    const io = await bench.run('jobs', 'list')
    expect(io.out.text).toBe('ID  KIND  APP  STATE  HOST  CREATED  TOOK  REASON\n')
    expect(io.err.text).toContain('svc jobs enqueue')
  })

  test('show tells state, times and payload, and where the log is', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    await host.say(id, 'one')
    expect((await bench.run('jobs', 'show', id)).err.text).toContain(`1 log line: svc jobs logs ${id}`)
    await host.say(id, 'two')
    bench.clock.advance({ seconds: 65 })
    await host.end(id, 'failed', 3)
    const io = await bench.run('jobs', 'show', id)
    expect(io.out.text).toMatch(/^state +failed$/m)
    expect(io.out.text).toMatch(/^error +exit code 3$/m)
    expect(io.out.text).toMatch(/^took +1m 5s$/m)
    expect(io.err.text).toContain(`2 log lines: svc jobs logs ${id}`)
  })

  test('why names the reason that a job waits', async () => {
    const id = await enqueued()
    const { reasons } = await bench.json('jobs', 'why', id)
    expect(reasons).toEqual([expect.objectContaining({ code: 'no-host' })])
    expect((await bench.run('jobs', 'why', id)).out.text).toBe(
      `${id} no host has ever reported under this license\n`,
    )
  })

  test('A job that was given back took no time yet', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    bench.clock.advance({ seconds: 22 })
    expect((await bench.run('jobs', 'list')).out.text).toMatch(/22 ?s +-$/m)
    await host.giveBack(id)
    expect((await bench.run('jobs', 'list')).out.text).toMatch(/pending .* - +-\n$/)
    expect((await bench.run('jobs', 'show', id)).out.text).not.toMatch(/^took/m)
  })

  test('retry makes a new job of a finished one, and refuses an unfinished one with code 1', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    expect(await bench.run('jobs', 'retry', id)).toMatchObject({ exitCode: 1 })
    await host.begin()
    await host.end(id, 'failed', 1)
    expect(await bench.json('jobs', 'retry', id)).toMatchObject({ job: { retry_of: id, state: 'pending' } })
  })

  test.each(['show', 'logs', 'why', 'retry', 'cancel'])(
    '%s of a job that does not exist ends with 5',
    async (verb) => {
      const io = await bench.run('jobs', verb, 'job_0')
      expect(io).toMatchObject({ exitCode: 5, out: { text: '' } })
      expect(io.err.text).toMatch(/^svc: there is no /)
    },
  )
})

describe('jobs list', () => {
  test('A page says how to get the next one, and the cursor goes on where it ended', async () => {
    const ids = [await enqueued(), await enqueued(), await enqueued()].reverse()
    const io = await bench.run('jobs', 'list', '--limit', '2')
    expect(io.err.text).toContain(`There are more: --cursor ${ids[1]}`)
    const page = await bench.json('jobs', 'list', '--limit', '2')
    expect(page).toMatchObject({ jobs: [{ id: ids[0] }, { id: ids[1] }], next_cursor: ids[1] })
    const rest = await bench.json('jobs', 'list', '--limit', '2', '--cursor', String(page.next_cursor))
    expect(rest).toEqual({ jobs: [expect.objectContaining({ id: ids[2] })] })
    expect(await bench.json('jobs', 'list', '--limit', '3')).not.toHaveProperty('next_cursor')
    expect(await bench.run('jobs', 'list', '--cursor', 'job_1')).toMatchObject({ exitCode: 2 })
  })

  test('Kind, time and tenant narrow it down', async () => {
    const first = await enqueued()
    bench.clock.advance({ seconds: 60 })
    const since = new Date(bench.clock.now()).toISOString()
    const second = await enqueued()
    const idsOf = async (...flags: readonly string[]) =>
      ((await bench.json('jobs', 'list', ...flags)).jobs as { id: string }[]).map(({ id }) => id)
    expect(await idsOf('--since', since)).toEqual([second])
    expect(await idsOf('--kind', 'prune')).toEqual([second, first])
    expect(await idsOf('--kind', 'db')).toEqual([])
    await bench.run('tenants', 'add', 'acme')
    expect(await idsOf('--tenant', 'acme')).toEqual([])
    expect(await bench.run('jobs', 'list', '--tenant', 'nobody')).toMatchObject({ exitCode: 5 })
  })

  test('The reason of a failed job stands in its row', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    await host.end(id, 'failed', 3)
    expect((await bench.run('jobs', 'list')).out.text).toMatch(/failed .* exit code 3\n$/)
  })

  test('At a terminal ids are cut to an end that tells them apart, which every command takes; a pipe gets them whole', async () => {
    const ids = [await enqueued(), await enqueued()]
    const { io, ended } = bench.start(['jobs', 'list'], { isTty: true })
    await ended
    const ends = [...io.out.text.matchAll(/^([0-9a-z]+) +prune/gm)].map(([, end]) => end ?? '')
    expect(ends.map((end) => end.length)).toEqual([6, 6])
    expect(ends.map((end) => ids.find((id) => id.endsWith(end)))).toEqual([ids[1], ids[0]])
    expect((await bench.run('jobs', 'list')).out.text).toContain(ids[0] ?? '')
    for (const verb of ['show', 'why', 'logs']) {
      expect(await bench.run('jobs', verb, ends[1] ?? '')).toMatchObject({ exitCode: 0 })
    }
    expect(await bench.json('jobs', 'cancel', ends[1] ?? '')).toMatchObject({ job: { id: ids[0] } })
  })
})

describe('jobs logs', () => {
  test('The log is printed line by line, and as one document with --json', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    await host.say(id, 'one', 'two')
    expect((await bench.run('jobs', 'logs', id)).out.text).toBe('one\ntwo\n')
    expect(await bench.json('jobs', 'logs', id)).toMatchObject({
      state: 'running',
      logs: [{ line: 'one' }, { line: 'two' }],
    })
  })

  test('--tail prints the last lines only, and --times the time of each before it', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    await host.say(id, 'one', 'two', 'three')
    expect((await bench.run('jobs', 'logs', id, '--tail', '2')).out.text).toBe('two\nthree\n')
    expect((await bench.run('jobs', 'logs', id, '--tail', '9')).out.text).toBe('one\ntwo\nthree\n')
    const timed = (await bench.run('jobs', 'logs', id, '--tail', '1', '--times')).out.text
    expect(timed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z three\n$/)
  })

  test('A log of more than one answer holds is printed to its end', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    const lines = Array.from({ length: 300 }, (_, index) => `${index} `.padEnd(8000, 'x'))
    await host.say(id, ...lines)
    expect((await bench.run('jobs', 'logs', id)).out.text).toBe(lines.map((line) => `${line}\n`).join(''))
  })

  test('A line cannot command the terminal that it ends at, through a pipe neither, yet keeps its colours', async () => {
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    await host.say(id, '\u001b[31mred\u001b[2J\u001b]52;c;ZXZpbA==\u0007')
    const tame = '\u001b[31mred[2J]52;c;ZXZpbA==\u001b[0m\n'
    for (const isTty of [true, false]) {
      const { io, ended } = bench.start(['jobs', 'logs', id], { isTty })
      await ended
      expect(io.out.text).toBe(tame)
    }
  })

  test('--raw prints lines as they were sent, with --follow too, and never into stderr', async () => {
    const line = '\u001b[8mhidden\u001b[2J'
    const host = await bench.host('f'.repeat(40))
    const id = await enqueued()
    await host.begin()
    await host.say(id, line)
    await host.end(id, 'succeeded')
    expect((await bench.run('jobs', 'logs', id, '--raw')).out.text).toBe(`${line}\n`)
    expect((await bench.run('jobs', 'logs', id, '--raw', '--follow')).out.text).toContain(`${line}\n`)
    const { err } = await bench.run('jobs', 'logs', id, '--raw', '--follow', '--json')
    expect(err.text).toBe('hidden[2J\n')
  })
})
