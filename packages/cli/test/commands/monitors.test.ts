import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

const HOST = 'www.example.com'
let bench: CliBench
beforeEach(async () => {
  bench = await CliBench.open()
})
afterEach(() => bench[Symbol.asyncDispose]())

const add = (...flags: string[]) =>
  bench.json('monitors', 'add', '--name', 'www', '--host', HOST, '--type', 'a', ...flags)

describe('svc monitors', () => {
  it('add takes every flag, repeated ones in any number', async () => {
    const flags = [
      '--expect',
      '192.0.2.2',
      '--expect',
      '192.0.2.0/24',
      '--match',
      'subset',
      '--interval',
      '60',
    ]
    const more = ['--confirmations', '2', '--resolver', '192.0.2.53:5353', '--resolver', '192.0.2.54']
    const { monitor } = await add(...flags, ...more, '--license', bench.license.id)
    expect(monitor).toMatchObject({
      name: 'www',
      host: HOST,
      type: 'A',
      mode: 'expect',
      match: 'subset',
      expected: ['192.0.2.0/24', '192.0.2.2'],
      interval_seconds: 60,
      confirmations: 2,
      resolvers: ['192.0.2.53:5353', '192.0.2.54'],
      license_id: bench.license.id,
      state: 'pending',
    })
  })

  it('add without values is a baseline every 300 seconds', async () => {
    expect((await add()).monitor).toMatchObject({ mode: 'baseline', match: 'exact', interval_seconds: 300 })
  })

  it.each([
    [['--expect', 'no address']],
    [['--match', 'roughly']],
    [['--interval', '59']],
    [['--interval', 'soon']],
    [['--confirmations', '6']],
    [['--resolver', 'dns.example.com']],
    [['--tenant', 'nobody']],
  ])('add refuses %j', async (flags) => {
    const io = await bench.run('monitors', 'add', '--name', 'www', '--host', HOST, '--type', 'A', ...flags)
    expect(io.exitCode).not.toBe(0)
    expect((await bench.json('monitors', 'list')).monitors).toEqual([])
  })

  it('leads from the first answer over a drift to its acceptance', async () => {
    bench.dns.answer(HOST, '192.0.2.1')
    await add()
    expect(await bench.json('monitors', 'run')).toEqual({ ran: 1, changed: 0 })
    bench.dns.answer(HOST, '192.0.2.66')
    expect((await bench.run('monitors', 'check', 'www')).exitCode).toBe(1)
    expect(await bench.json('monitors', 'run', 'www')).toMatchObject({ ran: 1, changed: 1, outcome: 'drift' })
    const { monitor } = await bench.json('monitors', 'show', 'www')
    expect(monitor).toMatchObject({ state: 'drifted', expected: ['192.0.2.1'], confirmed: ['192.0.2.66'] })
    expect((await bench.json('monitors', 'accept', 'www')).monitor).toMatchObject({ state: 'ok' })
    expect((await bench.run('monitors', 'check', 'www')).exitCode).toBe(0)
    const { history } = await bench.json('monitors', 'history', 'www', '--limit', '1')
    expect(history).toMatchObject([{ outcome: 'drift', answer: ['192.0.2.66'], runs: 1 }])
  })

  it('pauses, resumes, updates and removes by name', async () => {
    await add()
    expect((await bench.json('monitors', 'pause', 'www')).monitor).toMatchObject({ state: 'paused' })
    expect((await bench.json('monitors', 'resume', 'www')).monitor).toMatchObject({ state: 'pending' })
    const { monitor } = await bench.json('monitors', 'update', 'www', '--interval', '600')
    expect(monitor).toMatchObject({ interval_seconds: 600 })
    await bench.json('monitors', 'remove', 'www')
    expect((await bench.run('monitors', 'show', 'www')).exitCode).toBe(5)
  })

  it('is a table for people, and an error says itself in it', async () => {
    bench.dns.replies(HOST, { status: 'error', error: 'servfail' })
    await add()
    await bench.run('monitors', 'run')
    const { out } = await bench.run('monitors', 'list')
    expect(out.text).toMatch(/^NAME +STATE +HOST +TYPE +ANSWER +LAST RUN +OWNER +ID\n/)
    expect(out.text).toMatch(/^www +pending +www\.example\.com +A +servfail +just now +platform +mon_/m)
    expect((await bench.run('monitors', 'show', 'www')).out.text).toContain('servfail, 1 in a row')
    expect((await bench.run('monitors', 'history', 'www')).out.text).toContain('servfail')
  })

  it('without any says how to add one', async () => {
    expect((await bench.run('monitors', 'list')).err.text).toContain('svc monitors add')
  })
})
