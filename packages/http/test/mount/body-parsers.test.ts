// Bodies that the application around has read before.

import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import express from 'express'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { type Mount, type Mounted, mounted, started } from '../../../../test/support/mounted.ts'
import { controlPlaneMiddleware, createApp } from '../../src/index.ts'

const inExpress =
  (...parsers: express.RequestHandler[]): Mount =>
  ({ plane }) => {
    const host = express()
    for (const parser of parsers) host.use(parser)
    host.use(createApp(plane).nodeHandler)
    return started(createServer(host))
  }

const inKoa: Mount = ({ plane }) => {
  const host = new Koa()
  host.use(koaBody({ jsonLimit: '10mb' }))
  host.use(controlPlaneMiddleware(plane))
  return started(createServer(host.callback() as RequestListener))
}

const PARSERS: readonly (readonly [name: string, mount: Mount])[] = [
  ['express.json', inExpress(express.json({ limit: '10mb' }), express.urlencoded())],
  ['express.text', inExpress(express.text({ type: '*/*', limit: '10mb' }))],
  ['express.raw', inExpress(express.raw({ type: '*/*', limit: '10mb' }))],
  ['koa-body', inKoa],
]
const JSON_TYPE = { 'content-type': 'application/json' }

describe.each(PARSERS)('after %s', (name, mount) => {
  const post = (served: Mounted, path: string, body: unknown) => served.post(path, body, JSON_TYPE)

  it('a body that is whole is taken, to the end of a job', async () => {
    await using served = await mounted(mount)
    const { licenseId } = served
    const { job } = await served.plane.jobs.enqueue({ licenseId, kind: 'stop', payload: { app: 'shop' } })
    const end = { fingerprint: 'fp', state: 'succeeded', exit_code: 0, unknown: 1 }
    expect(await post(served, '/v1/jobs/claim', { fingerprint: 'fp' })).toMatchObject({ status: 200 })
    const lines = [{ ts: 1, line: 'one\u0000two' }]
    expect(await post(served, `/v1/jobs/${job.id}/logs`, { lines })).toMatchObject({ status: 200 })
    expect(await post(served, `/v1/jobs/${job.id}/status`, end)).toMatchObject({ status: 200 })
    expect(await served.plane.jobs.logs(job.id, 0, 10)).toMatchObject([{ line: 'onetwo' }])
  })

  it('its limits and its checks hold', async () => {
    await using served = await mounted(mount)
    const long = { fingerprint: 'fp', kinds: ['x'.repeat(70_000)] }
    expect(await post(served, '/v1/jobs/claim', long)).toMatchObject({ status: 413 })
    expect(await post(served, '/v1/jobs/claim', { fingerprint: 7 })).toMatchObject({
      status: 400,
      body: { error: 'invalid request body' },
    })
    let deep: unknown = 1
    for (let depth = 0; depth < 40; depth += 1) deep = [deep]
    expect(await post(served, '/v1/jobs/claim', { fingerprint: deep })).toMatchObject({
      status: 400,
      body: { error: 'invalid JSON body' },
    })
  })

  it('a message that is signed is refused with the way out', async () => {
    await using served = await mounted(mount)
    expect(await post(served, '/api/v1/git/webhook', { ref: 'refs/heads/main' })).toMatchObject({
      status: 503,
      body: {
        error: 'body was read before',
        detail: 'mount the control plane before body parsers',
      },
    })
  })

  it('signs in by a form', async () => {
    await using served = await mounted(mount)
    const sent = { email: 'ada@example.com', password: 'correct horse battery' }
    await served.plane.users.add({ ...sent, role: 'operator', tenantId: undefined })
    const body = new URLSearchParams(sent).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await served.send({ method: 'POST', path: '/login', headers, body })
    // As text and bytes a form is no JSON.
    expect(answer.status).toBe(name === 'express.text' || name === 'express.raw' ? 400 : 200)
  })
})

describe('after a parser that keeps nothing', () => {
  it('a body is refused with the way out', async () => {
    const drop: express.RequestHandler = (request, _response, next) => void request.resume().on('end', next)
    await using served = await mounted(inExpress(drop))
    expect(await served.post('/v1/jobs/claim', { fingerprint: 'fp' })).toMatchObject({
      status: 503,
      body: { error: 'body was read before' },
    })
    expect(await served.get('/livez')).toMatchObject({ status: 200 })
  })
})
