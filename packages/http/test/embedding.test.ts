import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  byListen,
  inAnotherKoa,
  inPlainServer,
  type Mounted,
  mounted,
} from '../../../test/support/mounted.ts'
import { surfaceSuite } from './dispatch/surface-suite.ts'

describe('served by itself', () => surfaceSuite(byListen()))
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
