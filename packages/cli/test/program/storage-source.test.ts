import { expect, test } from '@jest/globals'
import { readConfig } from '@svc/core'
import { storageSource } from '../../src/commands/serve/running-service.ts'

const server = { url: 'postgres://svc@db.example/svc' }

test.each([
  [
    'a server, with as many connections as the settings say',
    { SERVICE_DATABASE_POOL: '3' },
    { ...server, poolSize: 3 },
  ],
  ['a server before a folder, with ten', { SERVICE_DATA_DIR: 'kept' }, { ...server, poolSize: 10 }],
])('Data lies in %s', (_, env, source) => {
  expect(storageSource(readConfig(env), server)).toEqual(source)
})

test('Without a server data lies in the folder of the settings, else in memory', () => {
  expect(storageSource(readConfig({ SERVICE_DATA_DIR: '/srv/svc' }), undefined)).toEqual({
    dataDir: '/srv/svc',
  })
  expect(storageSource(readConfig({}), undefined)).toEqual({ memory: true })
})
