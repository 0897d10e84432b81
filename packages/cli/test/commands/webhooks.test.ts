import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { CliBench } from '../support/cli-bench.ts'

describe('webhooks', () => {
  let bench: CliBench

  beforeEach(async () => {
    bench = await CliBench.open()
  })
  afterEach(async () => {
    await bench[Symbol.asyncDispose]()
  })

  const URL = 'https://hooks.example/a'
  async function added(...flags: string[]) {
    const given = ['webhooks', 'endpoints', 'add', URL, '--license', bench.license.id, ...flags]
    const { endpoint, secret } = await bench.json(...given)
    return { id: (endpoint as { id: string }).id, secret: String(secret) }
  }

  test('an endpoint is added with its secret, shown, changed, switched and removed', async () => {
    const { id, secret } = await added('--event', 'job.*', '--description', 'CI')
    expect(secret).toMatch(/^whsec_.{44}$/)
    const { out } = await bench.run('webhooks', 'endpoints', 'list')
    expect(out.text).toMatch(/enabled +https:\/\/hooks\.example +job\.\* +0 .*whe_/)
    const shown = await bench.run('webhooks', 'endpoints', 'show', id)
    expect(shown.out.text).toMatch(/description +CI/)
    expect(shown.out.text).not.toContain(secret)
    await bench.json(
      'webhooks',
      'endpoints',
      'update',
      id,
      '--event',
      'alert.*',
      '--to',
      'https://hooks.example/b',
    )
    const off = await bench.json('webhooks', 'endpoints', 'disable', id)
    expect(off).toMatchObject({
      endpoint: { events: ['alert.*'], state: 'disabled', disabled_reason: 'manual' },
    })
    expect(await bench.json('webhooks', 'endpoints', 'enable', id)).toMatchObject({
      endpoint: { state: 'enabled' },
    })
    expect(await bench.json('webhooks', 'endpoints', 'remove', id)).toEqual({ ok: true, cancelled: 0 })
    expect(await bench.json('webhooks', 'endpoints', 'list')).toMatchObject({ endpoints: [] })
  })

  test('a test and a replay wait for the next run, and the deliveries show it', async () => {
    const { id } = await added('--disabled')
    await bench.json('jobs', 'enqueue', 'prune', '--license', bench.license.id)
    await bench.host('fp-1', 'web-1')
    await bench.json('webhooks', 'test', id)
    const dry = await bench.json('webhooks', 'replay', id, '--since', '2020-01-01', '--dry-run')
    expect(dry).toEqual({ queued: 1 })
    expect(await bench.json('webhooks', 'replay', id, '--since', '2020-01-01')).toEqual({ queued: 1 })
    const { out } = await bench.run('webhooks', 'deliveries', id)
    for (const line of [/skipped +host\.activated/, /pending +host\.activated/, /pending +webhook\.ping/])
      expect(out.text).toMatch(line)
    expect(await bench.json('webhooks', 'stats')).toEqual({
      endpoints: 1,
      disabled: 1,
      waiting: 1,
      broken: 0,
    })
    expect(await bench.json('webhooks', 'rotate', id, '--grace', '2h')).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
    })
  })

  test('verify takes a message that the official library signed, and no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'))
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const file = join(folder, 'secret')
    writeFileSync(file, `${secret}\n`)
    const [id, at, body] = ['msg_1', new Date(1_763_650_000_000), '{"type":"webhook.ping"}']
    const signature = `v1,AAAA ${new Webhook(secret).sign(id, at, `${body}\n`)}`
    const flags = ['--secret-file', file, '--id', id, '--timestamp', '1763650000', '--signature', signature]
    const verify = async (text: string) => {
      const { io, ended } = bench.start(['webhooks', 'verify', ...flags], { secrets: [text] })
      await ended
      return [io.exitCode, io.out.text]
    }
    try {
      expect(await verify(body)).toEqual([0, 'the signature is good\n'])
      expect(await verify(`${body} `)).toEqual([1, 'the signature is not good\n'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
