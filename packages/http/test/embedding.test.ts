import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  byListen,
  inAnotherKoa,
  inPlainServer,
  type Mounted,
  mounted,
} from '../../../test/support/mounted.ts'
import { open } from '../src/gates/open.ts'
import { json, route } from '../src/index.ts'
import { surfaceSuite } from './dispatch/surface-suite.ts'

describe('served by itself', () => {
  surfaceSuite(byListen())

  const answering = (path: string) =>
    route({
      method: 'GET',
      path,
      summary: 'Says where it stands.',
      gate: open,
      replies: {},
      handle: ({ params }) => json({ path, params }),
    })

  it('prefers a path without parameters, in whatever order the routes are given', async () => {
    const routes = [answering('/own/{id}'), answering('/own/fixed'), answering('/own/{id}/{part}')]
    await using own = await mounted(byListen({ routes }))
    expect((await own.get('/own/fixed')).body).toEqual({ path: '/own/fixed', params: {} })
    expect((await own.get('/own/x')).body).toEqual({ path: '/own/{id}', params: { id: 'x' } })
    expect((await own.get('/own/x/y')).body).toMatchObject({ params: { id: 'x', part: 'y' } })
  })
})
describe('inside a plain http.createServer', () => surfaceSuite(inPlainServer))
describe('inside another Koa application', () => {
  surfaceSuite(inAnotherKoa)

  let served: Mounted
  beforeEach(async () => {
    served = await mounted(inAnotherKoa)
  })
  afterEach(() => served[Symbol.asyncDispose]())

  it('leaves the paths of the host to the host', async () => {
    expect(await served.get('/hello')).toMatchObject({ status: 200, body: { hello: 'host' } })
  })

  it('lets the host see and dress every answer', async () => {
    expect((await served.get('/livez')).headers).toMatchObject({
      'x-host': 'around',
      'cache-control': 'no-store',
    })
  })
})
