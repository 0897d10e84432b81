// For every suite: no connection leaves the machine, and no test leaves a promised exchange behind.
import { afterEach, expect } from '@jest/globals'
import nock from 'nock'

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[?::1\]?|localhost)(:\d+)?$/

nock.disableNetConnect()
nock.enableNetConnect(LOOPBACK)

afterEach(() => {
  const pending = nock.pendingMocks()
  nock.cleanAll()
  expect(pending).toEqual([])
})
